"""Skills and evaluators in SKILL.md files: read leniently, written strictly. A library, without entry points."""

from .eligible import Machine, Requirements, lacking, requirements
from .evaluator import Dimension, Method, Rubric, canonical, rubric_of
from .places import Found, Place, Shelf, Source, Trust, collect, lent, places, unshadowed
from .problem import Problem, Unusable
from .skill import EVALUATOR, TASK, Skill, read_skill, write_skill
from .validation import problems, validate

__all__ = [
    "EVALUATOR",
    "TASK",
    "Dimension",
    "Found",
    "Machine",
    "Method",
    "Place",
    "Problem",
    "Requirements",
    "Rubric",
    "Shelf",
    "Skill",
    "Source",
    "Trust",
    "Unusable",
    "canonical",
    "collect",
    "lacking",
    "lent",
    "places",
    "problems",
    "read_skill",
    "requirements",
    "rubric_of",
    "unshadowed",
    "validate",
    "write_skill",
]
