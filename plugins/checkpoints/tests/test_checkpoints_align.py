"""Test that any two texts are aligned correctly, and fast enough."""

import time

from hypothesis import given
from hypothesis import strategies as st

from openkoi_checkpoints.line_matcher import LineMatcher

TEXT = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "only here", "only there"]), max_size=25)


@given(TEXT, TEXT)
def test_the_steps_lead_from_old_to_new(old: list[str], new: list[str]) -> None:
    steps = LineMatcher(old, new).get_opcodes()

    assert new == [line for tag, a, b, c, d in steps for line in (old[a:b] if tag == "equal" else new[c:d])]
    assert old == [line for _, a, b, _, _ in steps for line in old[a:b]]


def test_a_long_text_takes_seconds_not_minutes() -> None:
    old = [f"{n}\n" for n in range(20_000)]
    new = [line if n % 2 else f"new {line}" for n, line in enumerate(old)]
    start = time.monotonic()

    changed = [step for step in LineMatcher(old, new).get_opcodes() if step[0] != "equal"]

    assert 10_000 == len(changed)
    assert 20 > time.monotonic() - start
