"""The settings, folders and secrets that OpenKoi is opened with. Implements ``Configuration``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from openkoi_base.files import list_names, private_subfolder, save_key
from openkoi_hookspecs import ConfiguredSetting, Json, Limits
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_loader.unknown_settings import find_unknown_settings
from openkoi_settings import write_setting

from .services import Services

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AppConfiguration:
    """What an ``App`` knows without a run."""

    services: Services

    def chosen_name(self, kind: str) -> str:
        """Return the name of the plugin of a kind that ``[use]`` names."""
        return self.services.config.chosen_name(kind)

    @property
    def workspace(self) -> Path:
        """The default folder of tasks."""
        return self.services.config.workspace

    def setting(self, key: str, kind: type[T], default: T) -> T:
        """Return the value of a dotted key; raise ConfigError if it has another type."""
        return self.services.config.get(key, kind, default)

    def settings(self, *, bundles: bool = False) -> Sequence[ConfiguredSetting]:
        """List the settings that are set outside bundles; with ``bundles``, also those that bundles set."""
        return self.services.config.configured_settings(bundles=bundles)

    def unknown_settings(self, table: str = "") -> Sequence[str]:
        """Return a warning for each unknown setting, in one table or in all."""
        return find_unknown_settings(self.services.config, self.services.plugins, table)

    @property
    def limits(self) -> Limits:
        """The default limits of a task."""
        return self.services.config.limits

    def set_setting(self, key: str, value: Json) -> Path:
        """Set or remove a dotted key in the user's configuration; return the file."""
        return write_setting(self.services.config.paths.config, key, value)

    def folder(self, name: str) -> Path:
        """Return a private folder of this name in the data folder; create it if it is missing."""
        return private_subfolder(self.services.config.paths.data, name)

    def saved_keys(self) -> Sequence[str]:
        """List the providers whose keys are saved."""
        return list_names(self.services.config.paths.credentials)

    def save_key(self, provider: str, key: str) -> Path:
        """Save a key, readable only by its user, and replace an older one; return the file."""
        self.conceal(key)
        return save_key(self.services.config.paths.credentials, provider, key)

    def use_key(self, provider: str, key: str) -> None:
        """Build a provider with this key in this process, without saving it."""
        self.services.models.use_key(provider, key, "this process")

    def conceal(self, secret: str, name: str = "") -> None:
        """Mask a secret in all output from now on."""
        self.services.redactor.hold(secret, name)

    def redact(self, text: str) -> str:
        """Mask the secrets in a text before it is shown."""
        return self.services.redactor(text)
