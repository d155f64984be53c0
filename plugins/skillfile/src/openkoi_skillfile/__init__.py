"""Skills and evaluators in SKILL.md files: read leniently, written strictly. A library, without entry points."""

from .approved import NO, YES, Approved
from .certifiable import Certifiable, RubricSample
from .digest import digest
from .eligible import MachineFeatures, Requirements, lacking, requirements
from .evaluator import Dimension, Method, Rubric, canonical, rubric_of
from .naming import LONGEST_NAME, NAME, fitting
from .places import (
    ASKS,
    FoundSkill,
    FoundSkills,
    SkillLocation,
    SkillSource,
    Trust,
    collect,
    holds,
    looks_like_skill,
    places,
    plugin_locations,
    resolve_shadowing,
    skill_folders,
    upwards,
)
from .problem import Problem, Unusable
from .skill import EVALUATOR, TASK, Skill, read_skill, write_skill
from .validation import FILE, oddities, problems, read_text, skill_in, validate
from .visible import visible

__all__ = [
    "ASKS",
    "EVALUATOR",
    "FILE",
    "LONGEST_NAME",
    "NAME",
    "NO",
    "TASK",
    "YES",
    "Approved",
    "Certifiable",
    "Dimension",
    "FoundSkill",
    "FoundSkills",
    "MachineFeatures",
    "Method",
    "Problem",
    "Requirements",
    "Rubric",
    "RubricSample",
    "Skill",
    "SkillLocation",
    "SkillSource",
    "Trust",
    "Unusable",
    "canonical",
    "collect",
    "digest",
    "fitting",
    "holds",
    "lacking",
    "looks_like_skill",
    "oddities",
    "places",
    "plugin_locations",
    "problems",
    "read_skill",
    "read_text",
    "requirements",
    "resolve_shadowing",
    "rubric_of",
    "skill_folders",
    "skill_in",
    "upwards",
    "validate",
    "visible",
    "write_skill",
]
