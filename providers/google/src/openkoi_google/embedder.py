"""Embed texts in batches."""

from collections.abc import Sequence
from typing import Annotated

from openkoi_hookspecs import ConfigError, Embedding, Env, Json, Usage
from openkoi_http import ApiPlugin, Cassette, Server, encode_json, normalize, parse_count

from .access import OFFICIAL_URL, GoogleAccess, path_of, resource_name
from .errors import objects_in
from .model_list import unexpected_response_error

MAX_BATCH_TEXTS = 100
EMPTY_TEXT = "(nothing)"


class GoogleEmbedder(ApiPlugin):
    """An embedder for Google's models, configured by ``[embedders.google]`` and the provider's variables.

    ``dimensions`` is the length of the vectors. ``task`` is one of the vendor's task types; without one, queries and
    documents are embedded alike.
    """

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("GOOGLE_API_KEY", secret=True), Env("GEMINI_API_KEY", secret=True)] = "",
        base_url: Annotated[str, Env("GOOGLE_GEMINI_BASE_URL")] = OFFICIAL_URL,
        model: str = "gemini-embedding-001",
        dimensions: int = 768,
        task: str = "",
        idle_seconds: float = 60.0,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        if dimensions < 1:
            raise ConfigError(f"[embedders.google] dimensions is {dimensions}. Set it to 768, 1536 or 3072.")
        self._client = GoogleAccess(
            key=api_key.strip(),
            base_url=base_url,
            idle_seconds=idle_seconds,
            cassette=cassette,
            transport=transport,
        ).open_client()
        self._model, self._dimensions, self._task = model, dimensions, task

    @property
    def dimensions(self) -> int:
        """Length of the vectors."""
        return self._dimensions

    @property
    def id(self) -> str:
        """Model, dimensions and task type, all of which change the vectors."""
        return f"google/{self._model}:{self._dimensions}" + (f":{self._task}" if self._task else "")

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed each text, in order."""
        vectors: list[Sequence[float]] = []
        tokens = 0
        for start in range(0, len(texts), MAX_BATCH_TEXTS):
            batch = texts[start : start + MAX_BATCH_TEXTS]
            answer = await self._client.post(path_of(self._model, ":batchEmbedContents"), self._encode(batch))
            vectors += parse_vectors(answer, (len(batch), self._dimensions), self._client.server)
            tokens += parse_tokens(answer)
        return Embedding(vectors, Usage(input=tokens))

    def _encode(self, texts: Sequence[str]) -> bytes:
        return encode_json({"requests": [self._embed_request(text) for text in texts]})

    def _embed_request(self, text: str) -> dict[str, object]:
        """Return the request for one vector; the vendor rejects blank texts."""
        task = {"taskType": self._task} if self._task else {}
        content = {"parts": [{"text": text if text.strip() else EMPTY_TEXT}]}
        return {
            "model": resource_name(self._model),
            "content": content,
            "outputDimensionality": self._dimensions,
            **task,
        }


def parse_vectors(answer: Json, shape: tuple[int, int], server: Server) -> list[Sequence[float]]:
    """Return the vectors; raise ProviderUnavailableError unless there are as many of that length as requested."""
    found = [entry.get("values") for entry in objects_in(answer.get("embeddings"))] if isinstance(answer, dict) else []
    vectors: list[Sequence[float]] = [normalize(values) for values in found]
    if len(vectors) != shape[0] or any(len(vector) != shape[1] for vector in vectors):
        raise unexpected_response_error(answer, server, f"{shape[0]} vectors of {shape[1]} numbers")
    return vectors


def parse_tokens(answer: Json) -> int:
    """Return the token count of a batch, or 0 when it is missing."""
    counted = answer.get("usageMetadata") if isinstance(answer, dict) else None
    return parse_count(counted.get("promptTokenCount")) if isinstance(counted, dict) else 0
