"""Refuse settings before a file is touched that a run would refuse only when it makes use of them."""

from collections.abc import Mapping

from openkoi_hookspecs import ConfigError

from .components import SETTING_OF
from .sandbox_policy import KEY, LEVELS, level_of
from .services import Services
from .unknown_settings import Readers, explain_unread

CHOSEN = {**SETTING_OF, "compactors": "compactor"}


async def check_settings(services: Services, changed: Mapping[str, object]) -> None:
    """Check ``changed`` settings, by dotted key.

    Raises ConfigError or PluginNotFoundError for one that nothing reads or that cannot be used.
    """
    config = services.config
    readers = Readers(config, services.plugins)
    said = [(key, one.origin) for key, one in config.settings.items() if one.origin.removeprefix("--set ") in changed]
    if wrong := [text for key, origin in said if (text := explain_unread(key, origin, readers))]:
        raise ConfigError(wrong[0])
    level_of(config.get(KEY, str, LEVELS[0]))
    _ = config.ceilings, config.day
    for kind, name in ((kind, config.get(f"use.{key}", str, "")) for kind, key in CHOSEN.items()):
        if f"use.{CHOSEN[kind]}" in changed and name not in ("", "none"):
            await services.components.plugin(kind, name)
    await services.components.evaluators()
