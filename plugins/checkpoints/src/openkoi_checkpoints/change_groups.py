"""Move groups of changed lines to where git shows them: down, or next to a change in the other text."""

from collections.abc import Sequence

from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(slots=True)
class ChangeGroup:
    """A possibly empty group of changed lines; there is one before each unchanged line, and one at the end."""

    flags: list[bool]
    start: int = 0
    end: int = 0

    def __post_init__(self) -> None:
        self.grow_down()

    def __bool__(self) -> bool:
        return self.end > self.start

    def grow_down(self) -> None:
        """Include the changed lines below."""
        while self.end < len(self.flags) and self.flags[self.end]:
            self.end += 1

    def grow_up(self) -> None:
        """Include the changed lines above."""
        while self.start > 0 and self.flags[self.start - 1]:
            self.start -= 1

    def go_to_next(self) -> bool:
        """Go to the group after the next unchanged line; return whether there is one."""
        if self.end == len(self.flags):
            return False
        self.start = self.end = self.end + 1
        self.grow_down()
        return True

    def go_to_previous(self) -> None:
        """Go to the group before the last unchanged line."""
        self.start = self.end = self.start - 1
        self.grow_up()

    def slide_up(self, lines: Sequence[str]) -> bool:
        """Move up by a line, and merge with a group there; return whether that was possible."""
        if self.start == 0 or lines[self.start - 1] != lines[self.end - 1]:
            return False
        self.start, self.end = self.start - 1, self.end - 1
        self.flags[self.start], self.flags[self.end] = True, False
        self.grow_up()
        return True

    def slide_down(self, lines: Sequence[str]) -> bool:
        """Move down by a line, and merge with a group there; return whether that was possible."""
        if self.end == len(self.flags) or lines[self.start] != lines[self.end]:
            return False
        self.flags[self.start], self.flags[self.end] = False, True
        self.start, self.end = self.start + 1, self.end + 1
        self.grow_down()
        return True


def slide_groups(lines: Sequence[str], flags: list[bool], other_flags: list[bool]) -> None:
    """Move all groups of one text; the groups of the other one stay."""
    group, other = ChangeGroup(flags), ChangeGroup(other_flags)
    while True:
        if group:
            slide_group(lines, group, other)
        if not group.go_to_next():
            return
        other.go_to_next()


def slide_group(lines: Sequence[str], group: ChangeGroup, other: ChangeGroup) -> None:
    """Move a group down as far as possible, then back up to the last change of the other text that it passed."""
    while True:
        size = group.end - group.start
        while group.slide_up(lines):
            other.go_to_previous()
        passed = bool(other)
        while group.slide_down(lines):
            other.go_to_next()
            passed = passed or bool(other)
        if size == group.end - group.start:
            break
    while passed and not other:
        group.slide_up(lines)
        other.go_to_previous()
