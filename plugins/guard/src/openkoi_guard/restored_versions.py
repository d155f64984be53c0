"""Find files that a command overwrites with an older version of themselves, as ``git show HEAD:a.py > a.py`` does."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from .files import list_write_targets
from .git_repository import split_git_words
from .issue import Danger, Invocation
from .shell import SimpleCommand, read_script
from .shell_words import Word
from .temporary_files import BELOW

DISCARDS_CHANGES = Danger("discards uncommitted changes", "history")
# Programs that print a version of a file, with their subcommands that do.
PRINTERS: Mapping[str, frozenset[str]] = {
    "git": frozenset({"show", "cat-file"}),
    "hg": frozenset({"cat"}),
    "svn": frozenset({"cat"}),
    "fossil": frozenset({"cat"}),
    "jj": frozenset({"file"}),
}
COPYING = frozenset({"tee", "sponge"})
UNPATCHING = frozenset({"git", "patch", "tar"})
MOVING = frozenset({"cp", "mv"})
REVERSING = ("-R", "--reverse")


def find_printed_version(words: Sequence[Word]) -> str:
    """Return the path whose version a command prints; empty if it prints none."""
    texts = [word.text for word in words]
    name, rest = (texts[0], split_git_words(texts[1:])[1]) if texts else ("", ())
    if not rest or rest[0] not in PRINTERS.get(name, ()) or rest[-1].startswith("-") or "://" in rest[-1]:
        return ""
    return rest[-1].partition(":")[2] if name == "git" else rest[-1]


def find_piped_version(simple: SimpleCommand) -> str:
    """Return the path whose version a command prints or is fed through its pipe."""
    return find_printed_version(simple.words) or (
        find_printed_version(first_command_words(simple.stdin.producer)) if simple.stdin else ""
    )


def first_command_words(line: str) -> tuple[Word, ...]:
    """Return the words of the first command of a pipeline."""
    script = read_script(line) if line else None
    return script.commands[0].words if script and script.commands else ()


def is_same_file(version: str, target: str) -> bool:
    """Return whether a path can be the file that a version belongs to: one of the two paths ends in the other."""
    if not version or BELOW.match(target):
        return False
    parts, others = (posixpath.normpath(path).split("/") for path in (version, target))
    shorter = min(len(parts), len(others))
    return ".." not in (*parts, *others) and parts[-shorter:] == others[-shorter:]


def check_overwritten_versions(simple: SimpleCommand) -> Iterator[Danger]:
    """Find files that a simple command's output, or ``tee``, overwrites with a version of themselves."""
    command = Invocation(simple.words[0].text, simple.words[1:], simple.stdin)
    written = [opened.target for opened in simple.writes if not opened.appends]
    written += list_write_targets(command) if command.name in COPYING else ()
    if not written and command.name not in UNPATCHING:
        return
    version = find_piped_version(simple) if written else ""
    if any(is_same_file(version, target.text) for target in written) or reverses_changes(command):
        yield DISCARDS_CHANGES


def reverses_changes(command: Invocation) -> bool:
    """Return whether a command reverts all uncommitted changes, or unpacks a commit over the working tree."""
    if command.name not in UNPATCHING or not command.stdin or "git" not in command.stdin.producer:
        return False
    words = [word.text for word in first_command_words(command.stdin.producer)]
    source = words[:2]
    if source == ["git", "diff"] and all(word in {"HEAD", "--"} or word.startswith("-") for word in words[2:3]):
        return command.has(*REVERSING) and (command.name == "patch" or command.operands[:1] == ["apply"])
    unpacks = command.name == "tar" and command.words and "x" in command.words[0].text
    return source == ["git", "archive"] and bool(unpacks) and not command.has("-C", "--directory")


def list_written_versions(simple: SimpleCommand) -> Iterator[tuple[str, str]]:
    """Yield the files that versions are written to, each with the path that the version belongs to."""
    version = find_piped_version(simple) if simple.writes else ""
    yield from ((posixpath.normpath(opened.target.text), version) for opened in simple.writes if version)


def check_moved_versions(command: Invocation, versions: Mapping[str, str]) -> Iterator[Danger]:
    """Find a file that is replaced with a version of itself, which the line has written to another file before."""
    if command.name in MOVING and len(command.operands) == 2:
        source, target = command.operands
        if is_same_file(versions.get(posixpath.normpath(source), ""), target):
            yield DISCARDS_CHANGES
