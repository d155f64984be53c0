"""Tasks that begin at their times."""

import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from sqlite3 import connect

import pytest
from assistant_process import running, start, tasks_begun, telegram_chat, wait_until

from openkoi_assistant.daemon_options import Schedule, check_schedule
from openkoi_assistant.schedules import last_due
from openkoi_hookspecs import ConfigError

NOON = datetime(2026, 11, 26, 10, 34, 56, tzinfo=UTC)  # which is 12:34 in Helsinki
MORNING = """
[commands.daemon.schedules.morning]
at = "00:00"
task = "The capital of the day?"
app = "telegram"
"""


@pytest.mark.unit
@pytest.mark.parametrize(
    ("times", "due"),
    [
        ({"at": "08:00"}, datetime(2026, 11, 26, 6, 0, tzinfo=UTC)),
        ({"at": "12:34"}, datetime(2026, 11, 26, 10, 34, tzinfo=UTC)),
        ({"at": "18:00"}, datetime(2026, 11, 25, 16, 0, tzinfo=UTC)),
        ({"every": "30m"}, datetime(2026, 11, 26, 10, 30, tzinfo=UTC)),
        ({"every": "1d"}, datetime(2026, 11, 26, 0, 0, tzinfo=UTC)),
    ],
)
def test_when_a_schedule_was_due_last(times: dict[str, str], due: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    set_zone("Europe/Helsinki", monkeypatch)

    assert due == last_due(Schedule("x", "telegram", **times), NOON.astimezone())


def set_zone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process be in a time zone."""
    monkeypatch.setenv("TZ", name)
    time.tzset()


@pytest.fixture(autouse=True)
def in_the_zone_of_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take the time zone back."""
    yield
    monkeypatch.undo()
    time.tzset()


SPRING, AUTUMN = (datetime(2026, 3, 1, tzinfo=UTC), 60), (datetime(2026, 9, 1, tzinfo=UTC), 90)  # and days


@pytest.mark.parametrize(("start", "days"), [SPRING, AUTUMN], ids=["spring", "autumn"])
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago"])
def test_a_daily_task_is_begun_once_a_day_also_where_clocks_are_changed(
    zone: str, start: datetime, days: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_zone(zone, monkeypatch)
    for at in ("00:15", "01:30", "02:30", "09:00", "23:45"):
        due, begun = last_due(Schedule("x", "telegram", at=at), start.astimezone()), list[datetime]()
        for step in range(days * 24):
            now = start + timedelta(hours=step)
            if due < (due := max(due, last_due(Schedule("x", "telegram", at=at), now.astimezone()))):
                begun.append(now)

        assert days - 1 <= len(begun) <= days
        assert all(timedelta(hours=22) <= later - one <= timedelta(hours=26) for one, later in pairwise(begun))


@pytest.mark.unit
def test_a_move_to_another_zone_begins_nothing_twice_at_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was due at 9:00 in the one zone is due again at 9:00 in the other one, if that is hours later."""
    dues = []
    for zone in ("Europe/Berlin", "Asia/Tokyo", "Europe/Berlin", "America/New_York"):
        set_zone(zone, monkeypatch)
        dues.append(f"{last_due(Schedule('x', 'telegram', at='09:00'), NOON.astimezone()):%d %H:%M}")

    assert ["26 08:00", "26 00:00", "26 08:00", "25 14:00"] == dues


@pytest.mark.unit
@pytest.mark.parametrize(
    "times", [{}, {"at": "25:00"}, {"at": "8"}, {"every": "often"}, {"every": "0m"}, {"at": "08:00", "every": "1h"}]
)
def test_a_time_that_cannot_be_read_is_refused(times: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"schedules\.x"):
        check_schedule("x", Schedule("x", "telegram", **times))


def test_what_was_due_while_the_daemon_was_away_is_done_once(tmp_path: Path) -> None:
    with telegram_chat(tmp_path, more=MORNING) as chat:
        with running(chat.openkoi):
            chat.pair()
        database = chat.openkoi.home / "data" / "assistant" / "assistant.sqlite"
        with closing(connect(database)) as connection, connection:
            connection.execute("UPDATE cursors SET cursor = '2000-01-01' WHERE app = 'schedule:morning'")
        child = start(chat.openkoi)
        wait_until(lambda: tasks_begun(chat.openkoi))
        child.kill()
        child.communicate()
        with running(chat.openkoi):
            wait_until(lambda: "Paris." in chat.texts())
            chat.server.say("another capital?")
            wait_until(lambda: chat.texts().count("Paris.") == 2)

    assert ["The capital of the day?", "another capital?"] == tasks_begun(chat.openkoi)
