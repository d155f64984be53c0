"""Find files that a command overwrites with an older version of themselves, as ``git show HEAD:a.py > a.py`` does."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from .files import targets
from .finding import Command, Finding
from .git_repository import split
from .shell import Simple, read_script
from .temporary import BELOW
from .words import Word

DISCARDS = Finding("throws away changes that are not committed", "history")
# Programs whose words say which version of a file they print, by the subcommands that do.
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


def printed_version(words: Sequence[Word]) -> str:
    """Return the path whose version a command prints; empty if it prints none."""
    texts = [word.text for word in words]
    name, rest = (texts[0], split(texts[1:])[1]) if texts else ("", ())
    if not rest or rest[0] not in PRINTERS.get(name, ()) or rest[-1].startswith("-") or "://" in rest[-1]:
        return ""
    return rest[-1].partition(":")[2] if name == "git" else rest[-1]


def piped_version(simple: Simple) -> str:
    """Return the path whose version a command prints or is fed through its pipe."""
    return printed_version(simple.words) or (printed_version(first_words(simple.feed.of)) if simple.feed else "")


def first_words(line: str) -> tuple[Word, ...]:
    """Return the words of the first command of a pipeline."""
    script = read_script(line) if line else None
    return script.commands[0].words if script and script.commands else ()


def is_same_file(version: str, target: str) -> bool:
    """Return whether a path can be the file that a version belongs to: one of both ends in the other."""
    if not version or BELOW.match(target):
        return False
    parts, others = (posixpath.normpath(path).split("/") for path in (version, target))
    shorter = min(len(parts), len(others))
    return ".." not in (*parts, *others) and parts[-shorter:] == others[-shorter:]


def overwritten_versions(simple: Simple) -> Iterator[Finding]:
    """Find files that a simple command's output, or ``tee``, overwrites with a version of themselves."""
    command = Command(simple.words[0].text, simple.words[1:], simple.feed)
    written = [opened.target for opened in simple.writes if not opened.keeps]
    written += targets(command) if command.name in COPYING else ()
    if not written and command.name not in UNPATCHING:
        return
    version = piped_version(simple) if written else ""
    if any(is_same_file(version, target.text) for target in written) or reverses_changes(command):
        yield DISCARDS


def reverses_changes(command: Command) -> bool:
    """Return whether a command takes all uncommitted changes back, or unpacks a commit over the working tree."""
    if command.name not in UNPATCHING or not command.feed or "git" not in command.feed.of:
        return False
    words = [word.text for word in first_words(command.feed.of)]
    source = words[:2]
    if source == ["git", "diff"] and all(word in {"HEAD", "--"} or word.startswith("-") for word in words[2:3]):
        return command.has(*REVERSING) and (command.name == "patch" or command.operands[:1] == ["apply"])
    unpacks = command.name == "tar" and command.words and "x" in command.words[0].text
    return source == ["git", "archive"] and bool(unpacks) and not command.has("-C", "--directory")


def written_versions(simple: Simple) -> Iterator[tuple[str, str]]:
    """Yield the files that versions are written to, each with the path that the version belongs to."""
    version = piped_version(simple) if simple.writes else ""
    yield from ((posixpath.normpath(opened.target.text), version) for opened in simple.writes if version)


def moved_versions(command: Command, versions: Mapping[str, str]) -> Iterator[Finding]:
    """Find a file that is replaced with a version of itself, which the line has written to another file before."""
    if command.name in MOVING and len(command.operands) == 2:
        source, target = command.operands
        if is_same_file(versions.get(posixpath.normpath(source), ""), target):
            yield DISCARDS
