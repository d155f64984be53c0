"""Rename deprecated settings: an old name works for two years; after that, an error names the new one."""

from collections.abc import Mapping
from datetime import UTC, date, datetime

from openkoi_hookspecs import ConfigError

from .keys import KEYS
from .value import Setting

DEPRECATED = {former.name: (key.name, former) for key in KEYS for former in key.former}


def rename_deprecated(layer: Mapping[str, Setting], today: date | None = None) -> tuple[dict[str, Setting], list[str]]:
    """Give deprecated keys their new names; a new name in the same layer wins. Raise ConfigError for expired ones."""
    now = today or datetime.now(UTC).date()
    renamed: dict[str, Setting] = {}
    warnings: list[str] = []
    for old, setting in layer.items():
        if old not in DEPRECATED:
            continue
        new, former = DEPRECATED[old]
        until = format_date(former.until)
        if now >= former.until:
            raise ConfigError(f"{old} in {setting.origin} was removed on {until}: use {new}.")
        since = format_date(former.since)
        warnings.append(
            f"{old} in {setting.origin} has been deprecated since {since}: use {new}. The old name works until {until}."
        )
        renamed[new] = setting
    return {**renamed, **{name: one for name, one in layer.items() if name not in DEPRECATED}}, warnings


def format_date(day: date) -> str:
    """Format a day as in release numbers: 2026.11.21."""
    return f"{day.year}.{day.month}.{day.day}"
