"""Which words of a line are neither options nor their values."""

from collections.abc import Iterator, Sequence

VALUED = (
    *("-m", "--model", "-i", "--iterate", "-q", "--quality", "--executor", "--evaluator", "--budget", "--format"),
    *("--record", "--replay", "--category", "--at", "--set", "--reason", "--answer", "--output", "--since", "--task"),
)


def first_bare(args: Sequence[str]) -> int | None:
    """Where the first word stands that is neither an option nor its value; None after ``--``."""
    return next(bare_places(args), None)


def bare_places(args: Sequence[str]) -> Iterator[int]:
    """Where the words stand that are neither options nor their values, up to ``--``."""
    skip = False
    for place, word in enumerate(args):
        if word == "--":
            return
        if skip or (word.startswith("-") and word != "-"):
            skip = not skip and word in VALUED
            continue
        yield place
