"""Test that the nearest vectors are found whatever the first pass, and that damaged files never give wrong answers."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy
import pytest

from openkoi_search.checksums import CorruptFileError
from openkoi_search.exact_search import VectorMatrix, with_first_pass
from openkoi_search.packed_vectors import pack_vectors
from openkoi_search.sign_bits import compute_signs
from openkoi_search.vector_file import VectorFile, read, write
from openkoi_search.vector_store import VectorStore

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from openkoi_search.bm25 import Matrix, Numbers
    from openkoi_search.vector_file import Versions

SIZE, WIDE = 24_001, 24


def of_length_one(rows: "NDArray[Any]") -> "Matrix":
    found: Matrix = (rows / numpy.linalg.norm(rows, axis=1, keepdims=True)).astype(numpy.float32)
    return found


def anywhere(size: int, dimensions: int, seed: int = 1) -> "Matrix":
    return of_length_one(numpy.random.default_rng(seed).standard_normal((size, dimensions), numpy.float32))


def in_heaps(size: int, dimensions: int, seed: int = 1) -> "Matrix":
    chance = numpy.random.default_rng(seed)
    middles = chance.standard_normal((size // 50, dimensions))[chance.integers(0, size // 50, size)]
    return of_length_one(middles + 0.4 * chance.standard_normal((size, dimensions)))


def on_a_lattice(size: int, dimensions: int, seed: int = 1) -> "Matrix":
    chance = numpy.random.default_rng(seed)
    return of_length_one(chance.integers(0, 2, (size, dimensions)) + 0.001)


def with_a_giant(size: int, dimensions: int, seed: int = 1) -> "Matrix":
    rows = anywhere(size, dimensions, seed)
    rows[:, 3] += 1.5
    return of_length_one(rows)


@pytest.mark.row("MEM-10")
@pytest.mark.parametrize("dimensions", [WIDE, pytest.param(384, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("vectors", [anywhere, in_heaps, on_a_lattice, with_a_giant])
def test_a_first_look_misses_none_of_the_nearest(vectors: "Callable[[int, int, int], Matrix]", dimensions: int) -> None:
    matrix = vectors(SIZE, dimensions, 1)
    scanned = with_first_pass(matrix)
    questions = [*matrix[::4_000], *anywhere(6, dimensions, 2)]

    assert scanned.first_pass is not None
    for question in questions:
        rows, scores = scanned.nearest(question.tolist(), 20)
        exact = matrix @ question
        assert numpy.sort(exact)[::-1][:20] == pytest.approx(scores, abs=2e-6)
        assert exact[rows] == pytest.approx(scores, abs=2e-6)


def test_only_some_rows_are_looked_at_when_they_are_named() -> None:
    matrix = anywhere(SIZE, WIDE)
    some = numpy.flatnonzero(numpy.arange(SIZE) % 8 != 3)

    for among in (some, some[:100]):
        rows, scores = with_first_pass(matrix).nearest(matrix[3].tolist(), 5, among)
        assert numpy.sort(matrix[among] @ matrix[3])[::-1][:5] == pytest.approx(scores, abs=2e-6)
        assert set() == set(rows.tolist()) - set(among.tolist())


def test_nothing_is_near_to_nothing() -> None:
    matrix = numpy.zeros((SIZE, 8), numpy.float32)

    assert [0.0, 0.0] == with_first_pass(matrix).nearest([0.0] * 8, 2)[1].tolist()
    assert [] == with_first_pass(matrix).nearest([0.0] * 8, 0)[0].tolist()


def test_signs_lead_to_the_nearest_of_heaps() -> None:
    matrix = in_heaps(SIZE, 64)
    rows, _ = VectorMatrix(matrix, compute_signs(matrix)).nearest(matrix[5].tolist(), 10)

    assert set(numpy.argsort(-(matrix @ matrix[5]))[:10].tolist()) == set(rows.tolist())


def copy_of(matrix: "Matrix", likeness: bool = True) -> VectorFile:
    size = len(matrix)
    scanned = VectorMatrix(matrix, pack_vectors(matrix)) if likeness else VectorMatrix(matrix)
    return VectorFile("m", "e", numpy.arange(size) * 3, ["a", "b"], numpy.arange(size) % 2, scanned)


def flipped(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]


def torn(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) - 1)
    return data[:place] + bytes(len(data) - place)


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def moved(data: bytes, chance: random.Random) -> bytes:
    one, other = chance.sample(range(len(data) // 512), 2)
    parts = [data[n : n + 512] for n in range(0, len(data), 512)]
    parts[one], parts[other] = parts[other], parts[one]
    return b"".join(parts)


@pytest.mark.parametrize("seeds", [range(8), pytest.param(range(8, 60), marks=pytest.mark.campaign)])
@pytest.mark.parametrize("damage", [flipped, torn, cut, moved])
def test_what_is_read_of_a_damaged_file_is_right_or_told(
    tmp_path: Path, damage: Callable[[bytes, random.Random], bytes], seeds: range
) -> None:
    matrix = anywhere(SIZE, 8)
    file = tmp_path / "vectors"
    write(file, copy_of(matrix))
    whole = file.read_bytes()
    question = matrix[7].tolist()
    right = read(file).vectors.nearest(question, 5)[0].tolist()
    output = 0

    for seed in seeds:
        (fresh := tmp_path / f"vectors{seed}").write_bytes(damage(whole, random.Random(seed)))
        try:
            found = read(fresh)
            assert right == found.vectors.nearest(question, 5)[0].tolist()
            assert matrix[[9]] @ matrix[7] == pytest.approx(found.vectors.scores_of(numpy.array([9]), question))
        except CorruptFileError:
            output += 1
        fresh.unlink()
    assert output


def test_a_file_that_turns_out_damaged_is_made_again_from_the_truth(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    one = copy_of(anywhere(500, 8), likeness=False)

    class Truth:
        def mark(self) -> str:
            return "m"

        def versions(self, model: str) -> "tuple[Numbers, Versions]":
            raise AssertionError("nothing has changed")

        def all_vectors(self, model: str, docs: Sequence[int] | None = None) -> VectorFile | None:
            return one

    file = tmp_path / "vectors"
    VectorStore(file, "e", 0.5).current_layers(Truth())
    whole = file.read_bytes()
    file.write_bytes(whole[:-3] + b"???")
    later = VectorStore(file, "e", 0.5)
    found = later.current_layers(Truth())
    assert found is not None
    with pytest.raises(CorruptFileError) as why:
        found.nearest([1.0] + [0.0] * 7, 3, ["a", "b"])

    later.discard_files(why.value)

    assert one.vectors.matrix is later.current_layers(Truth()).base.vectors.matrix  # type: ignore[union-attr]  # it is there
    assert whole == file.read_bytes()
    assert "rebuilt" in caplog.text
