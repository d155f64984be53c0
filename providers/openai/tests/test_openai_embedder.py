"""Test embeddings: in order, of length one, in requests that the vendor accepts, with usage."""

import asyncio
import math
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from data_files import schema_errors

from openkoi_hookspecs import (
    Embedder,
    Embedding,
    NoProviderError,
    ProviderUnavailableError,
    RequestRejectedError,
    Usage,
)
from openkoi_openai import OpenAIEmbedder
from openkoi_openai.vectors import split_batches
from openkoi_testing import EmbedderContract
from openkoi_testing.servers import OpenAIServer, Say, ServerFault


def embedded(texts: list[str], **settings: Any) -> Embedding:
    async def ask() -> Embedding:
        async with OpenAIEmbedder(**{"api_key": "k", **settings}) as embedder:
            return await embedder.embed(texts)

    return asyncio.run(ask())


def answered(answer: Any, texts: int = 1) -> Embedding:
    """The result of this answer."""
    wire = httpx2.MockTransport(lambda _: httpx2.Response(200, json=answer))
    return embedded(["x"] * texts, transport=wire)


def entry(*numbers: Any, **more: Any) -> dict[str, Any]:
    return {"embedding": list(numbers), **more}


@pytest.mark.row("PROV-07")
def test_texts_become_vectors_of_length_one_in_order() -> None:
    with OpenAIServer() as server:
        found = embedded(["a", "ü", "a"], base_url=server.url)
    first, second, third = found.vectors

    assert first == third != second
    assert [1536] * 3 == [len(vector) for vector in found.vectors]
    assert all(math.isclose(1, math.hypot(*vector)) for vector in found.vectors)
    assert Usage(input=3) == found.usage


def test_requests_are_what_the_vendor_describes() -> None:
    with OpenAIServer() as server:
        embedded(["a"], base_url=server.url)
        embedded(["", "caf\udce9"], base_url=server.url, model="text-embedding-3-large", dimensions=256)
    small, large = server.asked
    schema = "CreateEmbeddingRequest"

    assert not schema_errors("openai", schema, small, overlapping=True)
    assert not schema_errors("openai", schema, large, overlapping=True)
    assert {"model": "text-embedding-3-small", "input": ["a"], "encoding_format": "float"} == small
    assert ([" ", "caf?"], 256) == (large["input"], large["dimensions"])


def test_many_texts_are_asked_for_in_requests_that_the_vendor_takes() -> None:
    with OpenAIServer() as server:
        found = embedded([str(number) for number in range(2500)], base_url=server.url, dimensions=2)

    assert [2048, 452] == [len(body["input"]) for body in server.asked if isinstance(body["input"], list)]
    assert 2500 == len(found.vectors) == found.usage.input


@pytest.mark.parametrize(
    ("texts", "sizes"),
    [
        ([], []),
        (["x"], [1]),
        (["x" * 150_000] * 5, [2, 2, 1]),
        (["ü" * 100_000] * 3, [1, 1, 1]),
        (["x" * 400_000, "x"], [1, 1]),
        (["x"] * 4097, [2048, 2048, 1]),
    ],
    ids=["none", "one", "long", "bytes", "too long", "many"],
)
def test_batches_hold_as_many_texts_and_bytes_as_go_in(texts: list[str], sizes: list[int]) -> None:
    found = list(split_batches(texts))

    assert sizes == [len(batch) for batch in found]
    assert texts == [text for batch in found for text in batch]


def test_nothing_is_asked_about_nothing() -> None:
    assert embedded([], base_url="http://nowhere.invalid/v1") == Embedding([])


@pytest.mark.parametrize(
    ("settings", "id"),
    [
        ({}, "openai/text-embedding-3-small/1536"),
        ({"model": "text-embedding-3-large"}, "openai/text-embedding-3-large/3072"),
        ({"dimensions": 256}, "openai/text-embedding-3-small/256"),
        ({"model": "nomic"}, "openai/nomic"),
    ],
)
def test_its_id_is_the_model_and_the_length(settings: Any, id: str) -> None:
    embedder: Embedder = OpenAIEmbedder(api_key="k", **settings)

    assert id == embedder.id


def test_vectors_are_put_in_order_and_to_length_one() -> None:
    found = answered({"data": [entry(0, 2, index=1), entry(3.0, 4, index=0)]}, texts=2)

    assert [[0.6, 0.8], [0, 1]] == found.vectors
    assert Usage() == found.usage


def test_vectors_need_no_numbers() -> None:
    assert [[1, 0], [0, 1]] == answered({"data": [entry(1, 0), entry(0, 1)]}, texts=2).vectors


@pytest.mark.parametrize(
    "answer",
    [
        {},
        [],
        5,
        {"data": 5},
        {"data": []},
        {"data": [5]},
        {"data": [entry()]},
        {"data": [entry("1")]},
        {"data": [entry(0, 0)]},
        {"data": [entry(1e308, 1e308)]},
        {"data": [entry(1), entry(1)]},
        {"data": [entry(1, index=1)]},
        {"data": [entry(1, index="0")]},
        {"data": [{"embedding": "AAAA"}]},
    ],
)
def test_what_is_no_vector_for_each_text_is_unavailable(answer: Any) -> None:
    with pytest.raises(ProviderUnavailableError):
        answered(answer)


def test_vectors_of_different_lengths_are_unavailable() -> None:
    with pytest.raises(ProviderUnavailableError, match="different lengths"):
        answered({"data": [entry(1), entry(1, 1)]}, texts=2)


def test_errors_are_told() -> None:
    with pytest.raises(RequestRejectedError, match="does not support"), OpenAIServer() as server:
        embedded(["a"], base_url=server.url, model="text-embedding-ada-002", dimensions=8)
    with pytest.raises(ProviderUnavailableError, match="over"):
        answered({"error": {"message": "over"}})
    with pytest.raises(NoProviderError, match="Set OPENAI_API_KEY"):
        OpenAIEmbedder()


def test_a_text_that_is_too_long_is_told_as_such() -> None:
    body = b'{"error": {"message": "This model\'s maximum context length is 8192 tokens"}}'
    with (
        pytest.raises(RequestRejectedError) as caught,
        OpenAIServer(Say(fault=ServerFault(status=400, body=body))) as server,
    ):
        embedded(["a"], base_url=server.url)

    assert caught.value.context_overflow


class TestContract(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Iterator[Embedder]:
        with OpenAIServer() as server:
            yield OpenAIEmbedder(api_key="k", base_url=server.url)
