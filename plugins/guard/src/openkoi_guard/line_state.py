"""Track what is known of a line during its analysis: its issues, and what later commands may depend on."""

import posixpath
from collections.abc import Iterable
from dataclasses import field

from openkoi_hookspecs import Ask, Deny
from openkoi_hookspecs.lazy_dataclass import dataclass

from . import files
from .command_rules import load_programs
from .git_checkouts import Comparison, list_comparisons
from .git_repository import is_plain, list_written_settings
from .issue import Danger, Invocation, Issue
from .permission_rules import PermissionRules
from .secret_files import may_hold_token
from .sensitive_paths import check_read, check_write
from .shell import ShellScript
from .shell_words import Word
from .written_files import list_written_files

# Programs beside git in a line that write nothing themselves.
BESIDE_GIT = frozenset({"git", "cd", "echo", "true", "pwd", "test", "[", "ls", "cat"})


@dataclass(slots=True)
class LineState:
    """What is known about one line.

    ``written_files``: with their text where it is known. ``earlier``: commands so far. ``only_plain_settings``: only
    git runs, and only sets what it never runs. ``choices``: the values of variables that are set once. ``in_trap``: a
    trap's line is analyzed. ``versions``: files that the line has written older versions to, with the paths that these
    belong to. ``may_hold_tokens``: project files that it reads and that may contain keys.
    """

    permission_rules: PermissionRules
    issues: list[Issue] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    written_files: dict[str, str | None] = field(default_factory=dict)
    sourced_files: list[str] = field(default_factory=list)
    made_links: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    new_remote: bool = False
    search_results: tuple[str, ...] = ()
    whole_line: str = ""
    command_count: int = 0
    git_configs: list[str] = field(default_factory=list)
    only_plain_settings: bool = True
    comparisons: list[Comparison] = field(default_factory=list)
    earlier: list[Invocation] = field(default_factory=list)
    choices: dict[str, tuple[Word, ...]] = field(default_factory=dict)
    in_trap: bool = False
    versions: dict[str, str] = field(default_factory=dict)
    may_hold_tokens: list[str] = field(default_factory=list)

    def note(self, command: str, why: str, category: str, verdict: type[Ask] | type[Deny] = Ask) -> None:
        """Add an issue."""
        self.issues.append(Issue(verdict, command, why, category))

    def note_all(self, command: str, findings: Iterable[Danger]) -> None:
        """Add an issue for each danger."""
        for finding in findings:
            self.note(command, finding.why, finding.category, finding.verdict)

    def note_redirects(self, script: ShellScript) -> None:
        """Check the shell's own actions: endless functions, and files that it opens."""
        for bomb in script.fork_bombs:
            self.note(bomb, "is a fork bomb", "destructive", Deny)
        self.writes += [target.text for target in script.written_files]
        self.may_hold_tokens += [one.text for one in script.read_files if may_hold_token(one.text)]
        opened = [(f"> {one.text}", check_write(one)) for one in script.written_files]
        for text, findings in [*opened, *((f"< {one.text}", check_read(one)) for one in script.read_files)]:
            self.note_all(text, findings)

    def remember(self, command: Invocation) -> None:
        """Remember what later commands of the line may depend on."""
        written = [posixpath.join(*self.folders, path) for path in list_written_settings(command)]
        self.git_configs += written
        self.only_plain_settings &= is_plain(command) if written else command.name in BESIDE_GIT
        self.comparisons += (
            one._replace(folder=posixpath.join(*self.folders, one.folder)) for one in list_comparisons(command)
        )
        self.earlier.append(command)
        if command.name not in load_programs("looking"):
            self.may_hold_tokens += filter(may_hold_token, command.operands)
        if command.name in {"cd", "pushd"} and command.operands:
            self.folders.append(command.operands[0])
        if command.name == "git" and command.operands[:1] == ["remote"] and {"add", "set-url"} & set(command.operands):
            self.new_remote = True
        if files.may_write(command.name):
            self.writes += [target.text for target in files.list_write_targets(command)]
        if command.name == "ln" and len(command.operands) == 2:
            self.made_links[posixpath.normpath(command.operands[1])] = command.operands[0]
        self.written_files |= dict(list_written_files(command, self.written_files))
