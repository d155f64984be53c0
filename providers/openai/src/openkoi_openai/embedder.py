"""Embed texts with OpenAI's models or a compatible server."""

from collections.abc import Sequence
from typing import Annotated

from openkoi_hookspecs import Embedding, Env, Usage
from openkoi_http import ApiClient, ApiPlugin, Cassette, ResponseLimits, encode_json

from .api_choice import OFFICIAL_URL
from .provider import auth_headers
from .usage import parse_usage
from .vectors import parse_vectors, split_batches

DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}


class OpenAIEmbedder(ApiPlugin):
    """An embedder configured by ``[embedders.openai]`` and the provider's variables.

    ``dimensions`` shortens the vectors of models that support it; 0 keeps their full length.
    """

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("OPENAI_API_KEY", secret=True)] = "",
        base_url: Annotated[str, Env("OPENAI_BASE_URL")] = OFFICIAL_URL,
        model: str = "text-embedding-3-small",
        dimensions: int = 0,
        idle_seconds: float = 60.0,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        headers = auth_headers(api_key, base_url, cassette)
        bounds = ResponseLimits(idle_seconds=idle_seconds)
        self._client = ApiClient(base_url, headers=headers, bounds=bounds, cassette=cassette, transport=transport)
        self._model = model
        self._dimensions = dimensions

    @property
    def dimensions(self) -> int:
        """Length of the vectors, or 0 when unknown."""
        return self._dimensions or DIMENSIONS.get(self._model, 0)

    @property
    def id(self) -> str:
        """The model, and the length of its vectors when known."""
        return f"openai/{self._model}/{self.dimensions}" if self.dimensions else f"openai/{self._model}"

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed each text, in order."""
        vectors: list[Sequence[float]] = []
        tokens = 0
        for batch in split_batches(texts):
            answer = await self._client.post("/embeddings", self._encode(batch))
            vectors += parse_vectors(answer, len(batch), self._client.server)
            tokens += parse_usage(answer.get("usage")).input if isinstance(answer, dict) else 0
        if len({len(vector) for vector in vectors}) > 1:
            raise self._client.server.unavailable("returned vectors of different lengths.")
        return Embedding(vectors, Usage(input=tokens))

    def _encode(self, batch: Sequence[str]) -> bytes:
        shortened = {"dimensions": self._dimensions} if self._dimensions else {}
        return encode_json({"model": self._model, "input": batch, "encoding_format": "float", **shortened})
