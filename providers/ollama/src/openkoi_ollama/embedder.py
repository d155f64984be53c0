"""Embed texts with a model served by Ollama."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from openkoi_hookspecs import ConfigError, Embedding, Env, Json, Usage
from openkoi_http import ApiClient, ApiPlugin, Cassette, ResponseLimits, Server, encode_json, normalize, parse_count

from .errors import explain_errors
from .host import DEFAULT_URL, auth_headers, parse_host

MAX_BATCH_TEXTS = 64


class OllamaEmbedder(ApiPlugin):
    """An embedder for Ollama's models, configured by ``[embedders.ollama]`` and the provider's two variables.

    ``dimensions`` shortens the vectors of models that support it; 0 keeps their full length.
    """

    def __init__(
        self,
        *,
        model: str = "embeddinggemma",
        dimensions: int = 0,
        base_url: Annotated[str, Env("OLLAMA_HOST")] = DEFAULT_URL,
        api_key: Annotated[str, Env("OLLAMA_API_KEY", secret=True)] = "",
        idle_seconds: float = 120.0,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        if not model.strip() or dimensions < 0:
            raise ConfigError("[embedders.ollama] needs a model name and dimensions of 0 or more.")
        self._client = ApiClient(
            parse_host(base_url),
            headers=auth_headers(api_key),
            bounds=ResponseLimits(idle_seconds=idle_seconds),
            cassette=cassette,
            transport=transport,
        )
        self._model = model.strip()
        self._dimensions = dimensions

    @property
    def dimensions(self) -> int:
        """Length of the vectors, or 0 for the model's own."""
        return self._dimensions

    @property
    def id(self) -> str:
        """The model, and the dimensions unless they are the model's own."""
        return f"ollama/{self._model}/{self._dimensions}" if self._dimensions else f"ollama/{self._model}"

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed each text, in order."""
        vectors: list[Sequence[float]] = []
        tokens = 0
        for batch in split_batches(texts):
            answer = await self._request_vectors(batch)
            vectors += parse_vectors(answer, len(batch), self._client.server)
            tokens += parse_count(answer.get("prompt_eval_count")) if isinstance(answer, dict) else 0
        if len({len(vector) for vector in vectors}) > 1:
            raise self._client.server.unavailable("returned vectors of different lengths.")
        return Embedding(tuple(vectors), Usage(input=tokens))

    async def _request_vectors(self, batch: Sequence[str]) -> Json:
        shortened = {"dimensions": self._dimensions} if self._dimensions else {}
        with explain_errors(self._model):
            return await self._client.post(
                "/api/embed", encode_json({"model": self._model, "input": list(batch), **shortened})
            )


def split_batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Split texts into batches."""
    return (texts[start : start + MAX_BATCH_TEXTS] for start in range(0, len(texts), MAX_BATCH_TEXTS))


def parse_vectors(answer: Json, expected: int, server: Server) -> list[Sequence[float]]:
    """Return the vectors; raise ProviderUnavailableError unless there are as many as requested."""
    found = answer.get("embeddings") if isinstance(answer, dict) else None
    vectors: list[Sequence[float]] = [normalize(vector) for vector in found] if isinstance(found, list) else []
    if len(vectors) != expected or not all(vectors):
        raise server.unavailable(f"did not return {expected} vectors.")
    return vectors
