"""What is known of a line while it is examined: its concerns, and what its later commands may build on."""

import posixpath
from collections.abc import Iterable
from dataclasses import dataclass, field

from openkoi_hookspecs import Ask, Deny

from . import files
from .finding import Command, Concern, Finding
from .fresh_files import fresh_files
from .git_checkouts import Comparison, comparisons
from .git_repository import is_plain, written_settings
from .patterns import programs
from .places import judge_read, judge_write
from .policy import Policy
from .secret_files import may_hold_token
from .shell import Script
from .words import Word

# What may stand in a line beside git commands without writing anything itself.
BESIDE_GIT = frozenset({"git", "cd", "echo", "true", "pwd", "test", "[", "ls", "cat"})


@dataclass(slots=True)
class Record:
    """What is known of one line. ``fresh``: the files it has written so far, with their text where that is known.

    ``ran``: the commands so far; ``plainly``: only git runs, and sets only what it never runs;
    ``choices``: what variables that are set once may be; ``later``: a trap's line; ``versions``:
    the files that the line has written older versions to, with the paths that these belong to;
    ``may_hold_tokens``: files of the project that it reads and that may hold keys.
    """

    policy: Policy
    concerns: list[Concern] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    fresh: dict[str, str | None] = field(default_factory=dict)
    sourced: list[str] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    new_remote: bool = False
    searched: tuple[str, ...] = ()
    whole: str = ""
    commands: int = 0
    configures: list[str] = field(default_factory=list)
    plainly: bool = True
    compares: list[Comparison] = field(default_factory=list)
    ran: list[Command] = field(default_factory=list)
    choices: dict[str, tuple[Word, ...]] = field(default_factory=dict)
    later: bool = False
    versions: dict[str, str] = field(default_factory=dict)
    may_hold_tokens: list[str] = field(default_factory=list)

    def note(self, command: str, why: str, category: str, verdict: type[Ask] | type[Deny] = Ask) -> None:
        """Write a concern down."""
        self.concerns.append(Concern(verdict, command, why, category))

    def note_all(self, command: str, findings: Iterable[Finding]) -> None:
        """Write findings down."""
        for finding in findings:
            self.note(command, finding.why, finding.category, finding.verdict)

    def around(self, script: Script) -> None:
        """Examine what no program does: functions without end, and files that the shell opens."""
        for bomb in script.bombs:
            self.note(bomb, "calls itself without end", "destroying", Deny)
        self.writes += [target.text for target in script.written]
        self.may_hold_tokens += [one.text for one in script.read if may_hold_token(one.text)]
        opened = [(f"> {one.text}", judge_write(one)) for one in script.written]
        for text, findings in [*opened, *((f"< {one.text}", judge_read(one)) for one in script.read)]:
            self.note_all(text, findings)

    def remember(self, command: Command) -> None:
        """Keep in mind what later commands of the line may build on."""
        written = [posixpath.join(*self.folders, path) for path in written_settings(command)]
        self.configures += written
        self.plainly &= is_plain(command) if written else command.name in BESIDE_GIT
        self.compares += (
            one._replace(folder=posixpath.join(*self.folders, one.folder)) for one in comparisons(command)
        )
        self.ran.append(command)
        if command.name not in programs("looking"):
            self.may_hold_tokens += filter(may_hold_token, command.operands)
        if command.name in {"cd", "pushd"} and command.operands:
            self.folders.append(command.operands[0])
        if command.name == "git" and command.operands[:1] == ["remote"] and {"add", "set-url"} & set(command.operands):
            self.new_remote = True
        if files.may_write(command.name):
            self.writes += [target.text for target in files.targets(command)]
        if command.name == "ln" and len(command.operands) == 2:
            self.links[posixpath.normpath(command.operands[1])] = command.operands[0]
        self.fresh |= dict(fresh_files(command, self.fresh))
