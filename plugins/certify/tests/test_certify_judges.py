"""Test that certificates distinguish honest judges from biased, bribed, lying, wordy and drifting ones."""

from collections import Counter
from dataclasses import replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from random import Random

import pytest

from openkoi_certify import Sample, SampleKind, make_samples
from openkoi_certify.adaptive_exam import AdaptiveExam, wilson_interval
from openkoi_certify.certificate import (
    Certificate,
    find_previous,
    load_certificates,
    measure_drift,
    parse_certificate,
    save_certificate,
)
from openkoi_certify.golden_set import FOLDER, read_set
from openkoi_certify.metrics import JudgeAnswer, measure_answers
from openkoi_certify.sample import make_reserve_samples

SETS = sorted(file.stem for file in FOLDER.glob("*.toml"))


@cache
def samples(name: str) -> tuple[list[Sample], list[Sample]]:
    """The samples of a set, and those in reserve."""
    golden = read_set(FOLDER / f"{name}.toml")
    return make_samples(golden, ["correctness"]), make_reserve_samples(golden, ["correctness"])


USUAL = "code-review"
SAMPLES, _ = samples(USUAL)
SOUND, MILD, GRAVE, NOISE = 0.95, 0.70, 0.35, 0.07


class Judge(StrEnum):
    """The character of a judge."""

    HONEST = "honest"
    BIASED = "biased"
    BRIBED = "bribed"
    LYING = "lying"
    DRIFTING = "drifting"


def says(judge: Judge, sample: Sample, seed: int, vote: int, later: bool) -> float:
    """The judge's score for a sample: its quality, noise, and the judge's flaw."""
    if judge is Judge.BRIBED and sample.kind is SampleKind.INJECTED:
        return 1.0
    value = GRAVE if sample.severe else SOUND if "/sound" in sample.id else MILD
    if judge is Judge.LYING and Random(f"{seed}/{sample.id}").random() < 1 / 3:
        value = SOUND
    bias = {Judge.BIASED: 0.08, Judge.DRIFTING: 0.06 * later}.get(judge, 0.0)
    noise = Random(f"{seed}/{later}/{sample.id}/{vote}").gauss(0, NOISE)
    return round(min(1.0, max(0.0, value + bias + noise)), 3)


def examined(judge: Judge, seed: int, later: bool = False, name: str = USUAL) -> AdaptiveExam:
    """The judge's answers, three votes each, while it is asked."""
    examination, times = AdaptiveExam(*samples(name)), Counter[str]()
    while shown := examination.next_samples():
        answers = []
        for sample in shown * 3:
            answers.append(JudgeAnswer(sample.id, says(judge, sample, seed, times[sample.id], later)))
            times[sample.id] += 1
        examination.add_answers(answers)
    return examination


def certificate(judge: Judge, seed: int, later: bool = False, name: str = USUAL) -> Certificate:
    """The measures of its answers."""
    measures = examined(judge, seed, later, name).measures
    return Certificate("r", "s", "m", golden=name, at="2026-02" if later else "2026-01", votes=3, measures=measures)


def later(judge: Judge, seed: int, name: str = USUAL) -> Certificate:
    """Its second certificate, with the first one to compare it with."""
    first, second = certificate(judge, seed, name=name), certificate(judge, seed, later=True, name=name)
    return replace(second, drift=measure_drift(second, find_previous([first], second)))


@pytest.mark.parametrize("name", SETS)
def test_the_reserve_is_made_of_other_samples_than_those_shown_at_first(name: str) -> None:
    shown, reserve = ({sample.id for sample in some} for some in samples(name))

    assert not shown & reserve
    assert len(samples(name)[1]) == len(reserve)


@pytest.mark.parametrize("name", SETS)
def test_each_set_tells_the_liar_from_the_honest(name: str) -> None:
    assert certificate(Judge.HONEST, 1, name=name).is_passed
    assert not certificate(Judge.LYING, 1, name=name).is_passed


@pytest.mark.parametrize("judge", list(Judge))
def test_a_bad_judge_is_flagged_and_an_honest_one_is_not(judge: Judge) -> None:
    assert (judge is Judge.HONEST) is later(judge, seed=1).is_passed


@pytest.mark.parametrize(
    ("judge", "words"),
    [
        (Judge.BIASED, "too high for the quality threshold"),
        (Judge.BRIBED, "when the work asks it to"),
        (Judge.LYING, "with a planted defect"),
        (Judge.DRIFTING, "since its last certificate"),
    ],
)
def test_the_reason_says_what_is_wrong_with_it(judge: Judge, words: str) -> None:
    assert words in " ".join(later(judge, seed=1).reasons)


def test_longer_words_that_raise_the_score_are_seen() -> None:
    answers = [
        JudgeAnswer(s.id, says(Judge.HONEST, s, 3, vote, False) + 0.1 * (s.kind is SampleKind.PADDED))
        for vote in range(3)
        for s in SAMPLES
    ]

    assert measure_answers(SAMPLES, answers).verbosity > 0.01


def test_how_lenient_a_judge_is_can_be_taken_off_its_scores() -> None:
    assert 0.06 < certificate(Judge.BIASED, 1).measures.leniency < 0.11
    assert 0.0 == certificate(Judge.HONEST, 1).measures.leniency


def test_a_certificate_is_read_as_it_was_written(tmp_path: Path) -> None:
    certificate = later(Judge.DRIFTING, 1)
    save_certificate(tmp_path, certificate)
    (tmp_path / "r" / "damaged.json").write_text("{", encoding="utf-8")

    (read,) = load_certificates(tmp_path, "r")

    assert certificate.reasons == read.reasons
    assert certificate.stamp == read.stamp
    assert parse_certificate(save_certificate(tmp_path, read).read_text(encoding="utf-8")) == read


def test_drift_is_measured_from_the_last_one_that_was_passed() -> None:
    good, bad = certificate(Judge.HONEST, 1), certificate(Judge.BIASED, 1)

    assert good == find_previous([good, bad], certificate(Judge.HONEST, 1, later=True))


FEW_LIES, ODD = 110, 25


def test_a_liar_that_happened_to_be_asked_about_few_of_its_lies_is_asked_on_and_flagged() -> None:
    once = AdaptiveExam(SAMPLES, [])
    once.add_answers(
        [JudgeAnswer(s.id, says(Judge.LYING, s, FEW_LIES, vote, True)) for vote in range(3) for s in SAMPLES]
    )
    exam = examined(Judge.LYING, FEW_LIES, later=True)

    assert once.measures.detection > 0.85 > exam.measures.detection
    assert len(SAMPLES) < len(exam.samples)
    assert not later(Judge.LYING, FEW_LIES).is_passed


def test_an_honest_judge_with_an_odd_answer_is_asked_on_and_passes() -> None:
    once = AdaptiveExam(SAMPLES, [])
    once.add_answers([JudgeAnswer(s.id, says(Judge.HONEST, s, ODD, vote, True)) for vote in range(3) for s in SAMPLES])

    assert once.measures.position > 0.01
    assert later(Judge.HONEST, ODD).is_passed


@pytest.mark.parametrize("judge", list(Judge))
def test_nobody_is_asked_without_end(judge: Judge) -> None:
    assert examined(judge, seed=2).rounds <= 5


def test_who_is_lenient_beyond_doubt_is_not_asked_on() -> None:
    assert 1 == examined(Judge.BIASED, seed=1).rounds


@pytest.mark.parametrize(("count", "of", "doubt"), [(0, 18, False), (1, 18, True), (4, 18, True), (9, 18, False)])
def test_few_works_leave_a_doubt_unless_they_speak_plainly(count: int, of: int, doubt: bool) -> None:
    low, high = wilson_interval(count, of)

    assert doubt is (low <= 0.15 <= high)
    assert (0.0, 1.0) == wilson_interval(0, 0)


@pytest.mark.campaign
def test_campaign_of_certificates(capsys: pytest.CaptureFixture[str]) -> None:
    flagged = {judge: sum(not later(judge, seed).is_passed for seed in range(200)) / 200 for judge in Judge}
    asked = {judge: sum(len(examined(judge, seed).answers) for seed in range(20)) / 20 for judge in Judge}

    with capsys.disabled():
        for judge, share in flagged.items():
            print(f"\n{judge:10} flagged {share:.1%}, answers on average {asked[judge]:.0f}", end="")
    assert flagged.pop(Judge.HONEST) <= 0.04
    assert {1.0} == set(flagged.values())


def missed(judge: Judge, name: str, seeds: range) -> int:
    """Return for how many seeds the verdict on a judge is wrong."""
    return sum(later(judge, seed, name).is_passed is not (judge is Judge.HONEST) for seed in seeds)


@pytest.mark.campaign
def test_campaign_of_the_six_sets(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = {(name, judge): missed(judge, name, range(60)) for name in SETS for judge in Judge}

    with capsys.disabled():
        for name in SETS:
            counts = "  ".join(f"{judge} {wrong[name, judge]}" for judge in Judge)
            print(f"\n{name:14} wrong verdicts of 60: {counts}", end="")
    assert max(wrong[name, Judge.HONEST] for name in SETS) <= 2
    assert sum(wrong[name, Judge.LYING] for name in SETS) <= 1
    assert not any(wrong[name, judge] for name in SETS for judge in (Judge.BIASED, Judge.BRIBED, Judge.DRIFTING))
