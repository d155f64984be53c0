"""Read the configuration and the memory without opening OpenKoi. Implements ``Reader``."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from openkoi_base.redact import CURRENT, Redactor
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_settings import Config, load_config
from openkoi_settings.keys import ALLOWED_SECRETS
from openkoi_settings.known_secrets import known_secrets

from .bundles import as_preferred, bundle_folders
from .plugin_discovery import Found, Scan, resolve

if TYPE_CHECKING:
    from openkoi_hookspecs import Paths
    from openkoi_hookspecs.reading import MemoryReader

T = TypeVar("T")
MEMORY, READ_MEMORY = "memory", "read_memory"


@dataclass(frozen=True, slots=True)
class Reading:
    """OpenKoi as it is installed and configured for a folder."""

    config: Config
    found: Scan
    redactor: Redactor

    @property
    def data(self) -> Path:
        """OpenKoi's data folder."""
        return self.config.paths.data

    def setting(self, key: str, kind: type[T], default: T) -> T:
        """Return the value of a dotted key."""
        return self.config.get(key, kind, default)

    def table(self, name: str) -> Mapping[str, object]:
        """Return the settings below a dotted name."""
        return {key: one.value for key, one in self.config.table(name).items()}

    def chosen_name(self, kind: str) -> str:
        """Return the name of the plugin of a kind that ``[use]`` names."""
        return self.config.chosen_name(kind)

    def plugins(self, kind: str) -> Sequence[Found]:
        """List the enabled installed plugins of a kind."""
        from openkoi_settings.plugin_keys import ENABLED

        there = [one for one in self.found.found if one.kind == kind]
        return [one for one in there if self.config[ENABLED.at(kind, one.name)]]

    def memory(self) -> "MemoryReader | None":
        """Return the chosen memory, if its module can read it; one that fails must be loaded, which reports why."""
        name = self.chosen_name(MEMORY)
        module = next((one.target.partition(":")[0] for one in self.plugins(MEMORY) if one.name == name), "")
        try:
            read = getattr(resolve(module), READ_MEMORY, None) if module else None
            found: MemoryReader | None = read(self) if read else None
        except Exception:  # a memory is a plugin: its import may raise anything
            return None
        return found

    def warnings(self) -> Sequence[str]:
        """List the problems of the installation and the configuration."""
        from openkoi_base.files import restrict_permissions

        odd = (*self.config.warnings, *restrict_permissions(self.config.paths.credentials))
        return (*self.found.broken, *map(str, self.found.clashes), *odd)

    def redact(self, text: str) -> str:
        """Mask the secrets in a text before it is shown."""
        return self.redactor(text)


def read_installation(found: Scan, paths: "Paths", workspace: Path) -> Reading:
    """Read the configuration for a folder; raise ConfigError if it is invalid."""
    config = load_config(paths, workspace, bundles=bundle_folders(found), environment=os.environ)
    redactor = Redactor(known_secrets(config), config[ALLOWED_SECRETS])
    CURRENT.set(redactor)
    return Reading(config, as_preferred(found, config), redactor)
