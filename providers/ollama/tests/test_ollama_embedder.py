"""Test embeddings of length one, in order, of any number of texts."""

import asyncio
import json
import math
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from data_files import schema_errors

from openkoi_hookspecs import ConfigError, Embedder, Embedding, ProviderUnavailableError, RequestRejectedError, Usage
from openkoi_ollama import OllamaEmbedder
from openkoi_testing import EmbedderContract
from openkoi_testing.servers import OllamaServer
from openkoi_testing.servers.ollama_rules import OllamaModel

MODELS = [OllamaModel("embed-fake", abilities=("embedding",)), OllamaModel("llama-fake")]


def embed(embedder: OllamaEmbedder, *texts: str) -> Embedding:
    async def ask() -> Embedding:
        async with embedder:
            return await embedder.embed(texts)

    return asyncio.run(ask())


def answering(answer: Any) -> OllamaEmbedder:
    """An embedder whose server answers this."""
    content = answer if isinstance(answer, str) else json.dumps(answer)
    return OllamaEmbedder(transport=httpx2.MockTransport(lambda _: httpx2.Response(200, content=content)))


def test_each_text_gets_its_vector_in_order() -> None:
    texts = [f"text {n}" for n in range(150)]
    with OllamaServer(models=MODELS) as server:
        found = embed(OllamaEmbedder(model="embed-fake", base_url=server.url), *texts)
        alone = embed(OllamaEmbedder(model="embed-fake", base_url=server.url), texts[149])
        sizes = [len(body["input"]) for request in server.requests if isinstance(body := request.json, dict)]  # type: ignore[arg-type]  # a list

    assert sizes == [64, 64, 22, 1]
    assert (len(found.vectors), found.usage) == (150, Usage(input=300))
    assert alone.vectors[0] == found.vectors[149] != found.vectors[0]
    assert all(math.isclose(1.0, math.hypot(*vector)) for vector in found.vectors)


def test_no_texts_are_not_asked_about() -> None:
    assert embed(OllamaEmbedder(base_url="http://127.0.0.1:1")) == Embedding(())


def test_vectors_are_brought_to_length_one() -> None:
    assert embed(answering({"embeddings": [[3, 4.0]]}), "x").vectors == ([0.6, 0.8],)


def test_dimensions_are_asked_for_and_part_of_the_id() -> None:
    with OllamaServer(models=MODELS) as server:
        embedder = OllamaEmbedder(model="embed-fake", dimensions=3, base_url=server.url)
        vectors = embed(embedder, "x").vectors

    assert embedder.id == "ollama/embed-fake/3"
    assert len(vectors[0]) == 3
    assert OllamaEmbedder(model="embed-fake").id == "ollama/embed-fake"


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        {"embeddings": []},
        {"embeddings": [[1.0], [1.0]]},
        {"embeddings": [[]]},
        {"embeddings": [["x"]]},
        {"embeddings": [[True]]},
        {"embeddings": [[0.0, 0.0]]},
        {"embeddings": "x"},
        '{"embeddings": [[NaN]]}',
        '{"embeddings": [[1e999]]}',
        f'{{"embeddings": [[1{"0" * 400}]]}}',
    ],
)
def test_what_is_no_vector_is_unavailable(answer: Any) -> None:
    with pytest.raises(ProviderUnavailableError, match="not return 1 vectors"):
        embed(answering(answer), "x")


def test_vectors_of_different_lengths_are_unavailable() -> None:
    with pytest.raises(ProviderUnavailableError, match="different lengths"):
        embed(answering({"embeddings": [[1.0], [1.0, 2.0]]}), "x", "y")


def test_a_model_that_cannot_embed_or_is_not_there_is_refused() -> None:
    with OllamaServer(models=MODELS) as server:
        with pytest.raises(RequestRejectedError, match="does not support embeddings"):
            embed(OllamaEmbedder(model="llama-fake", base_url=server.url), "x")
        with pytest.raises(RequestRejectedError, match="ollama pull gone"):
            embed(OllamaEmbedder(model="gone", base_url=server.url), "x")


def test_settings_that_make_no_sense_are_named() -> None:
    with pytest.raises(ConfigError, match="needs a model name"):
        OllamaEmbedder(model=" ")


def test_requests_are_what_the_vendor_describes() -> None:
    with OllamaServer(models=MODELS) as server:
        embed(OllamaEmbedder(model="embed-fake", dimensions=3, base_url=server.url), "x", "caf\udce9")

    assert not schema_errors("ollama", "EmbedRequest", server.requests[0].json)


class TestContract(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Iterator[Embedder]:
        with OllamaServer(models=MODELS) as server:
            yield OllamaEmbedder(model="embed-fake", base_url=server.url)
