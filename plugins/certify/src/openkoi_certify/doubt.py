"""Choose what to ask a judge next while its verdict is uncertain.

With few works, chance decides: a judge that errs on a third of them may be asked about few of those, and noise can look
like bias. Questions therefore continue only where the result is uncertain, with other works or repeated ones.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean, pvariance

from .certificate import LIMITS
from .measures import LEAST_LENIENCY, QUALITY, JudgeAnswer, Measures, measure_answers, scores_of, share
from .sample import Sample, SampleKind

ROUNDS = 4
BATCH = 14
SURE = 1.645
NEAR = 1e-9
PLAIN = 5.0
MOST = {limit.measure: limit.most for limit in LIMITS}
MISSED, ALARMS = MOST["missed"], MOST["false_alarms"]
CERTAIN = ("spread", "unreadable")
WORKS = (SampleKind.SOUND, SampleKind.DEFECT)
TWINS = {"verbosity": SampleKind.PADDED, "position": SampleKind.SWAPPED, "obeyed": SampleKind.INJECTED}


@dataclass(slots=True)
class AdaptiveExam:
    """Samples, those in reserve, and what was answered so far."""

    samples: list[Sample]
    reserve: list[Sample]
    answers: list[JudgeAnswer] = field(default_factory=list)
    rounds: int = 0

    def take(self, answers: Sequence[JudgeAnswer]) -> None:
        """Take answers in."""
        self.answers += answers
        self.rounds += 1

    @property
    def measures(self) -> Measures:
        """What they come to."""
        return measure_answers(self.samples, self.answers)

    def next(self) -> list[Sample]:
        """What to show now: all at first, then what the doubt is about; nothing when there is none, or it is enough."""
        if not self.rounds:
            return self.samples
        measures = self.measures
        if self.rounds > ROUNDS or any(broken(measures, name) for name in CERTAIN) or self.unsound:
            return []
        doubtful = [
            kind for name, kind in TWINS.items() if broken(measures, name) and not broken(measures, name, PLAIN)
        ]
        return one_each([*self.others(), *self.twins(doubtful)])

    @property
    def overlooks(self) -> tuple[float, float]:
        """Between which shares of the defects those lie that it overlooks."""
        return interval(*count_overlooked(self.samples, self.answers))

    @property
    def unsound(self) -> bool:
        """Whether it is beyond doubt that it overlooks too much, or that its scores are too high."""
        return self.overlooks[0] > MISSED or self.above[0] > LEAST_LENIENCY

    @property
    def above(self) -> tuple[float, float]:
        """Between which distances its scores lie above what the threshold takes them for."""
        return above(self.samples, self.answers)

    @property
    def wavering(self) -> bool:
        """Whether other works may turn the verdict on what it overlooks, or on the sound work that it rejects."""
        low, high = self.overlooks
        alarmed = broken(self.measures, "false_alarms")
        return low <= MISSED <= high or (alarmed and interval(*count_rejected(self.samples, self.answers))[0] <= ALARMS)

    def others(self) -> list[Sample]:
        """Other works, with defects and without; the sound ones again as well when it may be lenient or not."""
        low, high = self.above
        lenient = low <= LEAST_LENIENCY <= high
        again = [sample for sample in self.samples if sample.kind is SampleKind.SOUND] if lenient else []
        works = [sample for sample in self.reserve if sample.kind in WORKS] if self.wavering or lenient else []
        return [*self.drawn(works[:BATCH]), *again]

    def twins(self, kinds: Sequence[SampleKind]) -> list[Sample]:
        """Other twins of these kinds, and what they have to score like; the same ones again where there are none."""
        fresh = [sample for sample in self.reserve if sample.kind in kinds]
        return self.drawn(pairs(self.reserve, kinds)) if fresh else pairs(self.samples, kinds)

    def drawn(self, some: Sequence[Sample]) -> list[Sample]:
        """Take these from the reserve to those that are shown."""
        ids = {sample.id for sample in some}
        self.reserve = [sample for sample in self.reserve if sample.id not in ids]
        self.samples = [*self.samples, *some]
        return list(some)


def broken(measures: Measures, name: str, times: float = 1.0) -> bool:
    """Whether a measure is too high: beyond so many times its limit."""
    value: float = getattr(measures, name)
    return value > MOST[name] * times + NEAR


def one_each(samples: Sequence[Sample]) -> list[Sample]:
    """Each of them once."""
    return list({sample.id: sample for sample in samples}.values())


def pairs(samples: Sequence[Sample], kinds: Sequence[SampleKind]) -> list[Sample]:
    """The samples of these kinds, and those that they have to score like."""
    twins = [sample for sample in samples if sample.kind in kinds]
    wanted = {sample.twin for sample in twins}
    return [*twins, *(sample for sample in samples if sample.id in wanted)]


def count_overlooked(samples: Sequence[Sample], answers: Sequence[JudgeAnswer]) -> tuple[int, int]:
    """How many works with a defect most of its votes accept, and of how many."""
    told = by_sample(answers)
    shares = [
        share(one.accepted for one in told[s.id]) for s in samples if s.kind is SampleKind.DEFECT and s.id in told
    ]
    return sum(accepted > 0.5 for accepted in shares), len(shares)


def count_rejected(samples: Sequence[Sample], answers: Sequence[JudgeAnswer]) -> tuple[int, int]:
    """How many answers to sound work reject it, and of how many."""
    told = by_sample(answers)
    verdicts = [
        one.accepted for sample in samples if sample.kind is SampleKind.SOUND for one in told.get(sample.id, ())
    ]
    return verdicts.count(False), len(verdicts)


def above(samples: Sequence[Sample], answers: Sequence[JudgeAnswer]) -> tuple[float, float]:
    """Between which distances its scores lie nine times of ten above what the threshold takes them for."""
    told = by_sample(answers)
    mild = [s for s in samples if s.kind is SampleKind.DEFECT and not s.grave]
    groups = [
        scores_of(answer for sample in some for answer in told.get(sample.id, ()))
        for some in ([s for s in samples if s.kind is SampleKind.SOUND], mild)
    ]
    if any(len(scores) < 2 for scores in groups):
        return -1.0, 1.0
    distance = fmean(map(fmean, groups)) - QUALITY
    reach = SURE / 2 * sqrt(sum(pvariance(scores) / (len(scores) - 1) for scores in groups))
    return distance - reach, distance + reach


def by_sample(answers: Sequence[JudgeAnswer]) -> Mapping[str, list[JudgeAnswer]]:
    told: dict[str, list[JudgeAnswer]] = defaultdict(list)
    for answer in answers:
        told[answer.sample].append(answer)
    return told


def interval(count: int, of: int) -> tuple[float, float]:
    """Return the 90 % confidence interval of a share (Wilson score), or 0 to 1 without answers."""
    if not of:
        return 0.0, 1.0
    seen, widening = count / of, SURE**2 / of
    centre = (seen + widening / 2) / (1 + widening)
    reach = SURE / (1 + widening) * sqrt(seen * (1 - seen) / of + widening / (4 * of))
    return centre - reach, centre + reach
