"""``[models] embedder`` chooses who makes the vectors of memory, and vectors of a wrong length are never kept."""

import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from cli_process import Shell, shell

from openkoi_testing.servers import OpenAIServer
from openkoi_testing.servers.http_server import ReceivedRequest, ServerResponse
from openkoi_testing.servers.openai_embeddings import embed_response

TASK = ("-m", "openai/gpt-5.2", "-i", "0", "Say where herons sleep")
SMALL, LARGE = "openai/text-embedding-3-small", "openai/text-embedding-3-large"


class Vendor(OpenAIServer):
    """A vendor whose vectors have ``length`` numbers, whatever is asked for; their own where it is 0."""

    length = 0

    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer as usual, but for the length of vectors."""
        if seen.path != "/v1/embeddings" or not self.length or not isinstance(seen.json, dict):
            return super().answer(seen)
        return ServerResponse([json.dumps(embed_response({**seen.json, "dimensions": self.length})).encode()])

    @property
    def embedders(self) -> set[str]:
        """The models that were asked for vectors."""
        bodies = [request.json for request in self.requests if request.path == "/v1/embeddings"]
        return {str(body["model"]) for body in bodies if isinstance(body, dict)}


@pytest.fixture
def vendor() -> Iterator[Vendor]:
    with Vendor("In the reeds.", models=["gpt-5.2"]) as server:
        yield server


@pytest.fixture
def openkoi(tmp_path: Path, vendor: Vendor) -> Shell:
    return shell(tmp_path).with_environment(OPENAI_API_KEY="sk-proj-test", OPENAI_BASE_URL=vendor.url)


def configure(openkoi: Shell, text: str) -> Path:
    file = openkoi.home / "config.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def run(openkoi: Shell, *line: str) -> tuple[str, list[str]]:
    """Return what a task says on stderr, and its warnings."""
    result = openkoi(*(line or TASK), "--format", "json")
    assert 0 == result.returncode, result.stderr
    warnings: list[str] = json.loads(result.stdout)["warnings"]
    return result.stderr, warnings


def rebuild(openkoi: Shell) -> None:
    """Make all vectors: a run makes those that take it less than two seconds."""
    assert 0 == openkoi("memory", "rebuild").returncode


def lengths(openkoi: Shell) -> set[int]:
    """Return the lengths of the vectors that memory keeps."""
    if not (openkoi.home / "data" / "openkoi.db").exists():
        return set()
    with duckdb.connect(str(openkoi.home / "data" / "openkoi.db"), read_only=True) as file:
        return {length for (length,) in file.execute("SELECT len(embedding) FROM memory_vec").fetchall()}


@pytest.mark.row("PROV-07", "PROV-14")
def test_the_configured_embedder_makes_the_vectors_of_memory(openkoi: Shell, vendor: Vendor) -> None:
    configure(openkoi, f'[models]\nembedder = "{SMALL}"\n')

    _, warnings = run(openkoi)
    rebuild(openkoi)

    assert ({"text-embedding-3-small"}, {1536}, []) == (vendor.embedders, lengths(openkoi), warnings)


def test_without_it_nothing_is_embedded(openkoi: Shell, vendor: Vendor) -> None:
    run(openkoi)

    assert (set(), set()) == (vendor.embedders, lengths(openkoi))


def test_the_memory_s_own_table_outranks_it(openkoi: Shell, vendor: Vendor) -> None:
    configure(openkoi, f'[models]\nembedder = "{SMALL}"\n[memory.duckdb]\nembedder = "{LARGE}"\n')

    run(openkoi)
    rebuild(openkoi)

    assert ({"text-embedding-3-large"}, {3072}) == (vendor.embedders, lengths(openkoi))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("openay/text-embedding-3-small", "No embedder named 'openay/text-embedding-3-small'."),
        ("lexical/small", "The embedder 'lexical' has only one model: set models.embedder to 'lexical'."),
        ("google/gemini-embedding-001", "GOOGLE_API_KEY"),
    ],
)
def test_an_embedder_that_cannot_be_had_is_named_and_words_are_searched(
    openkoi: Shell, vendor: Vendor, name: str, reason: str
) -> None:
    file = configure(openkoi, f'[models]\nembedder = "{name}"\n')

    _, warnings = run(openkoi)

    [reply] = warnings
    assert reply.startswith(f"models.embedder in {file} has no effect: ")
    assert reason in reply
    assert "herons sleep" in openkoi("memory", "search", "herons").stdout


@pytest.mark.row("MEM-09")
def test_vectors_of_another_length_than_the_model_s_are_refused_with_both_numbers(
    openkoi: Shell, vendor: Vendor
) -> None:
    configure(openkoi, f'[models]\nembedder = "{SMALL}"\n')
    vendor.length = 8

    reply, _ = run(openkoi)

    assert 1 == reply.count(f"{SMALL} returned vectors of 8 numbers instead of 1536")
    assert set() == lengths(openkoi)
    assert "herons sleep" in openkoi("memory", "search", "herons").stdout


@pytest.mark.row("MEM-09")
def test_vectors_of_another_length_than_those_kept_are_refused(openkoi: Shell, vendor: Vendor) -> None:
    configure(openkoi, '[models]\nembedder = "openai/house-model"\n')
    vendor.length = 16
    run(openkoi)
    rebuild(openkoi)
    vendor.length = 8

    reply, _ = run(openkoi)

    assert 1 == reply.count("openai/house-model returned vectors of 8 numbers instead of 16")
    assert {16} == lengths(openkoi)
