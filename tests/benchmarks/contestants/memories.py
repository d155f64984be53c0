"""Keep 50,000 texts on the disk, add what a task said, and search at once: our memory, a scan, SQLite's FTS5, tantivy.

All read and write the same texts. Peers store texts alone; ours also reads whose they are and when they were said,
compares pieces of words, and reads the index that a killed process leaves.
"""

import heapq
import os
import random
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.turns import Turn, address, take_part

RUNS = int(os.environ.get("BENCHMARK_RUNS", "5000"))  # a test that measures nothing sets fewer
PIECES = 10 * RUNS
EVERYWHERE = "accepted station"  # is in each text
SYLLABLES = ["ba", "de", "fi", "go", "ka", "le", "mi", "no", "pa", "re", "si", "to", "va", "we", "zu"]


class Store(NamedTuple):
    """A contestant: add the texts of some runs, and search."""

    add: Callable[[list[list[str]]], None]
    search: Callable[[str], int]


class Chance:
    """Texts and questions whose words are frequent and rare as in a language; the same for all."""

    def __init__(self) -> None:
        self.random = random.Random(11)
        self.words = sorted({"".join(self.random.choices(SYLLABLES, k=size)) for size in (2, 3, 3, 3, 4) * 2_000})
        self.random.shuffle(self.words)

    def word(self, start: float = 0.0) -> str:
        """Return a word; words from ``start`` on, as a share of all, are rare ones that occur late."""
        return self.words[int(len(self.words) * (start + (1 - start) * self.random.random() ** 3))]

    def text(self) -> str:
        """Return a text."""
        return " ".join([*(self.word() for _ in range(self.random.randint(6, 18))), EVERYWHERE])

    def question(self, kind: int) -> str:
        """Return a question: of three words, of twelve, or with words that are everywhere."""
        usual = [self.word(0.3), self.word(0.05), self.word()]
        return " ".join((usual, [self.word() for _ in range(12)], [EVERYWHERE, usual[0]])[kind])


def kept(make: Callable[[], Store]) -> Turn:
    """Return a turn that asks questions of a kind, and adds a run before each if ``add`` is set.

    It returns the milliseconds of processor time of each question, with what was added.
    """
    chance, store = Chance(), make()
    for _ in range(10):
        store.add([[chance.text() for _ in range(PIECES // RUNS)] for _ in range(RUNS // 10)])
    store.search(chance.question(0))

    def turn(asked: dict[str, int]) -> list[float]:
        took = []
        for _ in range(asked["questions"]):
            question, texts = chance.question(asked["kind"]), [chance.text() for _ in range(3)]
            began = time.process_time()
            if asked["add"]:
                store.add([texts])
            found = store.search(question)
            took.append(1_000 * (time.process_time() - began))
            assert found
        return took

    return turn


def ours() -> Store:
    """Return the index of the default memory."""
    from openkoi_duckdb.names import LEXICAL_DIMENSIONS, LEXICAL_WEIGHT
    from openkoi_hookspecs import Cost, Decision, NextAction, Query, Record, Response, StreamEnd, Task, Text, Usage
    from openkoi_hookspecs.events import ModelResponse, RunCompleted, TaskStarted
    from openkoi_search.indexed_memory import IndexedMemory
    from openkoi_search.lock_timeout import LockTimeout

    memory = IndexedMemory(Path(address(), "index"), dimensions=LEXICAL_DIMENSIONS, weight=LEXICAL_WEIGHT)
    ended = RunCompleted(Decision(NextAction.ACCEPT, "ok"), Cost(tokens=5))
    count = 0

    def records(texts: list[str]) -> list[Record]:
        nonlocal count
        count += 1
        run = f"{count:08}"
        said = [ModelResponse("m", Response((Text(text),), StreamEnd(Usage())), 0.0) for text in texts[1:]]
        events = [TaskStarted(Task(texts[0], session="s")), *said, ended]
        return [
            Record(f"{run}{place:04}", f"2026-11-01T10:00:{place:02}.0", run, event)
            for place, event in enumerate(events)
        ]

    def add(runs: list[list[str]]) -> None:
        memory.read_offsets()
        memory.add([record for texts in runs for record in records(texts)], LockTimeout(5))

    return Store(add, lambda question: len(memory.find(Query(question, scope="all"))))


def scan() -> Store:
    """Return the floor: a file with one text per line, which each question reads completely."""
    path = Path(address(), "lines")

    def add(runs: list[list[str]]) -> None:
        with path.open("a") as lines:
            lines.writelines(f"{text}\n" for texts in runs for text in texts)

    def search(question: str) -> int:
        words = question.split()
        counts = ((sum(word in line for word in words), line) for line in path.read_text().splitlines())
        return len(heapq.nlargest(10, (found for found in counts if found[0])))

    return Store(add, search)


def sqlite() -> Store:
    """Return SQLite's FTS5 with its Porter stemmer."""
    connection = sqlite3.connect(Path(address(), "fts5.db"))
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")

    def add(runs: list[list[str]]) -> None:
        connection.executemany("INSERT INTO texts (text) VALUES (?)", [(text,) for texts in runs for text in texts])
        connection.commit()

    def search(question: str) -> int:
        asked = "SELECT text FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 10"
        return len(connection.execute(asked, (" OR ".join(question.split()),)).fetchall())

    return Store(add, search)


def tantivy() -> Store:
    """Return tantivy with its English stemmer."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=True, tokenizer_name="en_stem")
    folder = Path(address(), "tantivy")
    folder.mkdir()
    index: Any = tantivy.Index(builder.build(), path=str(folder))
    writer = index.writer(num_threads=1)

    def add(runs: list[list[str]]) -> None:
        for texts in runs:
            for text in texts:
                writer.add_document(tantivy.Document(text=text))
        writer.commit()
        index.reload()

    def search(question: str) -> int:
        searcher = index.searcher()
        hits = searcher.search(index.parse_query(question, ["text"]), 10).hits
        return len([searcher.doc(place)["text"] for _, place in hits])

    return Store(add, search)


if __name__ == "__main__":
    take_part(
        {
            "openkoi": lambda: kept(ours),
            "scan": lambda: kept(scan),
            "sqlite": lambda: kept(sqlite),
            "tantivy": lambda: kept(tantivy),
        }
    )
