"""Reject recording or replaying for a provider without cassette support: the option would be ignored."""

from typing import get_args

from openkoi_hookspecs import ConfigError, Env
from openkoi_settings import CASSETTE_VARIABLE, Config

from .plugins import Plugins
from .unknown_settings import parameters_of


def refuse_unrecordable(name: str, config: Config, plugins: Plugins) -> None:
    """Raise ConfigError if an installed provider does not support cassettes, but one was requested."""
    cassette = config.environment.get(CASSETTE_VARIABLE, "")
    found = next((one for one in plugins.found if (one.kind, one.name) == ("providers", name)), None)
    if not cassette or not found or name in plugins.provided.get("providers", {}):
        return
    hints = parameters_of(found)
    if hints is None or any(mark == Env(CASSETTE_VARIABLE) for hint in hints.values() for mark in get_args(hint)[1:]):
        return
    word = "replayed" if cassette.startswith("replay:") else "recorded"
    option = "--replay" if cassette.startswith("replay:") else "--record"
    raise ConfigError(
        f"The requests of provider {name} cannot be {word}: it does not support {option}. "
        f"Omit {option}, or choose another model with -m."
    )
