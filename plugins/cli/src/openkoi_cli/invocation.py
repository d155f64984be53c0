"""What holds for every command: which configuration, and how much is said. Knows no command."""

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import click

from .words import first_bare

if TYPE_CHECKING:
    import asyncio
    from pathlib import Path

    from openkoi_hookspecs import Koi, Launcher, OpenedKoi
    from openkoi_settings import Config, Key, Paths

OWN_NAME = "cli"
NOTHING: Mapping[str, object] = {}
T = TypeVar("T")


@dataclass(slots=True)
class Invocation:
    """One call of the command line. ``said`` tells that a person has read already what ended it."""

    launcher: "Launcher"
    config: str = ""
    verbose: bool = field(default_factory=lambda: os.environ.get("OPENKOI_VERBOSE", "") not in ("", "0"))
    koi: "OpenedKoi | None" = None
    said: bool = False
    runner: "asyncio.Runner | None" = None

    @property
    def frontends(self) -> dict[str, str]:
        """The other frontends, by the distribution they come from."""
        there = self.launcher.plugins("frontends")
        return {one.name: one.distribution for one in there if one.name != OWN_NAME}

    def take(self, arguments: Iterable[str], frontends: Collection[str] = ()) -> list[str]:
        """Take out what is ours, wherever it stands before ``--`` or the name of a frontend; return the rest."""
        rest: list[str] = []
        words = iter(arguments)
        for word in words:
            if word == "--" or (word in frontends and first_bare([*rest, word]) == len(rest)):
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
        flags: Mapping[str, object] = NOTHING,
        *,
        settings: Mapping[str, object] = NOTHING,
        workspace: "Path | None" = None,
    ) -> "OpenedKoi":
        """OpenKoi for a folder: that which we stand in, unless another is named."""
        self.koi = self.launcher.open(workspace, config=self.config, flags=flags, settings=settings)
        self.look_for(self.paths.config)
        return self.koi

    @property
    def paths(self) -> "Paths":
        """Where OpenKoi keeps its files."""
        from openkoi_settings import find_paths

        return find_paths(config=self.config)

    def read_config(self, flags: Mapping[str, object] = NOTHING) -> "Config":
        """Read what is set here, with where it comes from."""
        from pathlib import Path

        from openkoi_loader.bundles import bundle_folders
        from openkoi_loader.registry import scan
        from openkoi_settings import load_config

        return load_config(self.paths, Path.cwd(), bundles=bundle_folders(scan()), flags=flags)

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
            return self.koi.redact(text)
        from openkoi_base.redact import current_redactor

        return current_redactor()(text)


def read_setting(koi: "Koi", key: "Key[T]") -> T:
    """Return the value of a declared setting."""
    return koi.setting(key.name, key.kind, key.default)


def given(path: str) -> str:
    if not path:
        raise click.UsageError("--config needs the path of a configuration file.")
    return path


def from_variable() -> bool:
    """Whether a variable names the configuration file; OPENKOI_HOME outranks it."""
    return bool(os.environ.get("OPENKOI_CONFIG")) and not os.environ.get("OPENKOI_HOME")
