"""Define the log events of learning, from which everything can be rebuilt."""

from dataclasses import dataclass

from openkoi_hookspecs import Event

from .entry import LearningEntry


@dataclass(frozen=True, slots=True)
class Noted(Event):
    """An entry as it now stands, with what a Learning has no field for; ``entry.reason`` says what changed it."""

    name = "ledger.noted"
    entry: LearningEntry


@dataclass(frozen=True, slots=True)
class Shown(Event):
    """Which entries a run was shown, and which it could have been shown and was not, to see whether they matter."""

    name = "ledger.shown"
    task: str
    project: str = ""
    model: str = ""
    shown: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Credited(Event):
    """How the first attempt of a run went, and which of the shown entries are about what was found wrong with it.

    ``of`` is the run, where another one writes it down.
    """

    name = "ledger.credited"
    passed: bool
    blamed: tuple[str, ...] = ()
    of: str = ""


@dataclass(frozen=True, slots=True)
class Learned(Event):
    """All that a run taught is noted. A run that is over and has none is learned from at the next start."""

    name = "ledger.learned"
    of: str
