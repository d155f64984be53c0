"""Log levels and fields. Warnings and errors always; what was sent and answered on ``debug``; everything on ``trace``.

What ``info`` would say (iterations, scores, costs) is what the renderer shows.
"""

import logging
import os
import sys

from openkoi_hookspecs import Koi, Record, events

TRACE = 5
LEVELS = {"error": logging.ERROR, "warn": logging.WARNING, "info": logging.INFO, "debug": logging.DEBUG, "trace": TRACE}
CUT = 200
QUIET = (
    events.ModelDelta,
    events.HookReturned,
    events.PlanReady,
    events.MessageAdded,
    events.CycleStarted,
    events.ToolResultsReady,
)
log = logging.getLogger("openkoi")


def set_up_logs(verbose: bool, koi: Koi) -> None:
    """Log to stderr at the level that ``--verbose`` or ``OPENKOI_LOG_LEVEL`` asks for, without secrets."""
    named = os.environ.get("OPENKOI_LOG_LEVEL", "info").lower()
    level = LEVELS.get("debug" if verbose else named, logging.INFO)
    logging.addLevelName(TRACE, "TRACE")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Redacted("%(levelname)s %(message)s", koi))
    log.handlers[:] = [handler]
    log.setLevel(level)
    log.propagate = False
    if level <= logging.DEBUG:
        koi.listen(write)


class Redacted(logging.Formatter):
    """A formatter that secrets do not pass."""

    def __init__(self, layout: str, koi: Koi) -> None:
        super().__init__(layout)
        self.koi = koi

    def format(self, record: logging.LogRecord) -> str:
        """The line without secrets."""
        return self.koi.redact(super().format(record))


def write(record: Record) -> None:
    """One event as a line of fields."""
    from openkoi_base.redact import current_redactor
    from openkoi_runlog import encode, masked

    level = TRACE if isinstance(record.event, QUIET) else logging.DEBUG
    if log.isEnabledFor(level):
        data = masked(encode(record.event), current_redactor())
        said = " ".join(f"{key}={shown(value)}" for key, value in data.items())
        log.log(level, "%s run=%s %s", record.event.name, record.run, said)


def shown(value: object) -> str:
    text = str(value)
    return text if log.isEnabledFor(TRACE) or len(text) <= CUT else f"{text[:CUT]}…"
