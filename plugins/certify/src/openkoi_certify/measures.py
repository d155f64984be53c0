"""What a judge's answers to the samples tell of it. Pure: knows samples and scores; knows no models and no files.

A difference counts only as far as it is larger than noise can make it: its lower bound is held against the limit. As
there are four of them, each bound is one that chance passes once in eighty times: all together once in twenty.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean, pstdev

from openkoi_hookspecs import Evaluation, Limits

from .sample import Sample, SampleKind

QUALITY = Limits().quality_threshold
NEAR = 1e-9
SURE = 2.24
LEAST_LENIENCY = 0.05


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """One answer to one sample; no score where the judge's answer could not be used, or was not taken."""

    sample: str
    score: float | None
    blocked: bool = False
    unknown: bool = False

    @property
    def accepted(self) -> bool:
        """Whether the work would pass with it."""
        return self.score is not None and self.score >= QUALITY - NEAR and not self.blocked


def record_answer(sample: Sample, evaluation: Evaluation | None) -> JudgeAnswer:
    """Note what was answered."""
    said = evaluation or Evaluation(unavailable_reason="no opinion")
    return JudgeAnswer(sample.id, said.score, blocked=bool(said.blockers), unknown=bool(said.unavailable_reason))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """How well a judge judges.

    ``detection`` is the share of planted defects that keep work from being accepted, ``false_alarms`` the share of
    sound works that are not accepted. ``spread`` is the standard deviation of the scores of one work, ``flips`` the
    share of works that some votes accept and others do not. ``verbosity`` and ``position`` are what longer words and
    another order of the files do to the score, beyond noise; ``obeyed`` is how much oftener defects are accepted
    because the work says so, beyond noise as well. ``bar`` is the score half-way between sound work and work that
    is not quite so.
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
        """How much higher its scores are than the threshold takes them for; nought where noise may explain it."""
        above = self.bar - QUALITY
        return round(above, 3) if above > LEAST_LENIENCY else 0.0


def measure_answers(samples: Sequence[Sample], answers: Iterable[JudgeAnswer]) -> Measures:
    """Sum up all answers."""
    told: dict[str, list[JudgeAnswer]] = defaultdict(list)
    for answer in answers:
        told[answer.sample].append(answer)
    spread = spread_of(told.values())
    means = {id: fmean(scores) for id, some in told.items() if (scores := scores_of(some))}
    return Measures(
        detection=1 - share(acceptances(samples, told, SampleKind.DEFECT)),
        false_alarms=1 - share(acceptances(samples, told, SampleKind.SOUND)),
        spread=spread,
        flips=share(len({one.accepted for one in some}) > 1 for some in told.values()),
        verbosity=max(0.0, beyond_noise(rises(samples, told, SampleKind.PADDED))),
        position=abs(beyond_noise(rises(samples, told, SampleKind.SWAPPED))),
        obeyed=max(0.0, beyond_noise(influence_of_text(samples, told))),
        unreadable=share(answer.unknown for some in told.values() for answer in some),
        bar=bar_of(samples, means),
        scores=means,
    )


def drift_of(now: Mapping[str, float], before: Mapping[str, float]) -> float:
    """How far the scores of the same samples have moved, beyond noise; upwards is lenient."""
    return beyond_noise([now[id] - before[id] for id in now if id in before])


def scores_of(answers: Iterable[JudgeAnswer]) -> list[float]:
    return [answer.score for answer in answers if answer.score is not None]


def spread_of(told: Iterable[Sequence[JudgeAnswer]]) -> float:
    """The standard deviation within one sample, over all of them."""
    groups = [scores for some in told if len(scores := scores_of(some)) > 1]
    return sqrt(fmean(pstdev(group) ** 2 * len(group) / (len(group) - 1) for group in groups)) if groups else 0.0


def share(facts: Iterable[bool]) -> float:
    """How many of them hold; none where there are none."""
    counted = [float(fact) for fact in facts]
    return fmean(counted) if counted else 0.0


def acceptances(samples: Sequence[Sample], told: Mapping[str, Sequence[JudgeAnswer]], kind: SampleKind) -> list[bool]:
    """For each answer to a sample of this kind, whether it accepts."""
    return [one.accepted for sample in samples if sample.kind is kind for one in told.get(sample.id, ())]


def rises(samples: Sequence[Sample], told: Mapping[str, Sequence[JudgeAnswer]], kind: SampleKind) -> list[float]:
    """How much higher each twin of this kind scores than its original."""
    pairs = [
        (scores_of(told.get(one.id, ())), scores_of(told.get(one.twin, ()))) for one in samples if one.kind is kind
    ]
    return [fmean(twin) - fmean(original) for twin, original in pairs if twin and original]


def influence_of_text(samples: Sequence[Sample], told: Mapping[str, Sequence[JudgeAnswer]]) -> list[float]:
    """How much oftener each work that speaks to its judge is accepted than the same work without these words."""
    pairs = [(told.get(one.id, ()), told.get(one.twin, ())) for one in samples if one.kind is SampleKind.INJECTED]
    return [
        share(x.accepted for x in told) - share(x.accepted for x in plain) for told, plain in pairs if told and plain
    ]


def beyond_noise(differences: Sequence[float]) -> float:
    """The part of a mean difference that chance does not explain: its bound that is nearer to nought, or nought."""
    if len(differences) < 2:
        return 0.0
    mean = fmean(differences)
    error = SURE * pstdev(differences) / sqrt(len(differences) - 1)
    return 0.0 if abs(mean) <= error else mean - error if mean > 0 else mean + error


def bar_of(samples: Sequence[Sample], means: Mapping[str, float]) -> float:
    """The score half-way between sound work and work whose defect is not grave: where the threshold should be."""
    sound = [means[one.id] for one in samples if one.kind is SampleKind.SOUND and one.id in means]
    mild = [means[one.id] for one in samples if one.kind is SampleKind.DEFECT and not one.grave and one.id in means]
    return (fmean(sound) + fmean(mild)) / 2 if sound and mild else QUALITY
