"""Tasks that begin at their times."""

from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from sqlite3 import connect

import pytest
from assistant_process import running, start, tasks_begun, telegram_chat, wait_until

from openkoi_assistant.daemon_options import Schedule, check_schedule
from openkoi_assistant.schedules import last_due
from openkoi_hookspecs import ConfigError

EAST = timezone(timedelta(hours=2))
NOON = datetime(2026, 11, 26, 12, 34, 56, tzinfo=EAST)
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
def test_when_a_schedule_was_due_last(times: dict[str, str], due: datetime) -> None:
    assert due == last_due(Schedule("x", "telegram", **times), NOON)


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
