"""What to ask a judge next, while the verdict on it is in doubt. Pure: knows samples and answers; asks nobody.

Chance decides about few works: one that lies about a third of them may happen to be asked about few of those, and noise
can look like a bias. So it goes on where it is in doubt and only there, with other works or with the same ones again,
until it is sure or has asked enough.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

from .certificate import LIMITS
from .measures import Heard, Measures, measured, share
from .sample import Kind, Sample

ROUNDS = 4
BATCH = 12
SURE = 1.645
NEAR = 1e-9
PLAIN = 3.0
MOST = {limit.measure: limit.most for limit in LIMITS}
MISSED = MOST["missed"]
CERTAIN = ("leniency", "spread", "unreadable")
TWINS = {"verbosity": Kind.PADDED, "position": Kind.SWAPPED, "obeyed": Kind.INJECTED}


@dataclass(slots=True)
class Examination:
    """Samples, those in reserve, and what was answered so far."""

    samples: list[Sample]
    reserve: list[Sample]
    answers: list[Heard] = field(default_factory=list)
    rounds: int = 0

    def take(self, answers: Sequence[Heard]) -> None:
        """Take answers in."""
        self.answers += answers
        self.rounds += 1

    @property
    def measures(self) -> Measures:
        """What they come to."""
        return measured(self.samples, self.answers)

    def next(self) -> list[Sample]:
        """What to show now: all at first, then what the doubt is about; nothing when there is none, or it is enough."""
        if not self.rounds:
            return self.samples
        measures = self.measures
        if self.rounds > ROUNDS or any(broken(measures, name) for name in CERTAIN) or self.overlooks[0] > MISSED:
            return []
        again = [kind for name, kind in TWINS.items() if broken(measures, name) and not broken(measures, name, PLAIN)]
        return [*self.others(), *pairs(self.samples, again)]

    @property
    def overlooks(self) -> tuple[float, float]:
        """Between which shares of the defects those lie that it overlooks."""
        return interval(*overlooked(self.samples, self.answers))

    def others(self) -> list[Sample]:
        """Other works with defects, if the share that it overlooks may as well lie on the other side of the limit."""
        low, high = self.overlooks
        if not low <= MISSED <= high:
            return []
        batch, self.reserve = self.reserve[:BATCH], self.reserve[BATCH:]
        self.samples = [*self.samples, *batch]
        return batch


def broken(measures: Measures, name: str, times: float = 1.0) -> bool:
    """Whether a measure is too high: beyond so many times its limit."""
    value: float = getattr(measures, name)
    return value > MOST[name] * times + NEAR


def pairs(samples: Sequence[Sample], kinds: Sequence[Kind]) -> list[Sample]:
    """The samples of these kinds, and those that they have to score like."""
    twins = [sample for sample in samples if sample.kind in kinds]
    wanted = {sample.twin for sample in twins}
    return [*twins, *(sample for sample in samples if sample.id in wanted)]


def overlooked(samples: Sequence[Sample], answers: Sequence[Heard]) -> tuple[int, int]:
    """How many works with a defect most of its votes accept, and of how many."""
    told = by_sample(answers)
    shares = [share(one.accepted for one in told[s.id]) for s in samples if s.kind is Kind.DEFECT and s.id in told]
    return sum(accepted > 0.5 for accepted in shares), len(shares)


def by_sample(answers: Sequence[Heard]) -> Mapping[str, list[Heard]]:
    told: dict[str, list[Heard]] = defaultdict(list)
    for answer in answers:
        told[answer.sample].append(answer)
    return told


def interval(count: int, of: int) -> tuple[float, float]:
    """Between which shares the true one lies nine times of ten, by Wilson's score; any where nobody was asked."""
    if not of:
        return 0.0, 1.0
    seen, widening = count / of, SURE**2 / of
    centre = (seen + widening / 2) / (1 + widening)
    reach = SURE / (1 + widening) * sqrt(seen * (1 - seen) / of + widening / (4 * of))
    return centre - reach, centre + reach
