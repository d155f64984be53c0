"""What a judge wrote down of one judgement, read from its event. Knows its fields; knows no judge.

The event is a plugin's own, so it is read by its name, whether or not the judge is loaded here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

from openkoi_hookspecs import EvaluationMode, Event, Score, events

NAME = "judge.voted"
COUNTS = ("calls", "asked", "whole", "aside")
Vote = tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class Judging:
    """By which rubric, and what each vote scored. ``carried`` are dimensions whose scores are from before.

    The judge read ``asked`` characters, of these ``aside`` for questions that are no vote on the work; one full
    judgement is of ``whole`` characters.
    """

    rubric: str
    votes: tuple[Vote, ...]
    _: KW_ONLY
    mode: EvaluationMode = EvaluationMode.FULL
    carried: tuple[str, ...] = ()
    calls: int = 0
    asked: int = 0
    whole: int = 0
    aside: int = 0
    note: str = ""
    proof: str = ""

    @property
    def skipped(self) -> bool:
        """Whether nobody was asked."""
        return self.calls == 0 and self.whole > 0

    @property
    def spared(self) -> int:
        """How many characters more the same judgement would have been without sparing any; less than nought is loss."""
        full = max(1, len(self.votes)) if self.mode is EvaluationMode.FULL else 1
        return full * self.whole + self.aside - self.asked


def judging_of(event: Event) -> Judging | None:
    """The judgement that an event tells of; None for another event, and for one that cannot be read."""
    facts = facts_of(event)
    if facts is None:
        return None
    try:
        return read(facts)
    except (TypeError, ValueError, KeyError):
        return None


def facts_of(event: Event) -> Mapping[str, Any] | None:
    """The event's fields by name, as it is or as it was written."""
    if isinstance(event, events.UnknownEvent):
        data = event.data.get("data") if event.data.get("type") == NAME else None
        return data if isinstance(data, Mapping) else None
    if event.name != NAME:
        return None
    return {name: getattr(event, name) for name in Judging.__dataclass_fields__ if name != "_" and hasattr(event, name)}


def read(facts: Mapping[str, Any]) -> Judging:
    return Judging(
        str(facts.get("rubric", "")),
        tuple(tuple(scores(vote)) for vote in facts.get("votes", ())),
        mode=EvaluationMode(facts.get("mode", EvaluationMode.FULL)),
        carried=tuple(map(str, facts.get("carried", ()))),
        note=str(facts.get("note", "")),
        proof=str(facts.get("proof", "")),
        **{name: int(facts.get(name, 0)) for name in COUNTS},
    )


def scores(vote: Sequence[Any]) -> Iterator[Score]:
    """A vote's scores, as they are or as they were written."""
    for score in vote:
        if isinstance(score, Score):
            yield score
        else:
            yield Score(str(score["dimension"]), float(score["value"]), float(score.get("weight", 1.0)))
