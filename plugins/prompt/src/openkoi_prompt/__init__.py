"""Build the prompts of a task. This is a library, without entry points."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .build_prompt import build_system_prompt as build_system_prompt
    from .build_prompt import feedback_message as feedback_message
    from .build_prompt import first_message as first_message
    from .build_prompt import format_section as format_section
    from .build_prompt import merge_sections as merge_sections
    from .build_prompt import quote_untrusted as quote_untrusted
    from .build_prompt import recall_sections as recall_sections
    from .build_prompt import restart_message as restart_message
    from .build_prompt import trailing_sections as trailing_sections
    from .category import infer_category as infer_category
    from .effect_question import effect_request as effect_request
    from .effect_question import says_no as says_no
    from .instructions import INSTRUCTIONS_SECTION as INSTRUCTIONS_SECTION
    from .instructions import executor_instructions as executor_instructions
    from .question import is_question as is_question
    from .recall_query import build_recall_query as build_recall_query
    from .recall_query import build_recall_text as build_recall_text
    from .section_limits import MEMORY_SOURCE as MEMORY_SOURCE
    from .section_limits import max_total_bytes as max_total_bytes
    from .section_limits import refuse_oversized as refuse_oversized
    from .section_limits import total_size as total_size
    from .section_limits import without_refused_texts as without_refused_texts
