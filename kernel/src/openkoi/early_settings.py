"""Refuse settings before a file is touched that a run would refuse only when it makes use of them."""

from collections.abc import Mapping

from openkoi_hookspecs import ConfigError
from openkoi_loader.unknown_settings import Readers, explain_unread
from openkoi_settings import keys

from .services import Services


async def check_settings(services: Services, changed: Mapping[str, object]) -> None:
    """Check ``changed`` settings, by dotted key.

    Raises ConfigError or PluginNotFoundError for one that nothing reads or that cannot be used.
    """
    config = services.config
    readers = Readers(config, services.plugins)
    said = [(key, one.origin) for key, one in config.settings.items() if one.origin.removeprefix("--set ") in changed]
    if wrong := [text for key, origin in said if (text := explain_unread(key, origin, readers))]:
        raise ConfigError(wrong[0])
    for kind, key in keys.SELECTORS.items():
        if key.name in changed and config[key] not in ("", "none"):
            await services.components.plugin(kind, config[key])
    await services.components.evaluators()
