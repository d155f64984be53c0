"""Define the policy of a sandbox, as configured: whether a command has network access, and which files it may use."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import IntEnum
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

CREDENTIALS = (
    "~/.openkoi",
    "$OPENKOI_HOME",
    "$OPENKOI_CONFIG/../credentials",
    "$XDG_CONFIG_HOME/openkoi",
    "~/.ssh",
    "~/.gnupg",
    "~/.aws",
    "~/.azure",
    "~/.kube",
    "~/.docker",
    "~/.netrc",
    "~/.git-credentials",
    "~/.config/git/credentials",
    "~/.config/gcloud",
    "~/.config/gh",
    "~/.config/hub",
    "~/.config/op",
    "~/.config/rclone",
    "~/.config/containers/auth.json",
    "~/.cache/huggingface/token",
    "~/.npmrc",
    "~/.pypirc",
    "~/.cargo/credentials",
    "~/.cargo/credentials.toml",
    "~/.gem/credentials",
    "~/.terraform.d",
    "~/.vault-token",
    "~/.password-store",
    "~/.local/share/keyrings",
    "~/.pgpass",
    "~/.my.cnf",
    "~/.Xauthority",
    "~/.mozilla",
    "~/.thunderbird",
    "~/.config/google-chrome",
    "~/.config/chromium",
    "~/.bash_history",
    "~/.zsh_history",
    "~/.python_history",
    "/etc/shadow",
)


class SandboxLevel(IntEnum):
    """Name how much a sandbox enforces, as in the configuration."""

    NONE = 0
    LIMITED = 1
    CONFINED = 2
    ISOLATED = 3


@dataclass(frozen=True, slots=True)
class SandboxPolicy:
    """What is open to a command besides its workspace, and how much of it. Sizes are bytes; 0 means no limit."""

    network: bool = True
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    memory: int = 0
    file: int = 0
    processes: int = 0

    def with_paths(self, *, writable: Iterable[Path], readable: Iterable[Path]) -> "SandboxPolicy":
        """Return the same policy with more writable and readable paths."""
        return replace(self, writable=(*self.writable, *writable), readable=(*self.readable, *readable))


def expand_paths(names: Iterable[str], environment: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Return the real paths; ``~`` and variables may begin them. Skip one whose variable is not set."""
    expanded = [expand_path(name, environment) for name in names]
    return tuple(dict.fromkeys(path for path in expanded if path is not None))


def expand_path(name: str, environment: Mapping[str, str]) -> Path | None:
    """Return one real path: links are followed, so that it cannot be bypassed."""
    first, slash, rest = name.partition("/")
    if first.startswith("$"):
        value = environment.get(first[1:], "")
        return Path(os.path.realpath(os.path.normpath(value + slash + rest))) if value else None
    return Path(os.path.realpath(Path(name).expanduser()))


def is_within(path: Path, folders: Iterable[Path]) -> bool:
    """Return whether a path is one of these, or below one."""
    return any(path.is_relative_to(folder) for folder in folders)
