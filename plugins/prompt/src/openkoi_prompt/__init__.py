"""What a model is told of a task, piece by piece: a library, without entry points."""

from .category import infer_category, only_asks
from .wording import afresh, conversation_end, feedback, merged, opening, recalled, shown, system_blocks

__all__ = [
    "afresh",
    "conversation_end",
    "feedback",
    "infer_category",
    "merged",
    "only_asks",
    "opening",
    "recalled",
    "shown",
    "system_blocks",
]
