"""Make the redactor with the secrets that are known at the start."""

from collections.abc import Iterator
from contextlib import suppress

from openkoi_files import find_key, list_names
from openkoi_hookspecs import KoiError
from openkoi_redact import Redactor, Secret, environment_secrets, secrets_of
from openkoi_settings import Config, keys


def make_redactor(config: Config) -> Redactor:
    """Return a redactor for the secrets of the environment, the configuration and the saved keys, used or not."""
    settings = ((key, setting.value) for key, setting in config.settings.items())
    allowed = config[keys.ALLOWED_SECRETS]
    return Redactor([*environment_secrets(config.environment), *secrets_of(settings), *saved_secrets(config)], allowed)


def saved_secrets(config: Config) -> Iterator[Secret]:
    """Yield the saved keys of all providers; an unreadable store is reported when a key of it is needed."""
    folder = config.paths.credentials
    with suppress(KoiError, OSError):
        for name in list_names(folder):
            if key := find_key(folder, name):
                yield Secret(str(key.value), f"the saved key {name}")
