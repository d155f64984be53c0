"""Analyze a shell line: each command, the programs that it runs, and what earlier commands have set up.

The rules are in ``rules/``; the checks that need code are in their own modules.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Ask
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from . import files, system_changes
from .command_rules import load_programs
from .command_wrappers import is_builtin_alone, unwrap
from .interpreters import InterpreterCall, detect_language, find_code
from .issue import Invocation, Issue
from .limits import MAX_COMMANDS_PER_LINE, MAX_DEPTH, MAX_LINE_LENGTH
from .line_dangers import LineDangers
from .python_code import CodeFinding, analyze_python
from .redirects import StdinSource
from .restored_versions import check_overwritten_versions, list_written_versions
from .searches import SAME_FOLDER, list_found
from .secret_files import is_secret
from .sensitive_paths import check_write
from .shell import CONTINUED, UNREADABLE, ShellScript, SimpleCommand, read_script
from .shell_generators import is_generator, read_substitution
from .shell_words import Word
from .sourced_files import SOURCING, is_elsewhere, may_be_in_workspace
from .static_output import predict_command_output, predict_output, predict_stdin
from .variables import READ, find_program_name, is_uncertain, list_choices, resolve_program

OPENS_FILE = lazy_pattern(r"\b(open|\w*read\w*|file_get_contents|slurp|getline|cat)\b", re.IGNORECASE)
VARIABLE = lazy_pattern(r"\$\{?(\w+)\}?")
QUOTED_VARIABLE = lazy_pattern(r"'(\$\{?\w+\}?)'")


class LineAnalyzer(LineDangers):
    """Analyze one line and collect its issues."""

    def analyze(self, line: str) -> None:
        """Analyze a whole line, both as written and with continued lines joined."""
        self.whole_line = line = line.replace("\r\n", "\n")
        if len(line) > MAX_LINE_LENGTH:
            self.note(line[:80], "is too long to check", "unreadable")
        elif UNREADABLE.search(line):
            self.note(line, "contains invisible characters", "unreadable")
        else:
            self.analyze_line(line, 0)
            if "\\\n" in line:
                self.analyze_line(CONTINUED.sub(r"\1", line), 0)

    def analyze_line(self, line: str, depth: int, *, guess: bool = False) -> None:
        """Analyze text that a shell reads."""
        if depth > MAX_DEPTH:
            self.note(line, "is nested too deeply to check", "unreadable")
            return
        script = read_script(line)
        if script.broken and not guess:
            self.note(line, "cannot be parsed reliably", "unreadable")
        self.note_redirects(script)
        self.analyze_assignments(script, depth)
        self.choices |= list_choices(script, self.whole_line)
        for simple in script.commands:
            self.analyze_simple(simple, depth, guess=guess)
        for nested in script.nested:
            self.analyze_line(nested, depth + 1)

    def analyze_assignments(self, script: ShellScript, depth: int) -> None:
        """Analyze the variables that a script sets."""
        for name, value in script.assignments:
            if value.is_known:
                self.variables[name] = value.text
            self.note_all(f"{name}={value.text}", system_changes.check_assignment(name, value))
            if name in load_programs("run-later") and value.is_known:
                self.analyze_line(value.text, depth + 1)

    def analyze_simple(self, simple: SimpleCommand, depth: int, *, guess: bool = False) -> None:
        """Analyze a simple command of the line."""
        self.analyze_command(simple.words, simple.stdin, simple.text, depth, guess=guess)
        self.note_all(simple.text, system_changes.check_emptied(simple))
        self.note_all(simple.text, check_overwritten_versions(simple))
        self.versions |= dict(list_written_versions(simple))
        for opened in simple.writes:
            self.written_files[posixpath.normpath(opened.target.text)] = predict_command_output(simple)

    def analyze_command(
        self, words: Sequence[Word], stdin: StdinSource | None, text: str, depth: int, *, guess: bool = False
    ) -> None:
        """Analyze a command and all that it runs. A ``guess`` may not be a command at all."""
        self.command_count += 1
        if not words:
            return
        if depth > MAX_DEPTH or self.command_count > MAX_COMMANDS_PER_LINE:
            self.note(text, "contains too many commands to check", "unreadable")
            return
        name = find_program_name(words[0], self.whole_line)
        if not name and (program := resolve_program(words[0], self.choices)):
            self.analyze_command([*program, *words[1:]], stdin, text, depth + 1, guess=guess)
            return
        if not name:
            if not guess:
                self.note(
                    text, "runs a program whose name is only known at run time, so it cannot be checked", "computed"
                )
            return
        command = Invocation(name, tuple(words[1:]), stdin)
        if "/init.d/" in words[0].text:
            command = Invocation("service", (Word(name), *words[1:]), stdin)
        self.apply_rules(command, words, text, depth, guess=guess)
        self.remember(command)
        self.analyze_inner(command, text, depth)
        if code := find_code(command):
            self.analyze_code(command, code, text, depth)
        if words[0].is_known and "/" in words[0].text:
            self.check_unpacked(words[0].text, text)
            self.analyze_written_file(words[0].text, detect_language(words[0].text), text, depth)

    def analyze_inner(self, command: Invocation, text: str, depth: int) -> None:
        """Analyze the commands that a command runs."""
        stdin = None if command.name in {"xargs", "parallel"} else command.stdin
        self.search_results = list_found(command, self.whole_line) if depth == 0 else ()
        deeper = depth if command.name in SAME_FOLDER else depth + 1
        self.in_trap = command.name == "trap"
        remote = command.operands[1:] if command.name == "ssh" else ["-"]
        if (not remote or remote[0] in load_programs("shells")) and (text_read := predict_stdin(command.stdin)):
            self.analyze_line(text_read, depth + 1)
        for inner in unwrap(command.name, command.words):
            if is_builtin_alone(inner, command):
                continue
            if inner.line is not None:
                self.analyze_word_as_line(inner.line, text, deeper - 1, guess=inner.guess)
            elif inner.words:
                self.analyze_command(inner.words, stdin, text, deeper, guess=inner.guess)
        self.in_trap = False

    def analyze_word_as_line(self, word: Word, text: str, depth: int, *, guess: bool = False) -> None:
        """Analyze a word that is read as a line, if its text is known. A ``guess`` may not be a line."""
        producer = read_substitution(word.text) if not word.is_known else ""
        if (
            self.in_trap
            and not producer
            and set(READ.findall(word.text)) <= self.choices.keys()
            and "`" not in word.text
        ):
            self.analyze_line(QUOTED_VARIABLE.sub(r'"\1"', word.text), depth + 1, guess=guess)
        elif producer:
            self.analyze_output(producer, "shell", text, depth)
        elif is_uncertain(word, self.whole_line):
            self.note(text, "runs a command that is only known at run time, so it cannot be checked", "computed")
        else:
            self.analyze_line(word.text, depth + 1, guess=guess)

    def analyze_output(self, producer: str, language: str, text: str, depth: int) -> None:
        """Analyze the output of a command that is piped to an interpreter, which runs it."""
        if is_generator(producer):
            return
        output = predict_output(producer)
        if output is None:
            self.note(text, "runs the output of another command", "computed")
        else:
            self.analyze_embedded_program(output, language, text, depth)

    def analyze_code(self, command: Invocation, code: InterpreterCall, text: str, depth: int) -> None:
        """Analyze what an interpreter runs."""
        if code.module:
            self.analyze_command(code.module, command.stdin, text, depth + 1, guess=True)
        elif code.code is not None and (is_uncertain(code.code, self.whole_line) or VARIABLE.fullmatch(code.code.text)):
            self.analyze_word_as_line(code.code, text, depth) if code.language == "shell" else self.note(
                text, "runs generated code", "computed"
            )
        elif code.code is not None and code.language == "shell":
            self.analyze_line(code.code.text, depth)
        elif code.code is not None:
            self.analyze_embedded_program(code.code.text, code.language, text, depth)
        elif code.script:
            self.analyze_script(code, command, text, depth)
        elif code.fed and command.stdin:
            self.analyze_stdin(command.stdin, code.language, text, depth)

    def analyze_stdin(self, stdin: StdinSource, language: str, text: str, depth: int) -> None:
        """Analyze what an interpreter reads and runs."""
        if stdin.text is not None:
            self.analyze_embedded_program(stdin.text, language, text, depth)
        elif stdin.producer:
            self.analyze_output(read_substitution(stdin.producer) or stdin.producer, language, text, depth)
        elif stdin.file:
            self.analyze_written_file(stdin.file, language, text, depth)

    def analyze_script(self, code: InterpreterCall, command: Invocation, text: str, depth: int) -> None:
        """Analyze a script by the content that this line has written to it, else by its name."""
        first = code.script[0]
        if producer := read_substitution(first.text):
            self.analyze_output(producer, code.language, text, depth)
        elif first.text in {"/dev/stdin", "/dev/fd/0"} and command.stdin:
            self.analyze_stdin(command.stdin, code.language, text, depth)
        elif not self.analyze_written_file(first.text, code.language, text, depth):
            self.check_unpacked(first.text, text)
            if command.name in SOURCING:
                self.analyze_sourced(first, text)
            self.analyze_command(code.script, command.stdin, text, depth + 1, guess=True)

    def analyze_sourced(self, file: Word, text: str) -> None:
        """Analyze a file that a shell sources, by its name."""
        if is_elsewhere(file):
            self.note(text, "sources a file from outside the workspace", "computed")
        elif may_be_in_workspace(file):
            self.sourced_files.append(file.text)

    def analyze_written_file(self, path: str, language: str, text: str, depth: int) -> bool:
        """Analyze a file that the line runs and has written; return whether it has."""
        name = posixpath.normpath(path)
        if name not in self.written_files:
            return False
        content = self.written_files[name]
        if content is None:
            self.note(text, "runs a file that this line downloads or creates", "computed")
        else:
            self.analyze_embedded_program(content, language, text, depth)
        return True

    def analyze_embedded_program(self, code: str, language: str, text: str, depth: int) -> None:
        """Analyze a program in one of the languages."""
        if language == "shell":
            self.analyze_line(code, depth + 1)
            return
        if OPENS_FILE.search(code) and any(is_secret(word.text) for word in files.split_words(code)):
            self.note(text, "reads keys or passwords", "secrets")
        for one in list_code_findings(code, language):
            self.apply_code_finding(one, text, depth)

    def apply_code_finding(self, found: CodeFinding, text: str, depth: int) -> None:
        """Analyze the shell line, path or deletion that was found in code."""
        if found.line:
            self.analyze_line(found.line, depth + 1)
        elif found.path:
            self.writes.append(found.path)
            self.note_all(text, check_write(Word(found.path)))
        elif found.why:
            removing = Invocation("rm", tuple(Word(path) for path in found.deletes))
            deletes = () if depth else self.list_disposable(removing, 0, self.earlier[:-1])
            self.issues.append(Issue(Ask, text, found.why, "code", deletes))


def list_code_findings(code: str, language: str) -> Iterator[CodeFinding]:
    """Return what a program in one of the languages does."""
    if language == "python":
        return analyze_python(code)
    from .embedded_scripts import analyze_awk, analyze_code

    return analyze_awk(code) if language == "awk" else analyze_code(code, language)
