"""What is said where no judge was asked, and where not everybody had the time. Pure."""

from dataclasses import replace
from pathlib import Path

import pytest

from openkoi_evaluate.alone import in_doubt, in_time, nobody_asked
from openkoi_evaluate.session import place_of
from openkoi_evaluate.verdict import Verdict
from openkoi_hookspecs import Check, Evaluation, Spend

WHY = "No model is configured. Set a key."
GREEN = Evaluation(checks=(Check("test_depth", passed=True),))
CALLS = "judge could not judge: judge could not be asked: The task's limit of calls is reached."
SECONDS = "lint could not judge: lint could not be asked: The task's limit of seconds is reached."
SAID = ("The judge sees 10 of the 20 characters.", f"judge could not judge: {WHY}", CALLS, "lint was not run.")


def verdict(evaluation: Evaluation = GREEN, warnings: tuple[str, ...] = SAID, status: int = 0) -> Verdict:
    return Verdict(
        subject="pond", status=status, reason="score 1.00", quality=0.8, evaluation=evaluation, warnings=warnings
    )


@pytest.mark.parametrize(
    ("refused", "said"),
    [
        (True, "No judge was asked, because of --no-judge: the checks decide."),
        (False, f"No judge was asked: the checks decide. {WHY}"),
    ],
)
def test_one_plain_sentence_stands_for_all_that_was_said_of_asking(refused: bool, said: str) -> None:
    told = nobody_asked(verdict(), WHY, refused=refused)

    assert (0, ("lint was not run.", said)) == (told.status, told.warnings)


def test_where_a_model_could_be_asked_everything_stays_as_it_is() -> None:
    assert verdict() == nobody_asked(verdict(), "", refused=False)


def test_what_only_a_judge_could_judge_needs_one() -> None:
    unknown = verdict(Evaluation(unknown=WHY), status=3)

    needed, refused = (nobody_asked(unknown, WHY, refused=one) for one in (False, True))

    assert (9, ("lint was not run.",)) == (needed.status, needed.warnings)
    assert (3, "nothing in it can be checked, and no judge was asked") == (refused.status, refused.reason)


def test_what_could_not_be_checked_for_another_reason_says_so() -> None:
    unknown = Evaluation(unknown="its packages are not installed")

    told = nobody_asked(verdict(unknown, status=3), WHY, refused=False)

    assert (3, "score 1.00") == (told.status, told.reason)


@pytest.mark.parametrize(
    ("warnings", "calls", "doubtful"),
    [
        ((), 0, False),
        (("lint could not judge: ?",), 0, True),
        (("lint could not judge: ?",), 1, False),
        ((CALLS,), 0, False),
    ],
)
def test_a_model_is_looked_for_only_where_somebody_went_without(
    warnings: tuple[str, ...], calls: int, doubtful: bool
) -> None:
    assert doubtful is in_doubt(replace(verdict(warnings=warnings), spent=Spend(calls=calls)))


@pytest.mark.parametrize(
    ("evaluation", "status", "expected"),
    [(GREEN, 0, 5), (Evaluation(unknown="no time"), 9, 5), (GREEN, 3, 3)],
)
def test_nothing_is_accepted_that_somebody_had_no_time_to_judge(
    evaluation: Evaluation, status: int, expected: int
) -> None:
    assert expected == in_time(verdict(evaluation, (SECONDS,), status)).status


def test_a_copy_is_called_like_the_folder_and_those_around_it() -> None:
    names = [place_of(Path(path)).as_posix() for path in ("/home/koi/src/example.com/pond/errors", "/pond", "/")]

    assert ["example.com/pond/errors", "pond", "project"] == names
