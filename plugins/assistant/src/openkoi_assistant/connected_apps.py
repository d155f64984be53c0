"""Find the apps that are connected: those with a table in the configuration, or a token."""

import os

from openkoi_hookspecs import Koi

VARIABLES = ("{}_BOT_TOKEN", "{}_TOKEN", "{}_API_KEY")
PREFIX = "integrations."


def connected_apps(koi: Koi) -> list[str]:
    """Return the names of the installed apps that are configured or have a token, without importing them."""
    entries = koi.plugins("integrations")
    if not entries:
        return []
    configured = {
        one.key.removeprefix(PREFIX).partition(".")[0] for one in koi.settings() if one.key.startswith(PREFIX)
    }
    known = configured | {name.partition(".")[0] for name in koi.saved_keys()}
    return [entry.name for entry in entries if entry.name in known or has_variable(entry.name)]


def has_variable(app: str) -> bool:
    """Return whether the environment has a token of an app."""
    return any(os.environ.get(name.format(app.upper().replace("-", "_"))) for name in VARIABLES)
