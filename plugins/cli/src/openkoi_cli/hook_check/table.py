"""Format how hooks were called, and what they returned."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openkoi_hookspecs import HookActivity

HEADINGS = ("Plugin", "Hook", "At", "Calls", "Time", "Returned")
NOTHING = "nothing"


def format_activity(
    activity: "Sequence[HookActivity]", answers: Mapping[tuple[str, str], str], began: float
) -> list[str]:
    """Return the lines of a table; times are in seconds since ``began``."""
    rows = [HEADINGS, *(format_row(one, answers.get((one.hook, one.plugin), NOTHING), began) for one in activity)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def format_row(one: "HookActivity", answer: str, began: float) -> tuple[str, ...]:
    """Return the cells of one implementation."""
    if not one.calls:
        return one.plugin, one.hook, "never", "0", "", ""
    failed = f"failed {one.failures} times" if one.failures > 1 else "failed"
    return (
        one.plugin,
        one.hook,
        f"{max(0.0, one.last - began):.1f} s",
        str(one.calls),
        f"{one.seconds * 1000:.1f} ms",
        failed if one.failures else answer,
    )


def describe_answer(answer: object) -> str:
    """Describe what an implementation returned."""
    from openkoi_hookspecs import Ask, Deny, Section

    if isinstance(answer, Sequence) and not isinstance(answer, str):
        sections = [one for one in answer if isinstance(one, Section)]
        text = count_items(answer)
        return f"{text}, {sum(len(one.text) for one in sections):,} characters" if sections else text
    kind = type(answer).__name__
    return f"{kind}: {answer.reason}" if isinstance(answer, (Ask, Deny)) else kind


def count_items(answer: Sequence[object]) -> str:
    """Return the number of items with the name of their kind."""
    if not answer:
        return "an empty list"
    kind = type(answer[0]).__name__.lower()
    return f"1 {kind}" if len(answer) == 1 else f"{len(answer)} {kind}s"
