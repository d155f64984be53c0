"""Reject invalid settings before any file is touched, instead of when a run first uses them."""

from collections.abc import Collection

from openkoi_hookspecs import ConfigError
from openkoi_settings import Config, keys

from .components import Components
from .unknown_settings import Readers, explain_unread


async def check_settings(changed: Collection[str], config: Config, components: Components) -> None:
    """Check the settings of these dotted keys.

    Raises ConfigError or PluginNotFoundError if a setting is unknown or cannot be used.
    """
    readers = Readers(config, components.plugins)
    pairs = [(key, one.origin) for key, one in config.settings.items() if one.origin.removeprefix("--set ") in changed]
    if wrong := [text for key, origin in pairs if (text := explain_unread(key, origin, readers))]:
        raise ConfigError(wrong[0])
    for kind, key in keys.SELECTORS.items():
        if key.name in changed and config[key] not in ("", "none"):
            await components.plugin(kind, config[key])
    await components.evaluators()
