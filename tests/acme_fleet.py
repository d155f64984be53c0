"""Define a plugin for a fleet: workers in many processes take tasks from one queue and share a daily budget.

It knows the contract and click alone. The queue is an SQLite file here; a real one would be a database of the team.
"""

import asyncio
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from openkoi_hookspecs import Handle, Koi, KoiError, Limits, Task, events

TABLE = """CREATE TABLE IF NOT EXISTS tasks (
    id INTEGER PRIMARY KEY, text TEXT, state TEXT DEFAULT 'queued', worker TEXT, run TEXT, result TEXT,
    reserved REAL DEFAULT 0, usd REAL DEFAULT 0
)"""
OUT = "SELECT coalesce(sum(max(usd, reserved)), 0) FROM tasks"
NEXT = "SELECT id, text FROM tasks WHERE state = 'queued' ORDER BY id LIMIT 1"
TAKE = "UPDATE tasks SET state = 'running', worker = ?, reserved = ? WHERE id = ?"
END = "UPDATE tasks SET state = ?, result = ?, usd = ?, reserved = 0 WHERE id = ?"


class Queue:
    """Tasks, and what they cost."""

    def __init__(self, path: Path, usd_a_day: float, usd_a_task: float) -> None:
        self.path, self.usd_a_day, self.usd_a_task = path, usd_a_day, usd_a_task

    @contextmanager
    def file(self) -> Iterator[sqlite3.Connection]:
        """An exclusive transaction."""
        file = sqlite3.connect(self.path, timeout=30, isolation_level=None)
        file.execute("BEGIN IMMEDIATE")
        file.execute(TABLE)
        yield file
        file.execute("COMMIT")
        file.close()

    def submit(self, texts: tuple[str, ...]) -> None:
        with self.file() as file:
            file.executemany("INSERT INTO tasks (text) VALUES (?)", [(text,) for text in texts])

    def take(self, worker: str) -> tuple[int, str, float] | None:
        """Reserve dollars for the next task, and take it; a task without enough budget is over."""
        with self.file() as file:
            (out,), found = file.execute(OUT).fetchone(), file.execute(NEXT).fetchone()
            if found is None:
                return None
            lease = min(self.usd_a_task, self.usd_a_day - out)
            if lease <= 0:
                file.execute(END, ("over budget", "", 0, found[0]))
                return found[0], "", 0.0
            file.execute(TAKE, (worker, lease, found[0]))
            return found[0], found[1], lease

    def begun(self, id: int, run: str) -> None:
        with self.file() as file:
            file.execute("UPDATE tasks SET run = ? WHERE id = ?", (run, id))

    def settle(self, id: int, state: str, text: str, usd: float) -> None:
        with self.file() as file:
            file.execute(END, (state, text, usd, id))

    def all(self) -> list[tuple[object, ...]]:
        with self.file() as file:
            return file.execute("SELECT id, state, worker, run, result, usd FROM tasks ORDER BY id").fetchall()


def paid(koi: Koi, run: str) -> float:
    """The cost of a run, with or without a result."""
    logged = [one.event for one in koi.records(koi.session) if one.run == run]
    return sum(event.usd for event in logged if isinstance(event, events.ModelResponse))


async def work_off(koi: Koi, queue: Queue) -> None:
    """Do one task after the other until none is queued."""
    while taken := await asyncio.to_thread(queue.take, f"{os.getpid()}"):
        id, text, lease = taken
        if lease:
            handle = koi.begin(Task(text, channel="fleet", limits=Limits(usd=lease, iterations=0)))
            await asyncio.to_thread(queue.begun, id, handle.id)
            state, words = await ended(handle)
            await asyncio.to_thread(queue.settle, id, state, words, paid(koi, handle.id))


async def ended(handle: Handle) -> tuple[str, str]:
    try:
        result = await handle.result()
    except KoiError as error:
        return "failed", str(error)
    return result.decision.action, result.text


def fleet(*, path: Path, usd_a_day: float = 10.0, usd_a_task: float = 0.5) -> click.Group:
    """``[commands.acme]``."""
    queue = Queue(path, usd_a_day, usd_a_task)

    @click.group()
    def group() -> None:
        """Do the tasks of a queue on many machines."""

    @group.command()
    @click.argument("texts", nargs=-1)
    def submit(texts: tuple[str, ...]) -> None:
        """Put tasks into the queue."""
        queue.submit(texts)

    @group.command()
    @click.option("--at-once", default=2)
    @click.pass_obj
    async def work(koi: Koi, at_once: int) -> None:
        """Take tasks until none is left."""
        await asyncio.gather(*(work_off(koi, queue) for _ in range(at_once)))
        await koi.drain()

    return group
