"""Test that a graph over vectors is saved, measured, and dropped if it is damaged or its recall is too low."""

import random
from pathlib import Path
from typing import TYPE_CHECKING

import numpy
import pytest

from openkoi_search.exact_search import VectorMatrix, top_positions
from openkoi_search.hnsw import graph_of
from openkoi_search.hnsw.graph import build_graph
from openkoi_search.hnsw.graph_file import GraphFile
from openkoi_search.hnsw.guard import DECAY, measure_recall
from openkoi_search.hnsw.verified_graph import BUILD_AT, VerifiedGraph
from openkoi_testing.full_disk import limit_file_size

if TYPE_CHECKING:
    from openkoi_search.bm25 import Matrix

MARK = "state-1"
resource = pytest.importorskip("resource")
pytest.importorskip("hnswlib", reason="needs hnswlib, which a compiler builds: pip install 'openkoi-search[hnsw]'")


def heaps(size: int = 800, dimensions: int = 16) -> "Matrix":
    chance = numpy.random.default_rng(3)
    rows = chance.standard_normal((30, dimensions))[chance.integers(0, 30, size)]
    rows = rows + 0.3 * chance.standard_normal((size, dimensions))
    found: Matrix = (rows / numpy.linalg.norm(rows, axis=1, keepdims=True)).astype(numpy.float32)
    return found


def asked_often(guarded: VerifiedGraph, matrix: "Matrix", times: int = BUILD_AT) -> VerifiedGraph:
    """Return the graph when its work is done."""
    for _ in range(times):
        guarded.rows(matrix[0], 5)
    if guarded.work:
        guarded.work.join()
    return guarded


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder of vectors whose graph was built."""
    path = tmp_path / "openkoi.db.vectors"
    matrix = heaps()
    graph = asked_often(graph_of(path, MARK, matrix), matrix)
    assert graph.graph is not None
    return path


def test_who_asks_often_has_a_graph_and_the_next_one_who_asks_twice(kept: Path) -> None:
    matrix = heaps()
    once = asked_often(graph_of(kept, MARK, matrix), matrix, 1)
    twice = asked_often(graph_of(kept, MARK, matrix), matrix, 2)

    assert once.graph is None
    rows = twice.rows(matrix[0], 5)
    assert rows is not None
    assert set(top_positions(matrix @ matrix[0], 5).tolist()) == set(rows.tolist())
    assert ["openkoi.db.vectors.hnsw", "openkoi.db.vectors.hnsw.json"] == sorted(p.name for p in kept.parent.iterdir())


def test_what_a_graph_finds_is_ranked_by_the_vectors(kept: Path) -> None:
    matrix = heaps()
    scanned = VectorMatrix(matrix, graph=asked_often(graph_of(kept, MARK, matrix), matrix, 2))

    rows, scores = scanned.nearest(matrix[4].tolist(), 6)
    some, _ = scanned.nearest(matrix[4].tolist(), 6, numpy.arange(0, len(matrix), 2))

    assert top_positions(matrix @ matrix[4], 6).tolist() == rows.tolist()
    assert matrix[rows] @ matrix[4] == pytest.approx(scores)
    assert (top_positions(matrix[::2] @ matrix[4], 6) * 2).tolist() == some.tolist()


@pytest.mark.parametrize("count", [30, pytest.param(200, marks=pytest.mark.campaign)])
def test_damaged_files_are_never_loaded_and_answers_stay_right(
    kept: Path, caplog: pytest.LogCaptureFixture, count: int
) -> None:
    matrix = heaps()
    file = kept.with_name(f"{kept.name}.hnsw")
    whole, chance = file.read_bytes(), random.Random(5)
    metadata = GraphFile(file, MARK).read_metadata()
    assert metadata is not None
    for number in range(count):
        place = chance.randrange(len(whole))
        file.write_bytes(
            (
                whole[:place],
                whole[:place] + bytes([whole[place] ^ 1 << chance.randrange(8)]) + whole[place + 1 :],
                whole[:place] + bytes(len(whole) - place - 1) + b"\1",
            )[number % 3]
        )
        assert GraphFile(file, MARK).load(metadata) is None

    again = asked_often(graph_of(kept, MARK, matrix), matrix, 2)

    assert again.graph is not None
    assert GraphFile(file, MARK).load(GraphFile(file, MARK).read_metadata() or metadata) is not None
    assert "is being rebuilt" in caplog.text


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"mark": 3}', "\x00" * 40])
def test_without_a_word_of_what_a_file_is_it_is_not_read(kept: Path, text: str) -> None:
    kept.with_name(f"{kept.name}.hnsw.json").write_text(text)

    assert GraphFile(kept.with_name(f"{kept.name}.hnsw"), MARK).read_metadata() is None


def test_the_graph_of_another_state_is_not_used(kept: Path) -> None:
    matrix = heaps()

    assert asked_often(graph_of(kept, "state-2", matrix), matrix, 2).graph is None


def test_a_graph_that_finds_too_little_is_given_up_and_not_built_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    matrix = heaps()
    file = GraphFile(tmp_path / "v.hnsw", MARK)
    file.mark_unusable(len(matrix), matrix.shape[1], 0.4)

    assert asked_often(VerifiedGraph(file, matrix), matrix, 3 * BUILD_AT).work is None

    subject = asked_often(VerifiedGraph(GraphFile(tmp_path / "w.hnsw", MARK), matrix), matrix)
    assert subject.graph is not None
    while DECAY < subject.guard.recall or subject.guard.is_trusted:
        subject.record_exact(matrix[0], numpy.arange(790, 800))
    assert subject.rows(matrix[0], 5) is None
    assert "which is exact but takes longer" in caplog.text


def test_vectors_that_lie_anywhere_are_measured_for_what_they_are() -> None:
    chance = numpy.random.default_rng(1)
    matrix = chance.standard_normal((1_200, 300), numpy.float32)
    matrix /= numpy.linalg.norm(matrix, axis=1, keepdims=True)
    graph = build_graph(matrix, lambda: False)
    graph.index.set_ef(10)
    narrow = graph.rows(matrix[0], 1)

    assert narrow is None
    assert 1.0 >= measure_recall(graph, matrix, lambda: False) > 0.5


@pytest.mark.parametrize("vector", [[1.0] * 8, [float("nan")] * 16, []])
def test_a_question_that_does_not_fit_never_reaches_the_library(kept: Path, vector: list[float]) -> None:
    matrix = heaps()
    subject = asked_often(graph_of(kept, MARK, matrix), matrix, 2)

    assert subject.rows(numpy.array(vector, numpy.float32), 3) is None


def test_no_number_in_the_vectors_makes_no_graph(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    matrix = heaps()
    matrix[700, 2] = numpy.nan

    assert asked_often(graph_of(tmp_path / "v", MARK, matrix), matrix).graph is None
    assert "could not be built" in caplog.text


def test_a_full_disk_keeps_nothing_and_the_graph_answers_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    matrix = heaps()
    with limit_file_size(20_000):
        subject = asked_often(graph_of(tmp_path / "v", MARK, matrix), matrix)

    assert subject.rows(matrix[0], 5) is not None
    assert [] == list(tmp_path.iterdir())
    assert "could not be saved" in caplog.text


def test_who_leaves_does_not_wait_for_the_graph(tmp_path: Path) -> None:
    matrix = heaps(20_000)
    subject = graph_of(tmp_path / "v", MARK, matrix)
    for _ in range(BUILD_AT):
        subject.rows(matrix[0], 5)

    subject.close()

    assert subject.graph is None
    assert [] == list(tmp_path.iterdir())
