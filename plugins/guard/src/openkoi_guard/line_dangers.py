"""Find the dangers of one command of a line, by the rules and by what earlier commands have set up."""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import replace

from openkoi_hookspecs import Allow, Ask, Deny

from .checks import find_dangers
from .clients import UNKNOWN_PROGRAM, UNKNOWN_VERB
from .command_rules import load_programs
from .issue import Danger, Invocation, Issue
from .line_state import LineState
from .network import list_fetched_files
from .restored_versions import check_moved_versions
from .searches import list_deleted, list_found_by_loop, list_handed_over
from .secret_files import is_secret
from .shell_words import Word
from .temporary_files import list_temporary
from .variables import expand_choices
from .written_files import is_unpacked

UNKNOWN_REASONS = {UNKNOWN_PROGRAM, UNKNOWN_VERB}
USER_RULE_DANGERS = {
    Ask: Danger("your settings require approval for it", "settings"),
    Deny: Danger("your settings forbid it", "settings", Deny),
}


class LineDangers(LineState):
    """Find the dangers of the commands of a line."""

    def apply_rules(self, command: Invocation, words: Sequence[Word], text: str, depth: int, *, guess: bool) -> None:
        """Compare a command with the user's rules, the rule files and the checks."""
        permission = self.permission_rules.find_permission(words)
        dangers = [danger for danger in self.find_all_dangers(command) if not (guess and danger.why in UNKNOWN_REASONS)]
        if permission is Allow:
            dangers = [danger for danger in dangers if danger.verdict is Deny]
        elif permission:
            dangers.append(USER_RULE_DANGERS[permission])
        targets = self.list_disposable(command, depth, self.earlier) if dangers else ()
        for danger in dangers:
            deletes = targets if (danger.category, danger.verdict) == ("destructive", Ask) else ()
            self.issues.append(Issue(danger.verdict, text, danger.why, danger.category, deletes))

    def list_disposable(self, command: Invocation, depth: int, earlier: Sequence[Invocation]) -> tuple[str, ...]:
        """Return what a command deletes if all of it is generated or temporary, as far as the line shows."""
        if depth:
            return list_handed_over(command, self.search_results) if depth == 1 else ()
        only = [word.text.strip("${}") for word in command.words if not word.is_option]
        if len(only) == 1 and (found := list_found_by_loop(command, self.choices.get(only[0], ()), self.whole_line)):
            return found
        expanded = replace(
            command, words=tuple(each for word in command.words for each in expand_choices(word, self.choices))
        )
        found = list_deleted(expanded, self.whole_line, earlier)
        return found or list_temporary(command, self.whole_line, earlier, later=self.in_trap)

    def find_all_dangers(self, command: Invocation) -> Iterator[Danger]:
        """Yield the dangers of a command, also those that only the rest of the line shows."""
        yield from find_dangers(command, self.permission_rules.mounted)
        yield from check_moved_versions(command, self.versions)
        if command.name in load_programs("installers") and self.downloads.intersection(command.operands):
            yield Danger("installs a file that this line downloads", "packages")
        if self.folders and command.name not in load_programs("looking"):
            yield from self.find_secrets_in_folders(command)
        if self.new_remote and command.name == "git" and command.operands[:1] == ["push"]:
            yield Danger("pushes to an address set in the same line", "secrets")

    @property
    def downloads(self) -> set[str]:
        """Return the files that earlier commands download, as a later command may spell them."""
        paths = {path for command in self.earlier for path in list_fetched_files(command)}
        return paths | {f"./{path}" for path in paths}

    def find_secrets_in_folders(self, command: Invocation) -> Iterator[Danger]:
        """Find keys that only the current folder reveals, as in ``cd ~/.aws && cat credentials``."""
        folder = posixpath.join(*self.folders)
        paths = [one for one in command.operands if is_secret(posixpath.join(folder, one))]
        if paths and not any(map(is_secret, paths)):
            yield Danger(f"reads {posixpath.join(folder, paths[0])}, which contains secrets", "secrets")

    def check_unpacked(self, path: str, text: str) -> None:
        """Report a script that the line has downloaded with the folder around it."""
        if is_unpacked(path, self.earlier[:-1], self.folders):
            self.note(text, "runs code that this line downloads", "computed")
