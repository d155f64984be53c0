"""Read SKILL.md files of skills and evaluators leniently, and write them strictly."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .approvals import NO as NO
    from .approvals import YES as YES
    from .approvals import Approvals as Approvals
    from .certifiable import Certifiable as Certifiable
    from .certifiable import RubricSample as RubricSample
    from .digest import digest_path as digest_path
    from .evaluator import Dimension as Dimension
    from .evaluator import Method as Method
    from .evaluator import Rubric as Rubric
    from .evaluator import canonical_name as canonical_name
    from .evaluator import parse_rubric as parse_rubric
    from .front_matter import FrontMatter as FrontMatter
    from .locations import NEEDS_APPROVAL as NEEDS_APPROVAL
    from .locations import FoundSkill as FoundSkill
    from .locations import LoadSkill as LoadSkill
    from .locations import SkillLocation as SkillLocation
    from .locations import SkillSource as SkillSource
    from .locations import Trust as Trust
    from .locations import collect_skills as collect_skills
    from .locations import list_locations as list_locations
    from .locations import list_parents as list_parents
    from .locations import load_skill as load_skill
    from .locations import looks_like_skill as looks_like_skill
    from .locations import plugin_locations as plugin_locations
    from .locations import resolve_shadowing as resolve_shadowing
    from .locations import skill_folders as skill_folders
    from .naming import MAX_NAME_LENGTH as MAX_NAME_LENGTH
    from .naming import NAME as NAME
    from .naming import correct_name as correct_name
    from .printable import make_printable as make_printable
    from .problem import InvalidSkillError as InvalidSkillError
    from .requirements import MachineFeatures as MachineFeatures
    from .requirements import describe_missing as describe_missing
    from .requirements import parse_requirements as parse_requirements
    from .skill import EVALUATOR as EVALUATOR
    from .skill import TASK as TASK
    from .skill import Skill as Skill
    from .skill import read_skill as read_skill
    from .skill import write_skill as write_skill
    from .validation import SKILL_FILE as SKILL_FILE
    from .validation import find_corrections as find_corrections
    from .validation import find_problems as find_problems
    from .validation import find_skill_file as find_skill_file
    from .validation import read_text as read_text
    from .validation import validate as validate
