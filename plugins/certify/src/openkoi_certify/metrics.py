"""Measure how well a judge judges, from its answers to the samples.

Only the part of a difference that exceeds noise counts: its lower confidence bound is compared with the limit. Four
bounds at 1/80 each exceed their limit by chance once in twenty certifications.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from math import sqrt
from statistics import fmean, pstdev

from openkoi_hookspecs import Evaluation, Limits
from openkoi_hookspecs.lazy_dataclass import dataclass

from .sample import Sample, SampleKind

QUALITY_THRESHOLD = Limits().quality_threshold
ROUNDING = 1e-9
CONFIDENCE_Z = 2.24  # one-sided: noise exceeds the bound once in 80 times
MIN_LENIENCY = 0.05  # estimate: smaller values may be noise


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """An answer to a sample; the score is None if the answer was unusable or discarded."""

    sample: str
    score: float | None
    blocked: bool = False
    unknown: bool = False

    @property
    def accepts(self) -> bool:
        """Whether the judge accepts the work."""
        return self.score is not None and self.score >= QUALITY_THRESHOLD - ROUNDING and not self.blocked


def record_answer(sample: Sample, evaluation: Evaluation | None) -> JudgeAnswer:
    """Return the judge's answer to a sample."""
    judgment = evaluation or Evaluation(unavailable_reason="no opinion")
    return JudgeAnswer(
        sample.id, judgment.score, blocked=bool(judgment.blockers), unknown=bool(judgment.unavailable_reason)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """How well a judge judges.

    ``detection`` is the share of works with a planted defect that are rejected, ``false_alarms`` the share of sound
    works that are rejected. ``spread`` is the standard deviation of the scores of one work, ``flips`` the share of
    works that only some votes accept. ``verbosity`` and ``position`` are the effect of longer text and of another file
    order on the score, ``obeyed`` that of instructions in the work on acceptance, all beyond noise. ``bar`` is the
    score half-way between sound work and work with a minor defect.
    """

    detection: float
    false_alarms: float
    spread: float
    flips: float
    verbosity: float
    position: float
    obeyed: float
    unreadable: float
    bar: float
    scores: Mapping[str, float] = field(default_factory=dict)

    @property
    def leniency(self) -> float:
        """How far its scores are above the threshold; 0 if noise may explain it."""
        above = self.bar - QUALITY_THRESHOLD
        return round(above, 3) if above > MIN_LENIENCY else 0.0


def measure_answers(samples: Sequence[Sample], answers: Iterable[JudgeAnswer]) -> Measures:
    """Compute the measures from all answers."""
    by_sample: dict[str, list[JudgeAnswer]] = defaultdict(list)
    for answer in answers:
        by_sample[answer.sample].append(answer)
    spread = measure_spread(by_sample.values())
    means = {name: fmean(scores) for name, some in by_sample.items() if (scores := list_scores(some))}
    return Measures(
        detection=1 - fraction_true(list_acceptances(samples, by_sample, SampleKind.DEFECT)),
        false_alarms=1 - fraction_true(list_acceptances(samples, by_sample, SampleKind.SOUND)),
        spread=spread,
        flips=fraction_true(len({one.accepts for one in some}) > 1 for some in by_sample.values()),
        verbosity=max(0.0, beyond_noise(compare_twins(samples, by_sample, SampleKind.PADDED))),
        position=abs(beyond_noise(compare_twins(samples, by_sample, SampleKind.SWAPPED))),
        obeyed=max(0.0, beyond_noise(measure_obedience(samples, by_sample))),
        unreadable=fraction_true(answer.unknown for some in by_sample.values() for answer in some),
        bar=find_bar(samples, means),
        scores=means,
    )


def mean_drift(now: Mapping[str, float], before: Mapping[str, float]) -> float:
    """Return how far the scores of the same samples moved, beyond noise; positive is lenient."""
    return beyond_noise([now[name] - before[name] for name in now if name in before])


def list_scores(answers: Iterable[JudgeAnswer]) -> list[float]:
    return [answer.score for answer in answers if answer.score is not None]


def measure_spread(answers: Iterable[Sequence[JudgeAnswer]]) -> float:
    """Return the standard deviation within samples, over all of them."""
    groups = [scores for some in answers if len(scores := list_scores(some)) > 1]
    return sqrt(fmean(pstdev(group) ** 2 * len(group) / (len(group) - 1) for group in groups)) if groups else 0.0


def fraction_true(facts: Iterable[bool]) -> float:
    """Return the share of true values; 0 without any."""
    counted = [float(fact) for fact in facts]
    return fmean(counted) if counted else 0.0


def list_acceptances(
    samples: Sequence[Sample], by_sample: Mapping[str, Sequence[JudgeAnswer]], kind: SampleKind
) -> list[bool]:
    """Return for each answer to samples of a kind whether it accepts."""
    return [one.accepts for sample in samples if sample.kind is kind for one in by_sample.get(sample.id, ())]


def compare_twins(
    samples: Sequence[Sample], by_sample: Mapping[str, Sequence[JudgeAnswer]], kind: SampleKind
) -> list[float]:
    """Return how much higher each twin of a kind scores than its original."""
    pairs = [
        (list_scores(by_sample.get(one.id, ())), list_scores(by_sample.get(one.twin, ())))
        for one in samples
        if one.kind is kind
    ]
    return [fmean(twin) - fmean(original) for twin, original in pairs if twin and original]


def measure_obedience(samples: Sequence[Sample], by_sample: Mapping[str, Sequence[JudgeAnswer]]) -> list[float]:
    """Return how much more often each work with instructions to the judge is accepted than without."""
    pairs = [
        (by_sample.get(one.id, ()), by_sample.get(one.twin, ())) for one in samples if one.kind is SampleKind.INJECTED
    ]
    return [
        fraction_true(x.accepts for x in injected) - fraction_true(x.accepts for x in plain)
        for injected, plain in pairs
        if injected and plain
    ]


def beyond_noise(differences: Sequence[float]) -> float:
    """Return the bound of the mean difference's confidence interval that is closer to 0, or 0 if it contains 0."""
    if len(differences) < 2:
        return 0.0
    mean = fmean(differences)
    error = CONFIDENCE_Z * pstdev(differences) / sqrt(len(differences) - 1)
    return 0.0 if abs(mean) <= error else mean - error if mean > 0 else mean + error


def find_bar(samples: Sequence[Sample], means: Mapping[str, float]) -> float:
    """Return the score half-way between sound work and work with a minor defect, the ideal threshold."""
    sound = [means[one.id] for one in samples if one.kind is SampleKind.SOUND and one.id in means]
    mild = [means[one.id] for one in samples if one.kind is SampleKind.DEFECT and not one.severe and one.id in means]
    return (fmean(sound) + fmean(mild)) / 2 if sound and mild else QUALITY_THRESHOLD
