"""Call code of plugins so that it cannot end the program. This is a library, without entry points."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .arguments import checks_arguments
    from .calling import ask_source, named_errors, resolve, start_task
    from .defensive_copies import arguments_of, copy_arguments, copy_call
    from .isolated_await import IsolatedAwaitable
    from .sanitize import sanitize_json, sanitize_text
    from .timeouts import contain_exit, format_error, is_printable, must_end, report_lateness, with_timeout
    from .validation import PLAIN_SEQUENCES, make_check, type_error_of

__all__ = [
    "PLAIN_SEQUENCES",
    "IsolatedAwaitable",
    "arguments_of",
    "ask_source",
    "checks_arguments",
    "contain_exit",
    "copy_arguments",
    "copy_call",
    "format_error",
    "is_printable",
    "make_check",
    "must_end",
    "named_errors",
    "report_lateness",
    "resolve",
    "sanitize_json",
    "sanitize_text",
    "start_task",
    "type_error_of",
    "with_timeout",
]
