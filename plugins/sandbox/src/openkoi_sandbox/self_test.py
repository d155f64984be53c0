"""Prove a cage by trying to get out of it. What was refused decides its level; what it claims decides nothing."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from openkoi_hookspecs import Command, KoiError

from .job import Job, Settings
from .launch import Cage
from .policy import Level, Policy

PROBE = Path(__file__).with_name("probe.py")
SECONDS = 20.0
LIMITS = frozenset({"files", "memory"})
DOORS = frozenset({"tcp", "udp", "abstract"})
CONFINING = frozenset({"writing", "changing", "hidden", "unix", "signals", "secrets"})
ISOLATING = frozenset({"seeing", "outliving", "modes", "planting"})
UNTRIED = frozenset() if sys.platform.startswith("linux") else frozenset({"abstract", "secrets", "seeing"})
TRIED = LIMITS | DOORS | CONFINING | ISOLATING
MEANING = {
    "files": "files that are too long",
    "memory": "more memory than allowed",
    "tcp": "the network (TCP)",
    "udp": "the network (UDP)",
    "abstract": "sockets without a path",
    "writing": "writing outside the workspace",
    "changing": "changing, moving or linking files outside",
    "modes": "changing modes and times of files outside",
    "hidden": "reading hidden files",
    "unix": "other programs' sockets",
    "signals": "signals to other processes",
    "secrets": "reading other processes' variables",
    "seeing": "seeing other processes",
    "outliving": "staying behind",
    "planting": "changing what git runs",
}


@dataclass(frozen=True, slots=True)
class Proof:
    """What was refused, by name, and if nothing could be tried: why."""

    level: Level
    refused: frozenset[str] = frozenset()
    trouble: str = ""

    @property
    def closed(self) -> str:
        """What was refused, in words."""
        return listing(self.refused)

    @property
    def open(self) -> str:
        """What was not, in words."""
        return listing(TRIED - self.refused)


def listing(names: Iterable[str]) -> str:
    """Words for names, in the order they are defined in."""
    among = set(names)
    return ", ".join(words for name, words in MEANING.items() if name in among) or "nothing"


def level_of(refused: frozenset[str], *, network: bool) -> Level:
    """The strongest level all of whose promises were kept."""
    confining = CONFINING if network else CONFINING | DOORS
    if refused >= confining | ISOLATING:
        return Level.ISOLATED
    if refused >= confining:
        return Level.CONFINED
    return Level.LIMITED if refused & LIMITS else Level.NONE


def prove(make: Callable[[Policy], Cage], policy: Policy, settings: Settings) -> Proof:
    """Put up the cage with the policy, and one more hidden folder, and let the probe loose in it."""
    from .witness import witness

    try:
        with witness(settings.outputs) as outside:
            sizes = [str(policy.file or 1), str((policy.memory or 1) + 1_000_000)]
            probe = [sys.executable, "-I", "-S", str(PROBE), *outside.words, *sizes]
            cage = make(replace(policy, hidden=(*policy.hidden, outside.hidden), readable=()))
            sealed = outside.run_by_git if cage.seals else ()
            done = Job(Command(probe, seconds=SECONDS), outside.root, settings, cage, sealed=sealed).run()
            if "tried" not in done.output.split():
                return Proof(Level.NONE, trouble=" ".join(done.output.split()) or "the probe could not be run")
            refused = frozenset(TRIED - {*outside.reached(), *done.output.split(), *UNTRIED})
    except KoiError as error:
        return Proof(Level.NONE, trouble=str(error).rstrip("."))
    except OSError as error:
        return Proof(Level.NONE, trouble=f"it cannot be tried here ({error})")
    return Proof(level_of(refused, network=policy.network), refused)
