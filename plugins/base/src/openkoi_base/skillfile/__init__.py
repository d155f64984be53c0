"""Read SKILL.md files of skills and evaluators leniently, and write them strictly."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .approvals import NO, YES, Approvals
    from .certifiable import Certifiable, RubricSample
    from .digest import digest_path
    from .evaluator import Dimension, Method, Rubric, canonical_name, parse_rubric
    from .front_matter import FrontMatter
    from .locations import (
        NEEDS_APPROVAL,
        FoundSkill,
        FoundSkills,
        LoadSkill,
        SkillLocation,
        SkillSource,
        Trust,
        collect_skills,
        join_found,
        list_locations,
        list_parents,
        list_subfolders,
        load_skill,
        locate_skill,
        looks_like_skill,
        plugin_locations,
        read_location,
        resolve_shadowing,
        skill_folders,
        trust_all,
    )
    from .naming import MAX_NAME_LENGTH, NAME, correct_name
    from .printable import make_printable
    from .problem import InvalidSkillError
    from .requirements import MachineFeatures, describe_missing, parse_requirements
    from .skill import EVALUATOR, TASK, Skill, read_skill, write_skill
    from .validation import SKILL_FILE, find_corrections, find_problems, find_skill_file, read_text, validate

__all__ = [
    "EVALUATOR",
    "MAX_NAME_LENGTH",
    "NAME",
    "NEEDS_APPROVAL",
    "NO",
    "SKILL_FILE",
    "TASK",
    "YES",
    "Approvals",
    "Certifiable",
    "Dimension",
    "FoundSkill",
    "FoundSkills",
    "FrontMatter",
    "InvalidSkillError",
    "LoadSkill",
    "MachineFeatures",
    "Method",
    "Rubric",
    "RubricSample",
    "Skill",
    "SkillLocation",
    "SkillSource",
    "Trust",
    "canonical_name",
    "collect_skills",
    "correct_name",
    "describe_missing",
    "digest_path",
    "find_corrections",
    "find_problems",
    "find_skill_file",
    "join_found",
    "list_locations",
    "list_parents",
    "list_subfolders",
    "load_skill",
    "locate_skill",
    "looks_like_skill",
    "make_printable",
    "parse_requirements",
    "parse_rubric",
    "plugin_locations",
    "read_location",
    "read_skill",
    "read_text",
    "resolve_shadowing",
    "skill_folders",
    "trust_all",
    "validate",
    "write_skill",
]
