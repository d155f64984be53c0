"""What holds for every command: which configuration, and how much is said. Knows no command."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from openkoi_loader.registry import Scan

if TYPE_CHECKING:
    import asyncio
    from pathlib import Path

    from openkoi.app import App


@dataclass(slots=True)
class Invocation:
    """One call of the command line. ``said`` tells that a person has read already what ended it."""

    found: Scan
    config: str = ""
    verbose: bool = field(default_factory=lambda: os.environ.get("OPENKOI_VERBOSE", "") not in ("", "0"))
    koi: "App | None" = None
    said: bool = False
    runner: "asyncio.Runner | None" = None

    def take(self, arguments: Iterable[str]) -> list[str]:
        """Take out what is ours, wherever it stands before ``--``; return the rest."""
        rest: list[str] = []
        words = iter(arguments)
        for word in words:
            if word == "--":
                return [*rest, word, *words]
            if word == "--verbose":
                self.verbose = True
            elif word == "--config":
                self.config = given(next(words, ""))
            elif word.startswith("--config="):
                self.config = given(word.partition("=")[2])
            else:
                rest.append(word)
        return rest

    def open(
        self,
        flags: Mapping[str, object] | None = None,
        *,
        settings: Mapping[str, object] | None = None,
        workspace: "Path | None" = None,
    ) -> "App":
        """OpenKoi for a folder: that which we stand in, unless another is named."""
        from pathlib import Path

        from openkoi.open_app import open_app

        self.koi = open_app(
            workspace or Path.cwd(), flags=flags, config=self.config, found=self.found, settings=settings
        )
        self.look_for(self.koi.services.config.paths.config)
        return self.koi

    def load(self, kind: str, name: str) -> object:
        """Load a plugin in the loop in which a command runs afterwards."""
        from asyncio import Runner

        self.runner = self.runner or Runner()
        return self.runner.run((self.koi or self.open()).load(kind, name))

    def close(self) -> None:
        """Leave what was loaded and is not left yet."""
        if self.runner:
            self.runner.close()

    def look_for(self, file: "Path") -> None:
        """Refuse to go on without a configuration file that was asked for by name."""
        from openkoi_hookspecs import ConfigError

        named = "--config" if self.config else "OPENKOI_CONFIG" if from_variable() else ""
        if named and not file.exists():
            raise ConfigError(
                f"There is no configuration file {file}, which {named} names. Create it, or name another file."
            )

    def redact(self, text: str) -> str:
        """The text without the secrets that are known by now."""
        if self.koi:
            return self.koi.services.redactor(text)
        from openkoi_redact import current_redactor

        return current_redactor()(text)


def given(path: str) -> str:
    if not path:
        raise click.UsageError("--config needs the path of a configuration file.")
    return path


def from_variable() -> bool:
    """Whether a variable names the configuration file; OPENKOI_HOME outranks it."""
    return bool(os.environ.get("OPENKOI_CONFIG")) and not os.environ.get("OPENKOI_HOME")
