"""Test that the gym reports the first applicable cause for a wrong subject."""

import pytest
from learning_gym.causes import CAUSES, CauseCounter, format_causes

from openkoi_testing.gym.generator import DrawnWorld
from openkoi_testing.gym.learners import KnownItem, Memory
from openkoi_testing.gym.world import Claim, GymTask

pytestmark = pytest.mark.unit

TRUTH = DrawnWorld(3).truth
FACT = TRUTH.facts[0]
TASK = GymTask("project0", "Fix it")
RIGHT = Claim(FACT.key, TRUTH.right("project0", FACT.key))
WRONG = next(value for value in FACT.values if value != RIGHT.value)
GOOD_LINE, BAD_LINE = (TRUTH.advise(FACT.key, value) for value in (RIGHT.value, WRONG))


def known(text: str, *, live: bool = True, held_out: bool = False) -> Memory:
    """The knowledge of a learner with one item."""
    return Memory([KnownItem("project0", text, live=live)], [text] if held_out else [])


@pytest.mark.parametrize(
    ("cause", "shown", "memory", "observed"),
    [
        ("never observed", [], Memory(), set()),
        ("observed, not an entry", [], known(BAD_LINE), {RIGHT}),
        ("an entry, archived", [], known(GOOD_LINE, live=False), {RIGHT}),
        ("an entry, held out", [], known(GOOD_LINE, held_out=True), {RIGHT}),
        ("an entry, not selected", [], known(GOOD_LINE), {RIGHT}),
        ("a wrong line shown", [BAD_LINE], known(GOOD_LINE), {RIGHT}),
        ("right and wrong lines shown", [BAD_LINE, GOOD_LINE], Memory(), set()),
        ("right line shown, not obeyed", [GOOD_LINE], Memory(), set()),
    ],
)
def test_the_first_cause_that_applies_is_named(
    cause: str, shown: list[str], memory: Memory, observed: set[Claim]
) -> None:
    counter = CauseCounter(TRUTH)
    counter.observed["project0"] |= observed

    assert cause == counter.cause(RIGHT, TASK, shown, memory)


def test_shares_are_of_all_that_was_needed() -> None:
    counter = CauseCounter(TRUTH)
    counter.needed = 8
    counter.counts.update({CAUSES[0]: 1, CAUSES[7]: 2})
    lines = format_causes({"ours": [counter]}).splitlines()

    assert ["0.125", "0.250", "0.375"] == [line.split()[-1] for line in (lines[1], lines[8], lines[9])]
