"""The life of a finding: found in one iteration, no longer there in a later one. Knows no tables."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from openkoi_hookspecs import Evaluation, Finding, Mode

from .iterations import Turn

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Episode:
    """A finding from the iteration that found it to the one that did not find it again."""

    number: int
    finding: Finding
    found: int
    resolved: int | None = None


def episodes(told: Iterable[Turn]) -> list[Episode]:
    """Number findings through the task. One that comes back after it was resolved is a new one."""
    open: dict[Key, Episode] = {}
    closed: list[Episode] = []
    for turn in told:
        if turn.evaluation is None:
            continue
        closed += resolved(open, turn)
        for finding in turn.evaluation.findings:
            number = len(open) + len(closed) + 1
            open.setdefault(finding.key, Episode(number, finding, turn.iteration))
    return sorted([*closed, *open.values()], key=lambda episode: episode.number)


def resolved(open: dict[Key, Episode], turn: Turn) -> list[Episode]:
    """Take out the findings that an iteration no longer has."""
    if turn.evaluation is None or not looked(turn.evaluation):
        return []
    present = {finding.key for finding in turn.evaluation.findings}
    gone = [key for key in open if key not in present]
    return [replace(open.pop(key), resolved=turn.iteration) for key in gone]


def looked(evaluation: Evaluation) -> bool:
    """Whether silence about a finding means that it is gone: not when nobody looked or nothing could be judged."""
    return not evaluation.unknown and evaluation.mode is not Mode.SKIPPED
