"""Recognize an installed program that cannot start, by its launcher's message, and suggest a fix.

rustup, pyenv and the like put a small program in the place of each tool, which exists although the tool does not.
``unstartable.toml`` lists what they print.
"""

import re
import tomllib
from functools import cache
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

TABLE = Path(__file__).with_name("unstartable.toml")
COMPONENTS = {"cargo-clippy": "clippy", "clippy-driver": "clippy", "cargo-fmt": "rustfmt"}


@dataclass(frozen=True, slots=True)
class UnstartableProgram:
    """Why a program cannot start, and what to do."""

    why: str
    fix: str


@cache
def launcher_messages() -> list[tuple[re.Pattern[str], str, str]]:
    """Return the messages of launchers, each with the reason why the program cannot start, and a fix."""
    messages = tomllib.loads(TABLE.read_text(encoding="utf-8"))["message"]
    return [(re.compile(one["pattern"], re.MULTILINE), one["why"], one["fix"]) for one in messages]


def diagnose_start(exit_code: int, output: str) -> UnstartableProgram | None:
    """Return why a program of a failed command could not start; None if it ran, or if its launcher is unknown."""
    if exit_code == 0:
        return None
    for pattern, why, fix in launcher_messages():
        if found := pattern.search(output):
            named = {name: text.strip() for name, text in found.groupdict().items() if text}
            first = next(iter(named.values()), "the program")
            named = {"what": first, "why": first, **named}
            named["component"] = COMPONENTS.get(named["what"], named["what"])
            return UnstartableProgram(why.format_map(named), fix.format_map(named))
    return None
