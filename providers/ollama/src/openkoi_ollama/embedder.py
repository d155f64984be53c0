"""Texts to vectors, by a model that Ollama serves. Knows one address; what the vectors are for is not its business."""

import math
from collections.abc import Iterator, Sequence
from typing import Annotated, Self

from openkoi_hookspecs import ConfigError, Embedding, Env, Json, Usage
from openkoi_wire import Bounds, Cassette, Server, Wire, count, written

from .advice import explaining
from .host import LOCAL, authorization, base_url_of

AT_ONCE = 64


class OllamaEmbedder:
    """Configured by ``[embedders.ollama]`` and by the provider's two variables.

    ``dimensions`` shortens the vectors of models that allow it; 0 leaves them as they are.
    """

    def __init__(
        self,
        *,
        model: str = "embeddinggemma",
        dimensions: int = 0,
        base_url: Annotated[str, Env("OLLAMA_HOST")] = LOCAL,
        api_key: Annotated[str, Env("OLLAMA_API_KEY", secret=True)] = "",
        idle_seconds: float = 120.0,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        if not model.strip() or dimensions < 0:
            raise ConfigError("[embedders.ollama] needs the name of a model, and dimensions of 0 or more.")
        self._wire = Wire(
            base_url_of(base_url),
            headers=authorization(api_key),
            bounds=Bounds(idle=idle_seconds),
            cassette=cassette,
            transport=transport,
        )
        self._model = model.strip()
        self._dimensions = dimensions

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.__aexit__()

    @property
    def dimensions(self) -> int:
        """The length of the vectors; 0 where it is the model's own."""
        return self._dimensions

    @property
    def id(self) -> str:
        """The model, and the dimension where it is not the model's own."""
        return f"ollama/{self._model}/{self._dimensions}" if self._dimensions else f"ollama/{self._model}"

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed each text, in order."""
        vectors: list[Sequence[float]] = []
        tokens = 0
        for batch in batches(texts):
            answer = await self._asked(batch)
            vectors += vectors_in(answer, len(batch), self._wire.server)
            tokens += count(answer.get("prompt_eval_count")) if isinstance(answer, dict) else 0
        if len({len(vector) for vector in vectors}) > 1:
            raise self._wire.server.unavailable("sent vectors of different lengths.")
        return Embedding(tuple(vectors), Usage(input=tokens))

    async def _asked(self, batch: Sequence[str]) -> Json:
        wanted = {"dimensions": self._dimensions} if self._dimensions else {}
        with explaining(self._model):
            return await self._wire.post("/api/embed", written({"model": self._model, "input": list(batch), **wanted}))


def batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Cut texts into as many as are sent at once."""
    return (texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE))


def vectors_in(answer: Json, expected: int, server: Server) -> list[Sequence[float]]:
    """Read the vectors; raises ProviderUnavailableError when they are not what was asked for."""
    found = answer.get("embeddings") if isinstance(answer, dict) else None
    vectors = [normalised(vector) for vector in found] if isinstance(found, list) else []
    if len(vectors) != expected or not all(vectors):
        raise server.unavailable(f"sent something that is not {expected} vectors.")
    return vectors


def normalised(vector: Json) -> Sequence[float]:
    """Bring a vector to length one; empty when it cannot be."""
    if not isinstance(vector, list):
        return ()
    numbers = [number for number in vector if isinstance(number, int | float) and not isinstance(number, bool)]
    try:
        length = math.hypot(*numbers)
    except OverflowError:
        return ()
    if len(numbers) < len(vector) or not math.isfinite(length) or not length:
        return ()
    return tuple(number / length for number in numbers)
