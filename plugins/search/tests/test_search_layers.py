"""Test that a change writes only a short tail, and that base and tail answer alike even with damaged files."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import pytest

from openkoi_search.base_and_tail import MAX_TAIL_SHARE, VectorLayers
from openkoi_search.checksums import CorruptFileError
from openkoi_search.exact_search import VectorMatrix
from openkoi_search.vector_file import VectorFile
from openkoi_search.vector_store import VectorStore

if TYPE_CHECKING:
    from openkoi_search.bm25 import Numbers, Scores
    from openkoi_search.vector_file import Versions

WIDE, MODEL, SIZE = 8, "e", 4 * MAX_TAIL_SHARE
SCOPES = ("a", "b")


@dataclass
class Table:
    """Vectors by document, as a database has them, and how often all of them were asked for."""

    rows: "dict[int, tuple[Scores, str, int]]" = field(default_factory=dict)
    state: int = 0
    whole: int = 0

    def put(self, docs: Sequence[int]) -> None:
        self.state += 1
        for doc in docs:
            vector = numpy.random.default_rng(doc * 1_000 + self.state).standard_normal(WIDE)
            unit = (vector / numpy.linalg.norm(vector)).astype(numpy.float32)
            self.rows[doc] = (unit, random.Random(doc).choice(SCOPES), self.state)

    def drop(self, docs: Sequence[int]) -> None:
        self.state += 1
        for doc in docs:
            self.rows.pop(doc, None)

    def mark(self) -> str:
        return f"state-{self.state}"

    def versions(self, model: str) -> "tuple[Numbers, Versions]":
        docs = sorted(self.rows)
        return numpy.array(docs, numpy.int64), numpy.array([self.rows[doc][2] for doc in docs], numpy.uint64)

    def all_vectors(self, model: str, docs: Sequence[int] | None = None) -> VectorFile | None:
        self.whole += docs is None
        there = [doc for doc in sorted(self.rows) if docs is None or doc in docs]
        places = numpy.array([SCOPES.index(self.rows[doc][1]) for doc in there], numpy.int64)
        matrix = numpy.array([self.rows[doc][0] for doc in there], numpy.float32)
        versions = numpy.array([self.rows[doc][2] for doc in there], numpy.uint64)
        return VectorFile(self.mark(), MODEL, numpy.array(there), SCOPES, places, VectorMatrix(matrix), versions)

    def nearest(self, asked: "Scores", most: int, scopes: Sequence[str]) -> dict[int, float]:
        found = {doc: float(row @ asked) for doc, (row, scope, _) in self.rows.items() if scope in scopes}
        return {doc: found[doc] for doc in sorted(found, key=lambda doc: -found[doc])[:most]}


def table() -> Table:
    table = Table()
    table.put(range(0, SIZE * 3, 3))
    return table


def now(vectors: VectorStore, truth: Table) -> VectorLayers:
    found = vectors.current_layers(truth)
    assert found is not None
    return found


def opened(folder: Path) -> VectorStore:
    return VectorStore(folder / "vectors", MODEL, 0.5)


def alike(found: VectorLayers, truth: Table, seed: int) -> bool:
    """Return whether the files answer like the table."""
    vector = numpy.random.default_rng(seed).standard_normal(WIDE).astype(numpy.float32)
    asked, docs = vector / numpy.linalg.norm(vector), random.Random(seed).sample(range(SIZE * 3), 40)
    output = {doc: float(row @ asked) for doc, (row, *_) in truth.rows.items() if doc in docs}
    return all(
        truth.nearest(asked, 7, scopes) == pytest.approx(found.nearest(asked.tolist(), 7, scopes), abs=1e-5)
        for scopes in (SCOPES, SCOPES[:1], ())
    ) and output == pytest.approx(found.cosines(asked.tolist(), docs), abs=1e-5)


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.campaign) for n in range(1, 40))])
def test_base_and_tail_answer_as_all_vectors_would_through_any_changes(tmp_path: Path, seed: int) -> None:
    truth, chance, living = table(), random.Random(seed), opened(tmp_path)
    changes = 30

    for step in range(changes):
        change = chance.choice((truth.put, truth.put, truth.drop))
        change(chance.sample(range(SIZE * 3), chance.choice((0, 1, 1, 2, SIZE))))
        for vectors in (living, opened(tmp_path)):
            assert alike(now(vectors, truth), truth, step)
    assert truth.whole < changes


@pytest.mark.row("MEM-10")
def test_a_new_vector_leaves_the_base_and_its_graph_as_they_are(tmp_path: Path) -> None:
    truth, living = table(), opened(tmp_path)
    base = now(living, truth).base
    whole = (tmp_path / "vectors").read_bytes()

    truth.put([1])

    assert base is now(living, truth).base
    assert 1 == truth.whole
    assert whole == (tmp_path / "vectors").read_bytes()
    assert [1] == now(opened(tmp_path), truth).tail.docs.tolist()  # type: ignore[union-attr]  # it is there


def test_a_tail_that_has_grown_too_long_becomes_part_of_the_base(tmp_path: Path) -> None:
    truth = table()
    now(opened(tmp_path), truth)

    for doc in range(1, 3 * (SIZE // MAX_TAIL_SHARE + 1), 3):
        truth.put([doc])
        found = now(opened(tmp_path), truth)

    assert found.tail is None
    assert 2 == truth.whole
    assert ["vectors"] == [path.name for path in tmp_path.iterdir()]


def test_the_tail_of_another_base_is_not_believed(tmp_path: Path) -> None:
    truth = table()
    now(opened(tmp_path), truth)
    truth.put([1])
    now(opened(tmp_path), truth)
    tail = (tmp_path / "vectors.tail").read_bytes()
    truth.put(range(SIZE))
    now(opened(tmp_path), truth)
    (tmp_path / "vectors.tail").write_bytes(tail)

    assert alike(now(opened(tmp_path), truth), truth, 1)
    truth.drop([3])
    assert alike(now(opened(tmp_path), truth), truth, 2)


def test_a_tail_in_the_place_of_the_base_is_not_taken_for_it(tmp_path: Path) -> None:
    truth = table()
    now(opened(tmp_path), truth)
    truth.put([1])
    now(opened(tmp_path), truth)
    (tmp_path / "vectors.tail").replace(tmp_path / "vectors")

    assert alike(now(opened(tmp_path), truth), truth, 1)


def flipped(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]


def torn(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) - 1)
    return data[:place] + b"\xa5" * (len(data) - place)


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 200), marks=pytest.mark.campaign)], ids=len)
@pytest.mark.parametrize("damage", [flipped, torn, cut])
@pytest.mark.parametrize("name", ["vectors", "vectors.tail"])
def test_a_damaged_layer_is_said_and_made_again(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    name: str,
    damage: Callable[[bytes, random.Random], bytes],
    seeds: range,
) -> None:
    truth = table()
    now(opened(tmp_path), truth)
    truth.put([1, 6])
    now(opened(tmp_path), truth)

    for seed in seeds:
        caplog.clear()
        whole = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(damage(whole, random.Random(seed)))
        vectors = opened(tmp_path)
        try:
            assert alike(now(vectors, truth), truth, seed)
        except CorruptFileError as why:
            vectors.discard_files(why)
            assert alike(now(vectors, truth), truth, seed)
        assert "rebuilt" in caplog.text, seed
        truth.put(range(0, SIZE * 3, 3))
        now(opened(tmp_path), truth)
        truth.put([1, 6])
        now(opened(tmp_path), truth)
