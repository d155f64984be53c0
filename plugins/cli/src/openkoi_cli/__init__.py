"""The command line: one file per command, imported when the command is called.

``openkoi`` without words opens the chat on a terminal, before click is imported.
"""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openkoi_hookspecs import Launcher

CHAT = "chat"  # what the default bundle chooses; a test compares both
DEFAULT_BUNDLE = "openkoi"
SETTING = "frontend"
READING = ("status", "memory")  # commands that may answer without click
CHAT_OPTIONS = frozenset({"-c", "--continue", "--plain", "-m", "--model", "-r", "--resume", "--session"})
WITH_VALUE = frozenset({"-m", "--model", "-r", "--resume", "--session"})


class CommandLine:
    """The frontend for terminals, scripts and CI."""

    def run(self, launcher: "Launcher") -> int:
        """Run a command line; return the exit status."""
        if opens_chat(launcher, launcher.arguments):
            return launcher.start(CHAT, launcher.arguments)
        from .invocation import Invocation

        if any(word in READING for word in launcher.arguments[:1]):
            from .read_commands import answer

            if (status := answer(Invocation(launcher))) is not None:
                return status
        from .entry import run

        return run(Invocation(launcher))


def opens_chat(launcher: "Launcher", words: Sequence[str]) -> bool:
    """Return whether a line opens the chat; False if settings, which are not read here, may choose another frontend."""
    if not (has_only_chat_options(words) and has_terminal()):
        return False
    there = any(one.name == CHAT for one in launcher.plugins("frontends"))
    return there and (bool(words) or not may_choose(launcher))


def has_only_chat_options(words: Sequence[str]) -> bool:
    """Return whether a line has no task, and only options of the chat."""
    before = ""
    for word in words:
        if word.partition("=")[0] not in CHAT_OPTIONS and (before not in WITH_VALUE or word.startswith("-")):
            return False
        before = word
    return True


def has_terminal() -> bool:
    """Return whether a terminal is attached to standard input and output."""
    return all(stream is not None and not stream.closed and stream.isatty() for stream in (sys.stdin, sys.stdout))


def may_choose(launcher: "Launcher") -> bool:
    """Return whether a bundle other than the default one, or the user's configuration, may choose a frontend."""
    if any(one.distribution != DEFAULT_BUNDLE for one in launcher.plugins("bundles")):
        return True
    try:
        return SETTING in launcher.paths().config.read_text(encoding="utf-8")
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return True
