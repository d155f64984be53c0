"""Walk through a line with everything that is known, and note what a person should see.

Knows which part is asked what; the rules stand in ``rules/``, the checks in their own files.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from openkoi_hookspecs import Allow, Ask, Deny

from . import files, system
from .checks import found
from .clients import STRANGE, UNKNOWN
from .finding import Command, Concern, Finding
from .fresh_files import is_unpacked
from .interpreters import Code, code_of, language_of
from .patterns import programs
from .places import judge_write
from .python_code import Found, judge_python
from .record import Record
from .redirects import Feed
from .restored_versions import moved_versions, overwritten_versions, written_versions
from .searches import SAME_FOLDER, deleted_by, found_by_loop, handed_over, searched_by
from .secret_files import is_secret
from .shell import CONTINUED, UNREADABLE, Script, Simple, read_script
from .sourced import SOURCING, is_elsewhere, may_be_ours
from .spoken import said, spoken, spoken_feed
from .takers import is_builtin_alone, unwrapped
from .temporary import temporary_targets
from .trusted import is_generator, substituted
from .variables import READ, chosen, program_name, settled, spelled, uncertain
from .words import Word

DEEPEST = 8
MOST_COMMANDS = 2_000
LONGEST = 100_000
OPENS_FILE = re.compile(r"\b(open|\w*read\w*|file_get_contents|slurp|getline|cat)\b", re.IGNORECASE)
NOT_KNOWN = {STRANGE, UNKNOWN}
VARIABLE = re.compile(r"\$\{?(\w+)\}?")
QUOTED_VARIABLE = re.compile(r"'(\$\{?\w+\}?)'")
SETTLED = {
    Ask: Finding("your settings want it asked about", "settings"),
    Deny: Finding("your settings forbid it", "settings", Deny),
}


class Examination(Record):
    """One line under examination."""

    def begin(self, line: str) -> None:
        """Examine a whole line, also as it is when a shell has joined what was continued."""
        self.whole = line = line.replace("\r\n", "\n")
        if len(line) > LONGEST:
            self.note(line[:80], "is too long to be judged", "unreadable")
        elif UNREADABLE.search(line):
            self.note(line, "holds signs that cannot be seen", "unreadable")
        else:
            self.line(line, 0)
            if "\\\n" in line:
                self.line(CONTINUED.sub(r"\1", line), 0)

    def line(self, line: str, depth: int, *, guess: bool = False) -> None:
        """Examine a text that a shell reads."""
        if depth > DEEPEST:
            self.note(line, "is nested too deeply to be judged", "unreadable")
            return
        script = read_script(line)
        if script.broken and not guess:
            self.note(line, "cannot be read with certainty", "unreadable")
        self.around(script)
        self.assigned(script, depth)
        self.choices |= chosen(script, self.whole)
        for simple in script.commands:
            self.simple(simple, depth, guess=guess)
        for nested in script.nested:
            self.line(nested, depth + 1)

    def assigned(self, script: Script, depth: int) -> None:
        for name, value in script.assigned:
            if value.known:
                self.values[name] = value.text
            self.note_all(f"{name}={value.text}", system.judge_assignment(name, value))
            if name in programs("run-later") and value.known:
                self.line(value.text, depth + 1)

    def simple(self, simple: Simple, depth: int, *, guess: bool = False) -> None:
        """Examine a simple command as it stands in the line."""
        self.command(simple.words, simple.feed, simple.text, depth, guess=guess)
        self.note_all(simple.text, system.emptied_by(simple))
        self.note_all(simple.text, overwritten_versions(simple))
        self.versions |= dict(written_versions(simple))
        for opened in simple.writes:
            self.fresh[posixpath.normpath(opened.target.text)] = said(simple)

    def command(self, words: Sequence[Word], feed: Feed | None, text: str, depth: int, *, guess: bool = False) -> None:
        """Examine a command and all that it runs. A ``guess`` may be no command at all."""
        self.commands += 1
        if not words:
            return
        if depth > DEEPEST or self.commands > MOST_COMMANDS:
            self.note(text, "holds too many commands to be judged", "unreadable")
            return
        name = program_name(words[0], self.whole)
        if not name and (meant := spelled(words[0], self.choices)):
            self.command([*meant, *words[1:]], feed, text, depth + 1, guess=guess)
            return
        if not name:
            if not guess:
                self.note(text, "runs a program whose name is computed", "computed")
            return
        command = Command(name, tuple(words[1:]), feed)
        if "/init.d/" in words[0].text:
            command = Command("service", (Word(name), *words[1:]), feed)
        self.settle(command, words, text, depth, guess=guess)
        self.remember(command)
        self.inner(command, text, depth)
        if code := code_of(command):
            self.code(command, code, text, depth)
        if words[0].known and "/" in words[0].text:
            self.ran_unpacked(words[0].text, text)
            self.ran_fresh(words[0].text, language_of(words[0].text), text, depth)

    def settle(self, command: Command, words: Sequence[Word], text: str, depth: int, *, guess: bool) -> None:
        """Hold a command against what a person has settled, the rules and the checks."""
        settled = self.policy.verdict_on(words)
        found = [one for one in self.found(command) if not (guess and one.why in NOT_KNOWN)]
        if settled is Allow:
            found = [finding for finding in found if finding.verdict is Deny]
        elif settled:
            found.append(SETTLED[settled])
        targets = self.worthless(command, depth, self.ran) if found else ()
        for finding in found:
            deletes = targets if (finding.category, finding.verdict) == ("destroying", Ask) else ()
            self.concerns.append(Concern(finding.verdict, text, finding.why, finding.category, deletes))

    def worthless(self, command: Command, depth: int, ran: Sequence[Command]) -> tuple[str, ...]:
        """Return what a command deletes if all of it is made again or temporary, as far as the line says."""
        if depth:
            return handed_over(command, self.searched) if depth == 1 else ()
        only = [word.text.strip("${}") for word in command.words if not word.option]
        if len(only) == 1 and (found := found_by_loop(command, self.choices.get(only[0], ()), self.whole)):
            return found
        spelt = replace(command, words=tuple(each for word in command.words for each in settled(word, self.choices)))
        found = deleted_by(spelt, self.whole, ran)
        return found or temporary_targets(command, self.whole, ran, later=self.later)

    def found(self, command: Command) -> Iterator[Finding]:
        yield from found(command, self.policy.mounted)
        yield from moved_versions(command, self.versions)
        if command.name in programs("installers") and self.fresh.keys() & set(
            map(posixpath.normpath, command.operands)
        ):
            yield Finding("installs what this line has just fetched", "packages")
        if self.folders and command.name not in programs("looking"):
            yield from self.secrets_in_folders(command)
        if self.new_remote and command.name == "git" and command.operands[:1] == ["push"]:
            yield Finding("sends the repository to an address that this line has set", "secrets")

    def secrets_in_folders(self, command: Command) -> Iterator[Finding]:
        """Find keys that only the folder shows which the line has gone to, as ``cd ~/.aws && cat credentials``."""
        folder = posixpath.join(*self.folders)
        paths = [one for one in command.operands if is_secret(posixpath.join(folder, one))]
        if paths and not any(map(is_secret, paths)):
            yield Finding(f"reads {posixpath.join(folder, paths[0])}, which is secret", "secrets")

    def inner(self, command: Command, text: str, depth: int) -> None:
        """Examine the commands that a command runs."""
        feed = None if command.name in {"xargs", "parallel"} else command.feed
        self.searched = searched_by(command, self.whole) if depth == 0 else ()
        deeper = depth if command.name in SAME_FOLDER else depth + 1
        self.later = command.name == "trap"
        remote = command.operands[1:] if command.name == "ssh" else ["-"]
        if (not remote or remote[0] in programs("shells")) and (told := spoken_feed(command.feed)):
            self.line(told, depth + 1)
        for inner in unwrapped(command.name, command.words):
            if is_builtin_alone(inner, command):
                continue
            if inner.line is not None:
                self.handed(inner.line, text, deeper - 1, guess=inner.guess)
            elif inner.words:
                self.command(inner.words, feed, text, deeper, guess=inner.guess)
        self.later = False

    def handed(self, word: Word, text: str, depth: int, *, guess: bool = False) -> None:
        """Examine a word that is read as a line, if it can be told what it says. A ``guess`` may be none."""
        made = substituted(word.text) if not word.known else ""
        if self.later and not made and set(READ.findall(word.text)) <= self.choices.keys() and "`" not in word.text:
            self.line(QUOTED_VARIABLE.sub(r'"\1"', word.text), depth + 1, guess=guess)
        elif made:
            self.output(made, "shell", text, depth)
        elif uncertain(word, self.whole):
            self.note(text, "hands a shell what is computed", "computed")
        else:
            self.line(word.text, depth + 1, guess=guess)

    def output(self, made_by: str, language: str, text: str, depth: int) -> None:
        """Examine what another command prints and an interpreter runs."""
        if is_generator(made_by):
            return
        printed = spoken(made_by)
        if printed is None:
            self.note(text, "runs what another command prints", "computed")
        else:
            self.program(printed, language, text, depth)

    def code(self, command: Command, code: Code, text: str, depth: int) -> None:
        """Examine what an interpreter runs."""
        if code.module:
            self.command(code.module, command.feed, text, depth + 1, guess=True)
        elif code.code is not None and (uncertain(code.code, self.whole) or VARIABLE.fullmatch(code.code.text)):
            self.handed(code.code, text, depth) if code.language == "shell" else self.note(
                text, "runs code that is computed", "computed"
            )
        elif code.code is not None and code.language == "shell":
            self.line(code.code.text, depth)
        elif code.code is not None:
            self.program(code.code.text, code.language, text, depth)
        elif code.script:
            self.script(code, command, text, depth)
        elif code.fed and command.feed:
            self.fed(command.feed, code.language, text, depth)

    def fed(self, feed: Feed, language: str, text: str, depth: int) -> None:
        if feed.text is not None:
            self.program(feed.text, language, text, depth)
        elif feed.of:
            self.output(substituted(feed.of) or feed.of, language, text, depth)
        elif feed.file:
            self.ran_fresh(feed.file, language, text, depth)

    def script(self, code: Code, command: Command, text: str, depth: int) -> None:
        """Examine a script: by what this line has put into it, else by its name."""
        first = code.script[0]
        if made := substituted(first.text):
            self.output(made, code.language, text, depth)
        elif first.text in {"/dev/stdin", "/dev/fd/0"} and command.feed:
            self.fed(command.feed, code.language, text, depth)
        elif not self.ran_fresh(first.text, code.language, text, depth):
            self.ran_unpacked(first.text, text)
            if command.name in SOURCING:
                self.read_in(first, text)
            self.command(code.script, command.feed, text, depth + 1, guess=True)

    def read_in(self, file: Word, text: str) -> None:
        """Examine a file that a shell reads into itself, by its name."""
        if is_elsewhere(file):
            self.note(text, "runs a file from outside the workspace in the shell itself", "computed")
        elif may_be_ours(file):
            self.sourced.append(file.text)

    def ran_fresh(self, path: str, language: str, text: str, depth: int) -> bool:
        """Whether the line runs a file that it has written itself; what stands in it is examined."""
        name = posixpath.normpath(path)
        if name not in self.fresh:
            return False
        content = self.fresh[name]
        if content is None:
            self.note(text, "runs what this line has just fetched or made", "computed")
        else:
            self.program(content, language, text, depth)
        return True

    def ran_unpacked(self, path: str, text: str) -> None:
        if is_unpacked(path, self.ran[:-1], self.folders):
            self.note(text, "runs what this line has just fetched", "computed")

    def program(self, code: str, language: str, text: str, depth: int) -> None:
        """Examine a program in one of the languages."""
        if language == "shell":
            self.line(code, depth + 1)
            return
        if OPENS_FILE.search(code) and any(is_secret(word.text) for word in files.words_in(code)):
            self.note(text, "reads keys or passwords", "secrets")
        for one in judge_program(code, language):
            self.found_in_code(one, text, depth)

    def found_in_code(self, found: Found, text: str, depth: int) -> None:
        if found.line:
            self.line(found.line, depth + 1)
        elif found.path:
            self.writes.append(found.path)
            self.note_all(text, judge_write(Word(found.path)))
        elif found.why:
            removing = Command("rm", tuple(Word(path) for path in found.deletes))
            deletes = () if depth else self.worthless(removing, 0, self.ran[:-1])
            self.concerns.append(Concern(Ask, text, found.why, "code", deletes))


def judge_program(code: str, language: str) -> Iterator[Found]:
    """Judge a program in one of the languages."""
    if language == "python":
        return judge_python(code)
    from .other_code import judge_awk, judge_code

    return judge_awk(code) if language == "awk" else judge_code(code, language)
