"""Test embeddings: in order, in batches, of length one, with usage."""

import asyncio
import json
import math
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from openkoi_google import GoogleEmbedder
from openkoi_hookspecs import (
    ConfigError,
    Embedder,
    Embedding,
    NoProviderError,
    ProviderError,
    ProviderUnavailableError,
    RequestRejectedError,
    Usage,
)
from openkoi_testing import EmbedderContract
from openkoi_testing.servers import GoogleServer


def embedded(url: str, *texts: str, **settings: Any) -> Embedding:
    async def ask() -> Embedding:
        async with GoogleEmbedder(api_key="AIza-right", base_url=url, dimensions=4, **settings) as embedder:
            return await embedder.embed(texts)

    return asyncio.run(ask())


def answered(answer: object) -> Embedding:
    """The result of such an answer to two texts."""
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, content=json.dumps(answer)))
    return embedded("http://anywhere", "a", "b", transport=wire)


def values(*vectors: Any) -> dict[str, Any]:
    return {"embeddings": [{"values": vector} for vector in vectors]}


def test_vectors_come_in_order_and_have_the_length_one() -> None:
    with GoogleServer() as server:
        both = embedded(server.url, "a", "b")
        alone = embedded(server.url, "b")

    assert [math.hypot(*vector) for vector in both.vectors] == [pytest.approx(1.0)] * 2
    assert both.vectors[1] == alone.vectors[0]
    assert both.usage.input > 0


def test_many_texts_are_asked_for_a_hundred_at_a_time() -> None:
    texts = [f"text {number}" for number in range(250)]
    with GoogleServer() as server:
        found = embedded(server.url, *texts)
        sizes = [len(request.json["requests"]) for request in server.requests]  # type: ignore[index, call-overload, arg-type]  # our own request
        last = embedded(server.url, texts[-1])

    assert sizes == [100, 100, 50]
    assert len(found.vectors) == 250
    assert found.vectors[-1] == last.vectors[0]


def test_no_text_costs_nothing() -> None:
    with GoogleServer() as server:
        assert embedded(server.url) == Embedding([], Usage())
    assert not server.requests


def test_texts_that_say_nothing_get_a_vector_too() -> None:
    with GoogleServer() as server:
        assert len(embedded(server.url, "", " \n", "a").vectors) == 3


@pytest.mark.parametrize(
    ("settings", "id"),
    [
        ({}, "google/gemini-embedding-001:768"),
        ({"dimensions": 1536}, "google/gemini-embedding-001:1536"),
        ({"model": "gemini-embedding-2"}, "google/gemini-embedding-2:768"),
        ({"task": "CLUSTERING"}, "google/gemini-embedding-001:768:CLUSTERING"),
    ],
)
def test_another_vector_means_another_id(settings: dict[str, Any], id: str) -> None:
    assert id == GoogleEmbedder(api_key="AIza-right", **settings).id


def test_lengths_are_made_one_and_missing_counts_are_zero() -> None:
    assert answered(values([3, 0, 4, 0], [0, 0, 0, 2.5])) == Embedding([[0.6, 0, 0.8, 0], [0, 0, 0, 1]], Usage())


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {},
        "x",
        {"embeddings": {}},
        values([1, 0, 0, 0]),
        values([1, 0, 0, 0], [1, 0, 0]),
        values([1, 0, 0, 0], [0, 0, 0, 0]),
        values([1, 0, 0, 0], None),
        values([1, 0, 0, 0], ["1", 0, 0, 0]),
        values([1, 0, 0, 0], [math.nan, 0, 0, 0]),
        values([1, 0, 0, 0], [10**400, 0, 0, 0]),
    ],
)
def test_what_is_no_vector_is_not_taken_for_one(answer: Any) -> None:
    with pytest.raises(ProviderUnavailableError, match="not return 2 vectors of 4 numbers"):
        answered(answer)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 503, "message": "busy"}, ProviderUnavailableError),
        ({"code": 400, "message": "API key not valid."}, RequestRejectedError),
    ],
)
def test_an_error_with_status_200_is_an_error(error: Any, kind: type[ProviderError]) -> None:
    with pytest.raises(kind, match=error["message"]):
        answered({"error": error})


@pytest.mark.parametrize("dimensions", [0, -1])
def test_a_vector_has_numbers(dimensions: int) -> None:
    with pytest.raises(ConfigError, match="dimensions"):
        GoogleEmbedder(api_key="AIza-right", dimensions=dimensions)


def test_without_a_key_it_says_which_variable_to_set() -> None:
    with pytest.raises(NoProviderError, match="GOOGLE_API_KEY"):
        GoogleEmbedder()


class TestContract(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Iterator[Embedder]:
        with GoogleServer() as server:
            yield GoogleEmbedder(api_key="AIza-right", base_url=server.url)
