"""Find the secrets that are known at startup: in the environment, the configuration and the saved keys."""

from collections.abc import Iterator
from contextlib import suppress

from openkoi_base.redact import Secret, environment_secrets, secrets_of
from openkoi_hookspecs import KoiError

from .config import Config


def known_secrets(config: Config) -> Iterator[Secret]:
    """Yield all known secrets, used or not."""
    yield from environment_secrets(config.environment)
    yield from secrets_of((key, setting.value) for key, setting in config.settings.items())
    yield from saved_secrets(config)


def saved_secrets(config: Config) -> Iterator[Secret]:
    """Yield the saved keys of all providers; an unreadable store is reported when one of its keys is needed."""
    folder = config.paths.credentials
    if not folder.is_dir():
        return
    from openkoi_base.files import find_key, list_names

    with suppress(KoiError, OSError):
        for name in list_names(folder):
            if key := find_key(folder, name):
                yield Secret(str(key.value), f"the saved key {name}")
