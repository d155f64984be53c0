"""The settings of the daemon, and the errors in them."""

import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from openkoi_hookspecs import ConfigError
from openkoi_hookspecs.lazy_dataclass import dataclass

PERIOD = re.compile(r"(\d+)\s*(m|h|d)")
TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


@dataclass(frozen=True, slots=True)
class Schedule:
    """A task that starts every day ``at`` a local time such as 08:00, or ``every`` 30m, 2h or 1d.

    Its answer goes to a ``channel`` of an ``app``; without a channel, to the first owner there.
    """

    task: str
    app: str
    at: str = ""
    every: str = ""
    channel: str = ""


def check_schedule(name: str, schedule: Schedule) -> None:
    """Raise ConfigError for a schedule without exactly one readable time."""
    known = (TIME.fullmatch(schedule.at) if schedule.at else None, PERIOD.fullmatch(schedule.every))
    if bool(schedule.at) == bool(schedule.every) or not any(known) or (known[1] and not int(known[1][1])):
        raise ConfigError(
            f'[commands.daemon.schedules.{name}] needs either `at`, such as "08:00", or `every`, such as "2h".'
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DaemonOptions:
    """How many tasks run at once, in which folder, and the scheduled tasks."""

    tasks: int = 8
    workspace: str = ""
    schedules: Mapping[str, Schedule] = field(default_factory=dict)


def check_options(options: DaemonOptions) -> None:
    """Raise ConfigError for settings that would prevent every task."""
    if options.tasks < 1:
        raise ConfigError(f"[commands.daemon] tasks is {options.tasks}; it must be at least 1.")
    if options.workspace and not Path(options.workspace).is_dir():
        raise ConfigError(f"[commands.daemon] workspace is {options.workspace}, which is not a folder.")
    for name, schedule in options.schedules.items():
        check_schedule(name, schedule)
