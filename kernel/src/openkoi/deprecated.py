"""Renamed settings: an old name works for two years, and is then refused with the new one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from openkoi_files import Setting
from openkoi_hookspecs import ConfigError

TWO_YEARS = timedelta(days=731)
FIRST = date(2026, 11, 21)


@dataclass(frozen=True, slots=True)
class Renamed:
    """The name that a setting has now, and the release that gave it, by its date."""

    new: str
    since: date = FIRST

    @property
    def until(self) -> date:
        """The day on which the old name is refused."""
        return self.since + TWO_YEARS


DEPRECATED: Mapping[str, Renamed] = {
    "iteration.timeout": Renamed("iteration.timeout_seconds"),
    "safety.max_iterations": Renamed("iteration.max_iterations"),
    "safety.max_tokens": Renamed("iteration.token_budget"),
    "safety.max_duration": Renamed("iteration.timeout_seconds"),
    "safety.tool_loop.warning_threshold": Renamed("safety.tool_loop.warning"),
    "safety.tool_loop.critical_threshold": Renamed("safety.tool_loop.critical"),
    "safety.tool_loop.circuit_breaker_threshold": Renamed("safety.tool_loop.circuit_breaker"),
}


def rename_deprecated(layer: Mapping[str, Setting], today: date | None = None) -> tuple[dict[str, Setting], list[str]]:
    """Give deprecated keys their new names; a new name in the same layer wins. Raise ConfigError for those refused."""
    now = today or datetime.now(UTC).date()
    old = {key: DEPRECATED[key] for key in layer if key in DEPRECATED}
    for key, renamed in old.items():
        if now >= renamed.until:
            raise ConfigError(
                f"{key} in {layer[key].origin} was removed on {format_date(renamed.until)}: use {renamed.new}."
            )
    warnings = [
        f"{key} in {layer[key].origin} is deprecated since {format_date(renamed.since)}: use {renamed.new}. "
        f"It works until {format_date(renamed.until)}."
        for key, renamed in old.items()
    ]
    fresh = {renamed.new: layer[key] for key, renamed in old.items()}
    return {**fresh, **{key: setting for key, setting in layer.items() if key not in old}}, warnings


def format_date(day: date) -> str:
    """Write a day as releases are numbered: 2026.11.21."""
    return f"{day.year}.{day.month}.{day.day}"
