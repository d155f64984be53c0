"""Texts to vectors, a hundred at a time. Knows the format of a batch; the connection is the door's."""

import math
from collections.abc import Sequence
from typing import Annotated, Self

from openkoi_hookspecs import ConfigError, Embedding, Env, Json, Usage
from openkoi_wire import Cassette, Server, count, written

from .catalogue import complaint
from .door import OFFICIAL, Access, path_of, resource
from .troubles import objects

BATCH = 100
NOTHING = "(nothing)"
LARGEST = 1e100


class GoogleEmbedder:
    """Configured by ``[embedders.google]`` and by the variables of the provider.

    ``dimensions`` is how many numbers a vector has. ``task`` is one of the vendor's task types; without one, a question
    and its answer are told alike.
    """

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("GOOGLE_API_KEY", secret=True), Env("GEMINI_API_KEY", secret=True)] = "",
        base_url: Annotated[str, Env("GOOGLE_GEMINI_BASE_URL")] = OFFICIAL,
        model: str = "gemini-embedding-001",
        dimensions: int = 768,
        task: str = "",
        idle_seconds: float = 60.0,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        if dimensions < 1:
            raise ConfigError(f"dimensions is {dimensions}; a vector has at least one. Write 768, 1536 or 3072.")
        self._wire = Access(
            key=api_key.strip(),
            base_url=base_url,
            idle_seconds=idle_seconds,
            cassette=cassette,
            transport=transport,
        ).door()
        self._model, self._dimensions, self._task = model, dimensions, task

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.__aexit__()

    @property
    def dimensions(self) -> int:
        """The length of the vectors."""
        return self._dimensions

    @property
    def id(self) -> str:
        """Model, dimension and task: with another of these the same text gets another vector."""
        return f"google/{self._model}:{self._dimensions}" + (f":{self._task}" if self._task else "")

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed each text, in order."""
        vectors: list[Sequence[float]] = []
        tokens = 0
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            answer = await self._wire.post(path_of(self._model, ":batchEmbedContents"), self._written(batch))
            vectors += vectors_of(answer, (len(batch), self._dimensions), self._wire.server)
            tokens += tokens_of(answer)
        return Embedding(vectors, Usage(input=tokens))

    def _written(self, texts: Sequence[str]) -> bytes:
        return written({"requests": [self._request(text) for text in texts]})

    def _request(self, text: str) -> dict[str, object]:
        """Ask for one vector; the vendor takes no text that says nothing."""
        task = {"taskType": self._task} if self._task else {}
        content = {"parts": [{"text": text if text.strip() else NOTHING}]}
        return {
            "model": resource(self._model),
            "content": content,
            "outputDimensionality": self._dimensions,
            **task,
        }


def vectors_of(answer: Json, shape: tuple[int, int], server: Server) -> list[Sequence[float]]:
    """Read as many vectors of as many numbers as were asked for.

    Raises ProviderUnavailableError when they are not there.
    """
    found = [one.get("values") for one in objects(answer.get("embeddings"))] if isinstance(answer, dict) else []
    vectors = [normalised(values) for values in found]
    if len(vectors) != shape[0] or any(len(vector) != shape[1] for vector in vectors):
        raise complaint(answer, server, f"{shape[0]} vectors of {shape[1]} numbers")
    return vectors


def normalised(values: Json) -> Sequence[float]:
    """Give a vector the length one, as the vendor does only for the largest; nothing when it cannot be."""
    numbers = values if isinstance(values, list) else []
    vector = [float(number) for number in numbers if isinstance(number, int | float) and abs(number) < LARGEST]
    length = math.hypot(*vector)
    return [number / length for number in vector] if math.isfinite(length) and length > 0 else []


def tokens_of(answer: Json) -> int:
    """Return what a batch cost, or 0 when the server does not say."""
    counted = answer.get("usageMetadata") if isinstance(answer, dict) else None
    return count(counted.get("promptTokenCount")) if isinstance(counted, dict) else 0
