"""Match files by a pattern such as ``*.py``, ``src/**/*.{ts,tsx}`` or ``!tests``, as in ignore files."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from openkoi_hookspecs import ToolError
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .ignore_files import compile_rules, is_valid_pattern

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

BRACES = lazy_pattern(r"\{([^{}]*)\}")
MAX_ALTERNATIVES = 64


@dataclass(frozen=True)
class GlobPattern:
    """Match by a pattern; an empty one matches every file, one that begins with ``!`` matches all others."""

    pattern: str

    def matches(self, path: str) -> bool:
        """Return whether a path, relative to the workspace, matches."""
        return not self.pattern or self.spec.match_file(path) != self.excludes

    @property
    def excludes(self) -> bool:
        """Whether the pattern excludes what it matches."""
        return self.pattern.startswith("!")

    @property
    def alternatives(self) -> list[str]:
        """The patterns without braces, one for each alternative."""
        return expand_braces(self.pattern.removeprefix("!").removeprefix("./"))

    @cached_property
    def spec(self) -> "GitIgnoreSpec":
        """The compiled pattern; raise ToolError if it is invalid."""
        if not all(is_valid_pattern(one) for one in self.alternatives):
            raise ToolError(f"The glob {self.pattern[:100]!r} is not valid. Write one such as *.py or src/**/*.ts.")
        return compile_rules(self.alternatives)


def expand_braces(pattern: str) -> list[str]:
    """Expand the alternatives in braces, the innermost and first of them first."""
    waiting = [pattern]
    done: list[str] = []
    while waiting and len(waiting) + len(done) < MAX_ALTERNATIVES:
        one = waiting.pop()
        found = BRACES.search(one)
        if found:
            waiting += [f"{one[: found.start()]}{inner}{one[found.end() :]}" for inner in found[1].split(",")]
        else:
            done.append(one)
    return [*done, *waiting]
