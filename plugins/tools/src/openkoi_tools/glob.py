"""Which files are meant by a pattern such as ``*.py``, ``src/**/*.{ts,tsx}`` or ``!tests``. As in ignore files."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from openkoi_hookspecs import ToolError

from .ignore import compiled, valid

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

BRACES = re.compile(r"\{([^{}]*)\}")
MOST_ALTERNATIVES = 64


@dataclass(frozen=True)
class Glob:
    """A pattern; an empty one takes every file, one that begins with ``!`` takes all but what it says."""

    pattern: str

    def takes(self, path: str) -> bool:
        """Tell whether a path, relative to the workspace, is meant."""
        return not self.pattern or self.spec.match_file(path) != self.excludes

    @property
    def excludes(self) -> bool:
        """Tell whether the pattern says what is not meant."""
        return self.pattern.startswith("!")

    @property
    def alternatives(self) -> list[str]:
        """The pattern without braces: one for each alternative in them."""
        return unbraced(self.pattern.removeprefix("!").removeprefix("./"))

    @cached_property
    def spec(self) -> "GitIgnoreSpec":
        """The compiled pattern; raises ToolError if it is none."""
        if not all(valid(one) for one in self.alternatives):
            raise ToolError(f"The glob {self.pattern[:100]!r} is not a pattern. Write one such as *.py or src/**/*.ts.")
        return compiled(self.alternatives)


def unbraced(pattern: str) -> list[str]:
    """Write out the alternatives in braces, the innermost and first of them first."""
    waiting = [pattern]
    done: list[str] = []
    while waiting and len(waiting) + len(done) < MOST_ALTERNATIVES:
        one = waiting.pop()
        found = BRACES.search(one)
        if found:
            waiting += [f"{one[: found.start()]}{inner}{one[found.end() :]}" for inner in found[1].split(",")]
        else:
            done.append(one)
    return [*done, *waiting]
