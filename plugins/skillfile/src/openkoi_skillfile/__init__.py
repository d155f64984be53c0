"""Skills and evaluators in SKILL.md files: read leniently, written strictly. A library, without entry points."""

from .approved import NO, YES, Approved
from .certifiable import Certifiable, RubricSample
from .digest import digest
from .eligible import Machine, Requirements, lacking, requirements
from .evaluator import Dimension, Method, Rubric, canonical, rubric_of
from .naming import LONGEST_NAME, NAME, fitting
from .places import (
    ASKS,
    Found,
    Place,
    Shelf,
    Source,
    Trust,
    collect,
    holds,
    lent,
    meant,
    places,
    skill_folders,
    unshadowed,
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
    "Found",
    "Machine",
    "Method",
    "Place",
    "Problem",
    "Requirements",
    "Rubric",
    "RubricSample",
    "Shelf",
    "Skill",
    "Source",
    "Trust",
    "Unusable",
    "canonical",
    "collect",
    "digest",
    "fitting",
    "holds",
    "lacking",
    "lent",
    "meant",
    "oddities",
    "places",
    "problems",
    "read_skill",
    "read_text",
    "requirements",
    "rubric_of",
    "skill_folders",
    "skill_in",
    "unshadowed",
    "upwards",
    "validate",
    "visible",
    "write_skill",
]
