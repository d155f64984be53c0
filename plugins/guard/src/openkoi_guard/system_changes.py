"""Check variables that a line sets, files that it empties, and disks that are in use."""

import posixpath
from collections.abc import Iterator

from openkoi_hookspecs import Deny
from openkoi_hookspecs.lazy_pattern import lazy_pattern

from .command_rules import load_programs
from .git_settings import is_foreign
from .issue import Danger, Invocation
from .shell import SimpleCommand
from .shell_words import Word
from .static_output import predict_command_output

TRACED = {"HISTFILE": ("/dev/null", ""), "HISTSIZE": ("0",), "HISTFILESIZE": ("0",)}
FORMATS = ("mkfs", "mke2fs", "mkdosfs", "mkntfs", "newfs", "mkswap")
OFFICIAL = lazy_pattern(r"://(proxy\.golang\.org|pypi\.org|registry\.npmjs\.org|registry\.yarnpkg\.com)(/|,|$)")
WORLD_WRITABLE = lazy_pattern(r"(/tmp|/var/tmp|/dev/shm)(/|:|$)")
# Files that programs write and replace themselves.
DISPOSABLE = lazy_pattern(
    r"\.(log|out|err|lock|pid|tmp|touch|stamp)$|^/dev/|^/tmp/|(^|/)(build|dist|logs?|tmp|out|target|\.\w+)/|^[\w-]+$"
)
NO_OUTPUT = frozenset({":", "true"})


def check_assignment(name: str, value: Word) -> Iterator[Danger]:
    """Check a variable that is set."""
    if name in load_programs("loaded") and value.text:
        yield Danger("makes other programs load code", "persistence")
    elif name in load_programs("run-later") and not value.is_known:
        yield Danger("makes other programs run a generated command", "computed")
    elif name in load_programs("run-by-git") and is_foreign(value):
        yield Danger("makes git run another program", "history")
    elif name == "NODE_OPTIONS" and any(one in value.text for one in ("--require", "-r ", "--import", "--loader")):
        yield Danger("makes other programs load code", "persistence")
    elif name in load_programs("sources") and "://" in value.text and not OFFICIAL.search(value.text):
        yield Danger("changes where later installs come from", "packages")
    elif name == "PATH" and WORLD_WRITABLE.match(value.text):
        yield Danger("puts a world-writable folder into PATH", "persistence")
    elif value.is_known and value.text in TRACED.get(name, ()):
        yield Danger("hides the command history", "anti_forensics")


def check_emptied(simple: SimpleCommand) -> Iterator[Danger]:
    """Find a file that is emptied by writing nothing to it."""
    if not simple.writes:
        return
    name, *operands = (word.text for word in simple.words)
    input_file = simple.stdin.file if simple.stdin else ""
    copies_nothing = name == "cat" and ("/dev/null" in operands or (not operands and input_file == "/dev/null"))
    silent = name in NO_OUTPUT or simple.words == (Word("exec"),) or predict_command_output(simple) == ""
    for opened in simple.writes:
        path = opened.target.text
        if not opened.appends and path != "/dev/null" and (copies_nothing or (silent and not DISPOSABLE.search(path))):
            yield Danger(f"empties {path}", "destructive")


def check_mounted(command: Invocation, devices: frozenset[str]) -> Iterator[Danger]:
    """Deny formatting a device that is in use."""
    if command.name.split(".")[0] not in FORMATS:
        return
    for path in command.operands:
        if posixpath.normpath(path) in devices:
            yield Danger(f"formats {path}, which is in use", "destructive", Deny)
