"""Re-indent a replacement to match the lines that were found."""

from collections.abc import Mapping, Sequence
from math import gcd

from .text_document import common_prefix_length

TAB_WIDTH = 4


def reindent(search: Sequence[str], replace: Sequence[str], found: Sequence[str]) -> list[str]:
    """Return the replacement's lines: unchanged ones are the file's own, the others are re-indented."""
    head = common_prefix_length(search, replace)
    tail = common_prefix_length(search[head:][::-1], replace[head:][::-1])
    shift = IndentShift.from_match(search, replace, found)
    moved = [shift.apply(line) for line in replace[head : len(replace) - tail]]
    return [*found[:head], *moved, *found[len(found) - tail :]]


class IndentShift:
    """Map indentations of the search text to those of the file."""

    def __init__(self, known: Mapping[str, str], step: int) -> None:
        self.known = known
        self.step = step
        self.tabs = any("\t" in indent for indent in known.values())

    @classmethod
    def from_match(cls, search: Sequence[str], replace: Sequence[str], found: Sequence[str]) -> "IndentShift":
        """Learn the shift from the lines that were matched."""
        pairs = [
            (leading_space(mine), leading_space(theirs))
            for mine, theirs in zip(search, found, strict=False)
            if mine.strip()
        ]
        step = gcd(*(len(leading_space(line)) for line in (*search, *replace) if line.strip()))
        return cls(dict(reversed(pairs)), step or TAB_WIDTH)

    def apply(self, line: str) -> str:
        """Return a line with its new indentation; an empty line stays as it is."""
        mine = leading_space(line)
        return self.target_indent(mine) + line[len(mine) :] if line.strip() else line

    def target_indent(self, mine: str) -> str:
        """Return the file's indentation for one of the replacement's."""
        if mine in self.known:
            return self.known[mine]
        bases = [base for base in self.known if mine.startswith(base)]
        if bases:
            base = max(bases, key=len)
            return self.known[base] + self.convert_extra(mine[len(base) :])
        return self.shallower_indent(mine)

    def convert_extra(self, extra: str) -> str:
        """Return a deeper indentation in the file's characters."""
        if self.tabs:
            return "\t" * -(-len(extra.expandtabs(self.step)) // self.step)
        return extra.expandtabs(TAB_WIDTH) if any(self.known.values()) else extra

    def shallower_indent(self, mine: str) -> str:
        """Return an indentation outside the range of the matched ones."""
        nearest = min(self.known, key=len)
        missing = len(nearest) - len(mine)
        cut = -(-missing // self.step) if self.tabs else missing
        theirs = self.known[nearest]
        return theirs[: max(0, len(theirs) - cut)]


def leading_space(line: str) -> str:
    """Return a line's leading white space."""
    return line[: len(line) - len(line.lstrip())]
