"""Define the log events of learning, from which everything can be rebuilt."""

from openkoi_hookspecs import Event
from openkoi_hookspecs.lazy_dataclass import dataclass

from .entry import LearningEntry


@dataclass(frozen=True, slots=True)
class EntryUpdated(Event):
    """The current state of an entry, with what a Learning has no field for; ``entry.reason`` is why it changed."""

    name = "ledger.noted"
    entry: LearningEntry


@dataclass(frozen=True, slots=True)
class EntriesShown(Event):
    """The entries that a run was shown, and the eligible ones that were held out."""

    name = "ledger.shown"
    task: str
    project: str = ""
    model: str = ""
    shown: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OutcomeCredited(Event):
    """How the first iteration of a run went, and which eligible entries its findings are about.

    ``of`` is the run, if another run logs it. ``confirmed`` and ``refuted`` are the entries, shown or not, that the
    result says something about; None in older logs, where the first iteration was all that was known. ``unblamed`` are
    those that an iteration shows while its findings are about other things.
    """

    name = "ledger.credited"
    passed: bool
    blamed: tuple[str, ...] = ()
    of: str = ""
    confirmed: tuple[str, ...] | None = None
    refuted: tuple[str, ...] = ()
    unblamed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunProcessed(Event):
    """A run was learned from completely. A finished run without this event is learned from at the next start."""

    name = "ledger.learned"
    of: str
