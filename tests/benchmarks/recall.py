"""Measure recall@10 of each search method: the share of the relevant texts among the first ten results.

The conversations are made up by seed, the functions are the repository's own. Ranks fused is what others do; it is here
to be measured against. Libraries for full-text search have the same texts, with who spoke and when in front of each,
and the same questions; they know nothing of neighbours and names. Times are those of processor time a question, without
making the index.
"""

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from .contest import Contestant, Cost, Entry, enlisted, round_robin, table
from .contestants.retrieval import WAYS
from .contestants.texts import K
from .peers import peers_in
from .recall_code import code
from .recall_talk import Question, Talk, talk

OURS = "openkoi"
FTS5 = Entry("SQLite FTS5", "texts", way="sqlite")
OWN = (Entry(OURS, "retrieval", way=OURS), FTS5)
PEERS = ("bm25s", "tantivy", "whoosh", "rank-bm25", "duckdb")
Result = tuple[Sequence[float], float]  # what share of its evidence each question finds, and ms a question


def show(rounds: int) -> None:
    """Print a table for each set of questions, with one conversation per round."""
    with TemporaryDirectory() as folder, enlisted([*OWN, *peers_in("texts", *PEERS)], folder) as contestants:
        for name, talks in {"conversations": [talk(seed) for seed in range(rounds)], "functions": [code()]}.items():
            count = sum(len(one.questions) for one in talks)
            print(f"{name}: {sum(len(one.turns) for one in talks):,} texts, {count:,} questions, recall@{K}")
            print(table(["", "lexical", "a question"], rows(talks, contestants, Path(folder))))


def rows(talks: Sequence[Talk], contestants: list[Contestant], folder: Path) -> list[list[str]]:
    """Return a line for each of our methods, and for each library."""
    results: dict[str, list[Result]] = {}
    for one in talks:
        number = len(list(folder.iterdir()))
        write(one, folder / f"{number}.json")
        ours, *others = contestants
        for way, name in enumerate(WAYS):
            results.setdefault(name, []).append(result(one, ours.turn(talk=number, way=way)))
        for name, costs in round_robin(others, 1, talk=number).items():
            results.setdefault(name, []).append(result(one, costs[0]))
    names = {one.entry.name: f"{one.entry.name} {one.version}".strip() for one in contestants}
    return [[names.get(name, name), *formatted(each)] for name, each in results.items()]


def write(one: Talk, path: Path) -> None:
    """Write the contestants' input: the plain texts, and the texts with speaker and time in front."""
    noted = [f"{note} {text}" for note, text in zip(one.about, one.turns, strict=True)]
    questions = [question.text for question in one.questions]
    path.write_text(json.dumps({**asdict(one), "texts": noted, "questions": questions}), "utf-8")


def result(one: Talk, cost: Cost) -> Result:
    """Return what share of its evidence each question found, and how long one took."""
    took, *ids = cost.figures
    each = zip(one.questions, range(0, len(ids), K), strict=True)
    return [found(question, ids[at : at + K]) for question, at in each], took


def found(question: Question, ids: Sequence[float]) -> float:
    """Return the share of a question's evidence that was found."""
    return len(set(question.evidence) & set(ids)) / len(question.evidence)


def formatted(results: Sequence[Result]) -> tuple[str, str]:
    """Return the recall of several sets, and the milliseconds a question."""
    shares = [share for result, _ in results for share in result]
    return f"{statistics.fmean(shares):.3f}", f"{statistics.fmean(ms for _, ms in results):.2f} ms"
