"""Provide what all commands share: the configuration and the verbosity."""

import os
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from .command_words import find_first_word

if TYPE_CHECKING:
    import asyncio
    from pathlib import Path

    from openkoi_hookspecs import InstalledPlugin, Launcher, OpenedKoi, Paths, Reader

OWN_NAME = "cli"
NO_SETTINGS: Mapping[str, object] = {}


class Invocation:
    """A call of the command line; ``is_reported``: the error that ended it has already been shown."""

    def __init__(self, launcher: "Launcher") -> None:
        self.launcher = launcher
        self.config = ""
        self.verbose = os.environ.get("OPENKOI_VERBOSE", "") not in ("", "0")
        self.koi: OpenedKoi | None = None
        self.reader: Reader | None = None
        self.is_reported = False
        self.runner: asyncio.Runner | None = None

    @property
    def frontends(self) -> "dict[str, InstalledPlugin]":
        """Other frontends."""
        return {one.name: one for one in self.launcher.plugins("frontends") if one.name != OWN_NAME}

    def take(self, arguments: Iterable[str], frontends: Collection[str] = ()) -> list[str]:
        """Parse the global options before ``--`` or a frontend's name; return the rest."""
        rest: list[str] = []
        words = iter(arguments)
        for word in words:
            if word == "--" or (word in frontends and find_first_word([*rest, word]) == len(rest)):
                return [*rest, word, *words]
            if word == "--verbose":
                self.verbose = True
            elif word == "--config":
                self.config = require_path(next(words, ""))
            elif word.startswith("--config="):
                self.config = require_path(word.partition("=")[2])
            else:
                rest.append(word)
        return rest

    def open(
        self,
        flags: Mapping[str, object] = NO_SETTINGS,
        *,
        settings: Mapping[str, object] = NO_SETTINGS,
        workspace: "Path | None" = None,
    ) -> "OpenedKoi":
        """Open OpenKoi for a folder; the current one by default."""
        self.koi = self.launcher.open(workspace, config=self.config, flags=flags, settings=settings)
        self.require_config(self.paths.config)
        return self.koi

    def read(self) -> "Reader":
        """Read the configuration and records for the current folder without opening OpenKoi."""
        self.reader = self.launcher.read(config=self.config)
        self.require_config(self.paths.config)
        return self.reader

    @property
    def paths(self) -> "Paths":
        """The paths of OpenKoi's files."""
        return self.launcher.paths(config=self.config)

    def load(self, kind: str, name: str) -> object:
        """Load a plugin in the event loop that the command will use."""
        from asyncio import Runner

        self.runner = self.runner or Runner()
        return self.runner.run((self.koi or self.open()).load(kind, name))

    def close(self) -> None:
        """Close the event loop, if one was opened."""
        if self.runner:
            self.runner.close()

    def require_config(self, file: "Path") -> None:
        """Raise ConfigError if an explicitly given config file does not exist."""
        from openkoi_hookspecs import ConfigError

        named = "--config" if self.config else "OPENKOI_CONFIG" if is_config_from_variable() else ""
        if named and not file.exists():
            raise ConfigError(f"Config file not found: {file} (from {named}).")

    def redact(self, text: str) -> str:
        """Return the text without known secrets."""
        if known := self.koi or self.reader:
            return known.redact(text)
        from openkoi_base.redact import current_redactor

        return current_redactor()(text)


def require_path(path: str) -> str:
    if not path:
        import click

        raise click.UsageError("--config requires the path of a config file.")
    return path


def is_config_from_variable() -> bool:
    """Return whether a variable sets the config file; OPENKOI_HOME overrides it."""
    return bool(os.environ.get("OPENKOI_CONFIG")) and not os.environ.get("OPENKOI_HOME")
