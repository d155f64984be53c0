"""The commands that skills and plugins add to the chat."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from .cli_commands import run_openkoi
from .command_table import COMMANDS

if TYPE_CHECKING:
    from openkoi_hookspecs import InstalledPlugin, Launcher

OWN = frozenset(one.name for one in COMMANDS)
COMMAND_LINE = "openkoi-cli"


class AddedCommands:
    """Names and descriptions of commands; skills are looked up when a list is first shown."""

    def __init__(self, launcher: "Launcher") -> None:
        self.launcher = launcher
        self.of_plugins: Mapping[str, str] = {}
        self.of_skills: Mapping[str, str] = {}
        self.knows_skills = False

    def find_plugins(self) -> None:
        """Add the commands that plugins add to ``openkoi``."""
        found = self.launcher.plugins("commands")
        self.of_plugins = {one.name: describe(one) for one in found if one.name not in OWN}

    async def find_skills(self, folder: Path, *, again: bool = False) -> None:
        """Add a command for each skill that is used here; look for skills only once, unless ``again``."""
        if again or not self.knows_skills:
            self.knows_skills = True
            done = await run_openkoi("skill", "list", "--format", "json", folder=folder)
            self.of_skills = read_skills(done.text)

    @property
    def all(self) -> Mapping[str, str]:
        """The description of each command."""
        return {**self.of_skills, **self.of_plugins}


def describe(plugin: "InstalledPlugin") -> str:
    """Return the plugin's own description of its command."""
    summary = "" if plugin.distribution == COMMAND_LINE else plugin.read_summary().partition(". ")[0].rstrip(".")
    return summary or f"openkoi {plugin.name}"


def read_skills(text: str) -> Mapping[str, str]:
    """Return the names and descriptions of skills, from a list in JSON."""
    with suppress(ValueError, KeyError, TypeError):
        rows = json.loads(text[text.index("[") : text.rindex("]") + 1])
        return {
            row["name"]: f"skill: {row['description']}"
            for row in rows
            if row["kind"] == "task" and not row["unused"] and row["name"] not in OWN
        }
    return {}
