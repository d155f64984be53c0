"""The settings, folders and secrets of OpenKoi, as plugins and programs use them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from .lazy_dataclass import dataclass
from .task import Limits
from .tool import Json

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Paths:
    """``config`` is a file, next to ``credentials/`` and ``SOUL.md``. ``data`` is a folder."""

    config: Path
    data: Path

    @property
    def sessions(self) -> Path:
        """The run log: one file per session."""
        return self.data / "sessions"

    @property
    def running(self) -> Path:
        """One file per active run, locked by its process."""
        return self.data / "running"

    @property
    def credentials(self) -> Path:
        """Saved keys, private to their user."""
        return self.config.parent / "credentials"


@dataclass(frozen=True, slots=True)
class ConfiguredSetting:
    """A setting of the user, the project, the environment or the command line.

    ``origin`` says where it is set: a file, a ``$VARIABLE``, a ``--flag``. ``default`` is None if the setting has no
    default.
    """

    key: str
    value: object
    origin: str
    default: object = None


class Configuration(Protocol):
    """How OpenKoi is configured for the folder it was opened in. A ``Koi`` is one."""

    @property
    def workspace(self) -> Path:
        """The default folder of tasks."""

    @property
    def limits(self) -> Limits:
        """The default limits of a task."""

    def setting(self, key: str, kind: type[T], default: T) -> T:
        """Return the value of a dotted key of the configuration; raise ConfigError if it has another type.

        If it is not set, a setting of a common table has its declared default, any other has ``default``.
        """

    def settings(self, *, bundles: bool = False) -> Sequence[ConfiguredSetting]:
        """List what the user, project, environment and command line set; with ``bundles``, also what bundles set."""

    def unknown_settings(self, table: str = "") -> Sequence[str]:
        """Return a warning for each unknown setting, of a dotted table or of all."""

    def chosen_name(self, kind: str) -> str:
        """Return the name of the plugin of a kind that ``[use]`` selects; empty if none, an error for other kinds."""

    def set_setting(self, key: str, value: Json) -> Path:
        """Set a dotted key in the user's configuration and leave everything else unchanged; return the file.

        A value may be a list or a table; None removes the key. Raises ConfigError.
        """

    def folder(self, name: str) -> Path:
        """Return a private folder of this name in the data folder; create it if it is missing."""

    def saved_keys(self) -> Sequence[str]:
        """List the providers whose keys are saved."""

    def save_key(self, provider: str, key: str) -> Path:
        """Save a key, readable only by its user, and replace an older one; return the file that contains it."""

    def use_key(self, provider: str, key: str) -> None:
        """Build a provider with this key in this process, without saving it."""

    def conceal(self, secret: str, name: str = "") -> None:
        """Mask a secret in all output from now on; ``name`` says what it is."""

    def redact(self, text: str) -> str:
        """Mask the secrets in text before it is shown. The log is masked; records passed to listeners are not."""
