"""Log events to stderr: warnings and errors always, requests and responses at ``debug``, everything at ``trace``.

There is nothing at ``info``: the renderer shows iterations, scores and costs.
"""

import logging
import os
from collections.abc import Callable

from openkoi_hookspecs import Koi, Record, events

TRACE = 5
LEVELS = {"error": logging.ERROR, "warn": logging.WARNING, "info": logging.INFO, "debug": logging.DEBUG, "trace": TRACE}
MAX_VALUE_CHARACTERS = 200  # below trace
TRACE_EVENTS = (
    events.ModelDelta,
    events.HookReturned,
    events.PlanReady,
    events.MessageAdded,
    events.CycleStarted,
    events.ToolResultsReady,
)
log = logging.getLogger("openkoi")


def set_up_logs(verbose: bool, koi: Koi, print_line: Callable[[str], None]) -> None:
    """Log at the level set by ``--verbose`` or ``OPENKOI_LOG_LEVEL``, without secrets, above the working line."""
    named = os.environ.get("OPENKOI_LOG_LEVEL", "info").lower()
    level = LEVELS.get("debug" if verbose else named, logging.INFO)
    logging.addLevelName(TRACE, "TRACE")
    handler = LineHandler(print_line, koi)
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    log.handlers[:] = [handler]
    log.setLevel(level)
    log.propagate = False
    if level <= logging.DEBUG:
        koi.listen(log_record)


class LineHandler(logging.Handler):
    """Prints lines without secrets where the progress of the run is printed."""

    def __init__(self, print_line: Callable[[str], None], koi: Koi) -> None:
        super().__init__()
        self.print_line, self.koi = print_line, koi

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line; an error then, such as a closed stream, does not reach the code that logs."""
        try:
            self.print_line(self.koi.redact(self.format(record)))
        except Exception:  # the stream and the redaction of any plugin's text
            self.handleError(record)


def log_record(record: Record) -> None:
    """Log an event as a line of fields."""
    from openkoi_base.redact import current_redactor
    from openkoi_runlog import encode, redact_json

    level = TRACE if isinstance(record.event, TRACE_EVENTS) else logging.DEBUG
    if log.isEnabledFor(level):
        data = redact_json(encode(record.event), current_redactor())
        fields = " ".join(f"{key}={format_value(value)}" for key, value in data.items())
        log.log(level, "%s run=%s %s", record.event.name, record.run, fields)


def format_value(value: object) -> str:
    text = str(value)
    return text if log.isEnabledFor(TRACE) or len(text) <= MAX_VALUE_CHARACTERS else f"{text[:MAX_VALUE_CHARACTERS]}…"
