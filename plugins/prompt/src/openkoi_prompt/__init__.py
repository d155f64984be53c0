"""Build the prompts of a task. This is a library, without entry points."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .category import infer_category
    from .effect_question import effect_request, says_no
    from .instructions import INSTRUCTIONS_SECTION, executor_instructions
    from .messages import (
        build_system_prompt,
        feedback_message,
        first_message,
        format_section,
        merge_sections,
        quote_untrusted,
        recall_sections,
        restart_message,
        trailing_sections,
    )
    from .question import is_question
    from .recall_query import build_recall_query, build_recall_text
    from .section_limits import MEMORY_SOURCE, max_total_bytes, refuse_oversized, total_size, without_refused_texts

__all__ = [
    "INSTRUCTIONS_SECTION",
    "MEMORY_SOURCE",
    "build_recall_query",
    "build_recall_text",
    "build_system_prompt",
    "effect_request",
    "executor_instructions",
    "feedback_message",
    "first_message",
    "format_section",
    "infer_category",
    "is_question",
    "max_total_bytes",
    "merge_sections",
    "quote_untrusted",
    "recall_sections",
    "refuse_oversized",
    "restart_message",
    "says_no",
    "total_size",
    "trailing_sections",
    "without_refused_texts",
]
