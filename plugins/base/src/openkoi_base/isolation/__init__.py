"""Call plugin code so that it cannot end the program: a library, without entry points."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .arguments import checks_arguments as checks_arguments
    from .calling import ask_source as ask_source
    from .calling import named_errors as named_errors
    from .calling import resolve as resolve
    from .calling import start_task as start_task
    from .defensive_copies import arguments_of as arguments_of
    from .defensive_copies import copy_arguments as copy_arguments
    from .defensive_copies import copy_call as copy_call
    from .isolated_await import IsolatedAwaitable as IsolatedAwaitable
    from .sanitize import sanitize_json as sanitize_json
    from .sanitize import sanitize_text as sanitize_text
    from .timeouts import contain_exit as contain_exit
    from .timeouts import format_error as format_error
    from .timeouts import is_printable as is_printable
    from .timeouts import must_end as must_end
    from .timeouts import report_lateness as report_lateness
    from .timeouts import with_timeout as with_timeout
    from .validation import PLAIN_SEQUENCES as PLAIN_SEQUENCES
    from .validation import make_check as make_check
    from .validation import type_error_of as type_error_of
