"""Write a durable record: ours, the floor, and other stores."""

import json
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.turns import Turn, address, take_part

RESULT = "a line of what a tool printed\n" * 30
LINE = json.dumps({"seq": 1, "id": "0123456789ab", "event": {"type": "tool_call_finished", "text": RESULT}}) + "\n"
Write = Callable[[int], object]


def timed(write: Write) -> Turn:
    """Return a turn that writes a number of records, and returns the milliseconds of each."""
    count = 0

    def turn(asked: dict[str, int]) -> list[float]:
        nonlocal count
        took = []
        for _ in range(asked["records"]):
            count += 1
            start = time.perf_counter()
            write(count)
            took.append(1_000 * (time.perf_counter() - start))
        return took

    return turn


def path(name: str) -> str:
    """Return a path in the contest's folder."""
    return str(Path(address(), name))


def plain() -> Turn:
    """Return the floor: a line, and ``fdatasync``."""
    file, data = os.open(path("lines"), os.O_CREAT | os.O_APPEND | os.O_WRONLY), LINE.encode()

    def write(number: int) -> None:
        os.write(file, data)
        getattr(os, "fdatasync", os.fsync)(file)

    return timed(write)


def ours() -> Turn:
    """Return the run log's ``append``, which also numbers the record, masks secrets and makes the JSON."""
    from openkoi_hookspecs import ToolResult
    from openkoi_hookspecs.events import ToolCallFinished
    from openkoi_runlog import RunLog

    log, event = RunLog(Path(path("sessions")), "session", str), ToolCallFinished(ToolResult(RESULT, call="call-1"))
    return timed(lambda number: log.append("run", [event]))


def by_logging() -> Turn:
    """Return ``logging`` with a ``FileHandler`` that is synced after each record, which it does not do by itself."""
    import logging

    handler, logger = logging.FileHandler(path("logging")), logging.getLogger("records")
    logger.propagate = False
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)

    def write(number: int) -> None:
        logger.info(LINE)
        assert handler.stream
        os.fsync(handler.stream.fileno())

    return timed(write)


def by_sqlite() -> Turn:
    """Return an insert into SQLite with its write-ahead log and full sync."""
    connection = sqlite3.connect(path("sqlite.db"))
    connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE records (id, line)")

    def write(number: int) -> None:
        connection.execute("INSERT INTO records VALUES (?, ?)", (number, LINE))
        connection.commit()

    return timed(write)


def by_lmdb() -> Turn:
    """Return a transaction of LMDB, which syncs by default."""
    import lmdb

    store, data = lmdb.open(path("lmdb"), map_size=2**30), LINE.encode()

    def write(number: int) -> None:
        with store.begin(write=True) as transaction:
            transaction.put(number.to_bytes(8, "big"), data)

    return timed(write)


def by_diskcache() -> Turn:
    """Return an entry of diskcache with full sync, which it does not do by default."""
    from diskcache import Cache

    cache = Cache(path("diskcache"), sqlite_synchronous=2)
    return timed(lambda number: cache.set(number, LINE))


def by_langgraph() -> Turn:
    """Return langgraph's checkpoint of a step, as its own SQLite saver writes it."""
    from langgraph.checkpoint.base import empty_checkpoint
    from langgraph.checkpoint.sqlite import SqliteSaver

    saver = SqliteSaver(sqlite3.connect(path("langgraph.db"), check_same_thread=False))
    saver.setup()
    config = {"configurable": {"thread_id": "run", "checkpoint_ns": ""}}

    def write(number: int) -> None:
        checkpoint = {**empty_checkpoint(), "channel_values": {"result": LINE}}
        saver.put(config, checkpoint, {"source": "loop", "step": number}, {})

    return timed(write)


def by_llm() -> Turn:
    """Return ``llm``'s log of one answer, as it writes it after each prompt: a thread, a turn and its messages."""
    import llm
    import sqlite_utils
    from llm.migrations import migrate

    class Saying(llm.Model):  # type: ignore[misc]  # its types are in its own home
        """A model that says the record."""

        model_id = "saying"

        def execute(self, *given: object, **named: object) -> list[str]:
            """Return it as a whole."""
            return [LINE]

    database, model = sqlite_utils.Database(path("llm.db")), Saying()
    migrate(database)
    answers: list[llm.Response] = []

    def write(number: int) -> None:
        answers.pop().log_to_db(database)

    log = timed(write)

    def turn(asked: dict[str, int]) -> Sequence[float] | None:
        answers.extend(model.prompt(f"Do {number}.") for number in range(asked["records"]))
        for answer in answers:
            answer.text()
        return log(asked)

    return turn


if __name__ == "__main__":
    take_part(
        {
            "plain": plain,
            "openkoi": ours,
            "logging": by_logging,
            "sqlite": by_sqlite,
            "lmdb": by_lmdb,
            "diskcache": by_diskcache,
            "langgraph-checkpoint-sqlite": by_langgraph,
            "llm": by_llm,
        }
    )
