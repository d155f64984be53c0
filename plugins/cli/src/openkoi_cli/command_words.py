"""Find the words of a command line that are neither options nor option values."""

from collections.abc import Iterator, Sequence

OPTIONS_WITH_VALUE = (
    *("-m", "--model", "-i", "--iterate", "-q", "--quality", "--executor", "--evaluator", "--budget", "--format"),
    *("--record", "--replay", "--category", "--at", "--set", "--reason", "--answer", "--output", "--since", "--task"),
)


def find_first_word(args: Sequence[str]) -> int | None:
    """Return the index of the first such word; None after ``--``."""
    return next(find_words(args), None)


def find_words(args: Sequence[str]) -> Iterator[int]:
    """Yield the indexes of such words, up to ``--``."""
    skip = False
    for place, word in enumerate(args):
        if word == "--":
            return
        if skip or (word.startswith("-") and word != "-"):
            skip = not skip and word in OPTIONS_WITH_VALUE
            continue
        yield place
