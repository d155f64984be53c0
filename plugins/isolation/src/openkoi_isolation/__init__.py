"""Call code of plugins so that nothing of theirs ends the program. A library, without entry points."""

from .copies import copy_arguments, copy_call
from .timeouts import confined, must_end, report_lateness, with_timeout
from .unicode import sanitize_json, sanitize_text
from .validation import type_error_of

__all__ = [
    "confined",
    "copy_arguments",
    "copy_call",
    "must_end",
    "report_lateness",
    "sanitize_json",
    "sanitize_text",
    "type_error_of",
    "with_timeout",
]
