"""Warn about settings of apps that contain ``*``, which does not match all users."""

from openkoi_hookspecs import Koi

PREFIX = "integrations."
WILDCARD = '{0} in {1} contains "*", which does not match users or channels. List each one.'


def find_wildcards(koi: Koi) -> list[str]:
    """Return a warning for each setting of an app that contains a ``*``."""
    return [
        WILDCARD.format(one.key, one.origin)
        for one in koi.settings()
        if one.key.startswith(PREFIX) and "*" in (one.value if isinstance(one.value, list | tuple) else (one.value,))
    ]
