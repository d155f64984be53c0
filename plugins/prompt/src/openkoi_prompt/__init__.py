"""What a model is told of a task, piece by piece: a library, without entry points."""

from .category import infer_category
from .effect_question import ask_for_effect, says_no
from .instructions import INSTRUCTIONS, instructions
from .question import asks_question
from .recall_query import recall_query, recall_text
from .section_limits import (
    MAX_TOTAL_BYTES,
    MEMORY,
    max_total_bytes,
    refuse_oversized,
    total_size,
    without_refused_texts,
)
from .wording import afresh, conversation_end, feedback, fenced, merged, opening, recalled, shown, system_blocks

__all__ = [
    "INSTRUCTIONS",
    "MAX_TOTAL_BYTES",
    "MEMORY",
    "afresh",
    "ask_for_effect",
    "asks_question",
    "conversation_end",
    "feedback",
    "fenced",
    "infer_category",
    "instructions",
    "max_total_bytes",
    "merged",
    "opening",
    "recall_query",
    "recall_text",
    "recalled",
    "refuse_oversized",
    "says_no",
    "shown",
    "system_blocks",
    "total_size",
    "without_refused_texts",
]
