"""Call code of plugins so that nothing of theirs ends the program. A library, without entry points."""

from .copies import copy_arguments, copy_call
from .timeouts import SteppedAwaitable, TimedOut, confined, must_end, sync_timeout, with_timeout
from .unicode import sanitize_json, sanitize_text
from .validation import type_error_of

__all__ = [
    "SteppedAwaitable",
    "TimedOut",
    "confined",
    "copy_arguments",
    "copy_call",
    "must_end",
    "sanitize_json",
    "sanitize_text",
    "sync_timeout",
    "type_error_of",
    "with_timeout",
]
