"""Test what every `Embedder` promises, whether it computes vectors itself or asks a server for them."""

import asyncio
import math
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import ClassVar

import pytest

from openkoi_hookspecs import Embedder, Embedding, SupportsDimensions

TEXTS = (
    "Fix the invoice parser",
    "Fix the invoice parser",
    "The weather is lovely",
    "déjà vu, 東京, \U0001f41f",
    "def parse(line):\n    return line.split(',')\n",
    "word " * 2_000,
)
TOLERANCE = 1e-3  # vendors answer in 16 bits, and in an order of additions that depends on the batch


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return how near two normalised vectors are."""
    return sum(a * b for a, b in zip(one, other, strict=True))


class EmbedderContract:
    """Inherit it: ``class TestMine(EmbedderContract): subject = Mine()``.

    ``texts`` are embedded; the first two are equal. If the embedder needs a server, override the fixture ``embedder``.
    """

    subject: ClassVar[Embedder]
    texts: ClassVar[Sequence[str]] = TEXTS

    @pytest.fixture
    def embedder(self) -> Embedder:
        """Return the embedder under test."""
        return self.subject

    async def embed_all(self, embedder: Embedder, *batches: Sequence[str]) -> list[Embedding]:
        """Return the vectors of batches that are requested concurrently; enter the embedder if it supports that."""
        async with AsyncExitStack() as stack:
            if isinstance(embedder, AbstractAsyncContextManager):
                await stack.enter_async_context(embedder)
            return list(await asyncio.gather(*(embedder.embed(batch) for batch in batches)))

    def vectors(self, embedder: Embedder, *texts: str) -> list[list[float]]:
        """Return the vectors of texts."""
        [embedding] = asyncio.run(self.embed_all(embedder, texts))
        return [[float(number) for number in vector] for vector in embedding.vectors]

    def test_its_id_is_there_and_stays_the_same(self, embedder: Embedder) -> None:
        """Memory embeds everything again when the id changes."""
        before = embedder.id
        self.vectors(embedder, *self.texts)

        assert before
        assert before == embedder.id

    def test_each_text_gets_a_vector_of_the_same_length(self, embedder: Embedder) -> None:
        vectors = self.vectors(embedder, *self.texts)

        assert len(self.texts) == len(vectors)
        assert 1 == len({len(vector) for vector in vectors})

    def test_a_length_that_it_declares_is_that_of_its_vectors(self, embedder: Embedder) -> None:
        [vector] = self.vectors(embedder, self.texts[0])
        declared = embedder.dimensions if isinstance(embedder, SupportsDimensions) else 0

        assert declared in (0, len(vector))

    def test_vectors_are_finite_and_normalised(self, embedder: Embedder) -> None:
        """Their product is the cosine; an empty text may get zeros."""
        for vector in self.vectors(embedder, *self.texts):
            length = math.sqrt(cosine(vector, vector))

            assert all(map(math.isfinite, vector))
            assert length == pytest.approx(1.0, abs=TOLERANCE) or length == 0.0

    def test_the_same_text_gets_the_same_vector_in_any_batch(self, embedder: Embedder) -> None:
        together = self.vectors(embedder, *self.texts)
        [alone] = self.vectors(embedder, self.texts[0])

        assert together[0] == pytest.approx(together[1], abs=TOLERANCE)
        assert together[0] == pytest.approx(alone, abs=TOLERANCE)

    def test_vectors_are_in_the_order_of_the_texts(self, embedder: Embedder) -> None:
        forwards = self.vectors(embedder, *self.texts)
        backwards = self.vectors(embedder, *reversed(self.texts))

        for one, other in zip(forwards, reversed(backwards), strict=True):
            assert one == pytest.approx(other, abs=TOLERANCE)

    def test_another_text_gets_another_vector(self, embedder: Embedder) -> None:
        one, _, other, *_ = self.vectors(embedder, *self.texts)

        assert cosine(one, other) < 1.0 - TOLERANCE

    def test_no_texts_have_no_vectors(self, embedder: Embedder) -> None:
        assert [] == self.vectors(embedder)

    def test_a_text_without_words_has_a_vector_too(self, embedder: Embedder) -> None:
        """Memory embeds any text."""
        vectors = self.vectors(embedder, "", " \n", "!?", self.texts[0])

        assert 1 == len({len(vector) for vector in vectors})
        assert all(math.isfinite(number) for vector in vectors for number in vector)

    def test_it_serves_several_at_the_same_time(self, embedder: Embedder) -> None:
        batches = [self.texts, self.texts[:1], [*reversed(self.texts)]]
        whole, first, backwards = asyncio.run(self.embed_all(embedder, *batches))

        assert [len(batch) for batch in batches] == [len(one.vectors) for one in (whole, first, backwards)]
        assert [*first.vectors[0]] == pytest.approx([*whole.vectors[0]], abs=TOLERANCE)
        assert [*backwards.vectors[-1]] == pytest.approx([*whole.vectors[0]], abs=TOLERANCE)
