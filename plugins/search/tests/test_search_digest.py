"""Test the summary of a finished task."""

import pytest

from openkoi_hookspecs import Cost, Decision, Finding, NextAction
from openkoi_hookspecs.events import RunCompleted
from openkoi_search.task_summary import summarize_task

pytestmark = pytest.mark.unit


def ended(decision: NextAction, iterations: int = 3) -> RunCompleted:
    """Return the end of a run."""
    return RunCompleted(Decision(decision, ""), Cost(), iterations=iterations)


def test_a_digest_says_how_it_went_and_what_was_fixed() -> None:
    fixed = [Finding("Off by one", where="a.py:3", fix="Start at zero.")]

    assert (
        "Count the fish\nAccepted after 3 iterations with a score of 0.91.\n"
        "Fixed during the task: Off by one (a.py:3): Start at zero."
    ) == summarize_task("Count the fish", ended(NextAction.ACCEPT), 0.914, fixed)


@pytest.mark.parametrize("decision", list(NextAction))
def test_every_end_has_its_words(decision: NextAction) -> None:
    assert "after 1 iteration." in summarize_task("x", ended(decision, 1), None, [])


def test_a_digest_stays_short() -> None:
    findings = [Finding("t" * 400, fix="f" * 400)] * 30

    assert 1_700 > len(summarize_task("word " * 10_000, ended(NextAction.ACCEPT_BEST), 0.5, findings))
