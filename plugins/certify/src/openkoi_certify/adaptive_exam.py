"""Choose the samples to show a judge next while the result is uncertain.

With few works, chance decides: a judge that errs on a third of them may be asked about few of those, and noise can look
like bias. Questions therefore continue only where the result is uncertain, with other works or repeated ones.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import field
from math import sqrt
from statistics import fmean, pvariance

from openkoi_hookspecs.lazy_dataclass import dataclass

from .certificate import LIMITS
from .metrics import MIN_LENIENCY, QUALITY_THRESHOLD, JudgeAnswer, Measures, fraction_true, list_scores, measure_answers
from .sample import Sample, SampleKind

MAX_ROUNDS = 4  # estimate: the reserve is used up by then
BATCH_SIZE = 14  # samples a round; estimate
CONFIDENCE_Z = 1.645  # confidence of 90 %, two-sided
ROUNDING = 1e-9
CLEAR_FACTOR = 5.0  # a measure this many times above its limit needs no more samples; estimate
MAXIMUM_OF = {limit.measure: limit.maximum for limit in LIMITS}
MAX_MISSED, MAX_FALSE_ALARMS = MAXIMUM_OF["missed"], MAXIMUM_OF["false_alarms"]
SETTLED_MEASURES = ("spread", "unreadable")
WORKS = (SampleKind.SOUND, SampleKind.DEFECT)
TWINS = {"verbosity": SampleKind.PADDED, "position": SampleKind.SWAPPED, "obeyed": SampleKind.INJECTED}


@dataclass(slots=True)
class AdaptiveExam:
    """The samples shown so far, those in reserve, and the answers."""

    samples: list[Sample]
    reserve: list[Sample]
    answers: list[JudgeAnswer] = field(default_factory=list)
    rounds: int = 0

    def add_answers(self, answers: Sequence[JudgeAnswer]) -> None:
        """Add a round of answers."""
        self.answers += answers
        self.rounds += 1

    @property
    def measures(self) -> Measures:
        """The measures of all answers."""
        return measure_answers(self.samples, self.answers)

    def next_samples(self) -> list[Sample]:
        """Return the samples to show next: at first all, then those whose verdict is uncertain, if any."""
        if not self.rounds:
            return self.samples
        measures = self.measures
        if (
            self.rounds > MAX_ROUNDS
            or any(exceeds_limit(measures, name) for name in SETTLED_MEASURES)
            or self.is_unsound
        ):
            return []
        uncertain = [
            kind
            for name, kind in TWINS.items()
            if exceeds_limit(measures, name) and not exceeds_limit(measures, name, CLEAR_FACTOR)
        ]
        return drop_duplicates([*self.draw_works(), *self.draw_twins(uncertain)])

    @property
    def overlooks(self) -> tuple[float, float]:
        """The confidence interval of the share of defects that it overlooks."""
        return wilson_interval(*count_overlooked(self.samples, self.answers))

    @property
    def is_unsound(self) -> bool:
        """Whether it certainly overlooks too much or scores too high."""
        return self.overlooks[0] > MAX_MISSED or self.leniency[0] > MIN_LENIENCY

    @property
    def leniency(self) -> tuple[float, float]:
        """The confidence interval of how far its scores lie above the threshold."""
        return leniency_interval(self.samples, self.answers)

    @property
    def is_uncertain(self) -> bool:
        """Whether more works may change the verdict on overlooked defects or on rejected sound work."""
        low, high = self.overlooks
        alarmed = exceeds_limit(self.measures, "false_alarms")
        return low <= MAX_MISSED <= high or (
            alarmed and wilson_interval(*count_rejected(self.samples, self.answers))[0] <= MAX_FALSE_ALARMS
        )

    def draw_works(self) -> list[Sample]:
        """Draw more works; repeat the sound ones if it is uncertain whether the judge is lenient."""
        low, high = self.leniency
        lenient = low <= MIN_LENIENCY <= high
        again = [sample for sample in self.samples if sample.kind is SampleKind.SOUND] if lenient else []
        works = [sample for sample in self.reserve if sample.kind in WORKS] if self.is_uncertain or lenient else []
        return [*self.draw(works[:BATCH_SIZE]), *again]

    def draw_twins(self, kinds: Sequence[SampleKind]) -> list[Sample]:
        """Draw more twins of these kinds with their originals; repeat the present ones when used up."""
        fresh = [sample for sample in self.reserve if sample.kind in kinds]
        return self.draw(add_originals(self.reserve, kinds)) if fresh else add_originals(self.samples, kinds)

    def draw(self, some: Sequence[Sample]) -> list[Sample]:
        """Move samples from the reserve to those shown."""
        ids = {sample.id for sample in some}
        self.reserve = [sample for sample in self.reserve if sample.id not in ids]
        self.samples = [*self.samples, *some]
        return list(some)


def exceeds_limit(measures: Measures, name: str, times: float = 1.0) -> bool:
    """Return whether a measure exceeds its limit by a factor."""
    value: float = getattr(measures, name)
    return value > MAXIMUM_OF[name] * times + ROUNDING


def drop_duplicates(samples: Sequence[Sample]) -> list[Sample]:
    """Return each sample once."""
    return list({sample.id: sample for sample in samples}.values())


def add_originals(samples: Sequence[Sample], kinds: Sequence[SampleKind]) -> list[Sample]:
    """Return the twins of these kinds, and their originals."""
    twins = [sample for sample in samples if sample.kind in kinds]
    wanted = {sample.twin for sample in twins}
    return [*twins, *(sample for sample in samples if sample.id in wanted)]


def count_overlooked(samples: Sequence[Sample], answers: Sequence[JudgeAnswer]) -> tuple[int, int]:
    """Return how many works with a defect most votes accept, out of how many."""
    by_sample = group_by_sample(answers)
    shares = [
        fraction_true(one.accepts for one in by_sample[s.id])
        for s in samples
        if s.kind is SampleKind.DEFECT and s.id in by_sample
    ]
    return sum(accepted > 0.5 for accepted in shares), len(shares)


def count_rejected(samples: Sequence[Sample], answers: Sequence[JudgeAnswer]) -> tuple[int, int]:
    """Return how many answers reject sound work, out of how many."""
    by_sample = group_by_sample(answers)
    verdicts = [
        one.accepts for sample in samples if sample.kind is SampleKind.SOUND for one in by_sample.get(sample.id, ())
    ]
    return verdicts.count(False), len(verdicts)


def leniency_interval(samples: Sequence[Sample], answers: Sequence[JudgeAnswer]) -> tuple[float, float]:
    """Return the 90 % confidence interval of how far scores lie above the threshold."""
    by_sample = group_by_sample(answers)
    mild = [s for s in samples if s.kind is SampleKind.DEFECT and not s.severe]
    groups = [
        list_scores(answer for sample in some for answer in by_sample.get(sample.id, ()))
        for some in ([s for s in samples if s.kind is SampleKind.SOUND], mild)
    ]
    if any(len(scores) < 2 for scores in groups):
        return -1.0, 1.0
    distance = fmean(map(fmean, groups)) - QUALITY_THRESHOLD
    reach = CONFIDENCE_Z / 2 * sqrt(sum(pvariance(scores) / (len(scores) - 1) for scores in groups))
    return distance - reach, distance + reach


def group_by_sample(answers: Sequence[JudgeAnswer]) -> Mapping[str, list[JudgeAnswer]]:
    by_sample: dict[str, list[JudgeAnswer]] = defaultdict(list)
    for answer in answers:
        by_sample[answer.sample].append(answer)
    return by_sample


def wilson_interval(count: int, of: int) -> tuple[float, float]:
    """Return the 90 % confidence interval of a share (Wilson score), or 0 to 1 without answers."""
    if not of:
        return 0.0, 1.0
    seen, widening = count / of, CONFIDENCE_Z**2 / of
    centre = (seen + widening / 2) / (1 + widening)
    reach = CONFIDENCE_Z / (1 + widening) * sqrt(seen * (1 - seen) / of + widening / (4 * of))
    return centre - reach, centre + reach
