"""OpenAI's embeddings, and those of every server that speaks like it. Knows the configuration."""

from collections.abc import Sequence
from typing import Annotated, Self

from openkoi_hookspecs import Embedding, Env, Usage
from openkoi_wire import Bounds, Cassette, Wire, written

from .dialect import OFFICIAL
from .provider import authorization
from .usage import usage_of
from .vectors import batches, vectors_of

DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}


class OpenAIEmbedder:
    """Configured by ``[embedders.openai]`` and by the variables of the provider.

    ``dimensions`` shortens the vectors of models that can; 0 leaves them as they are.
    """

    def __init__(
        self,
        *,
        api_key: Annotated[str, Env("OPENAI_API_KEY", secret=True)] = "",
        base_url: Annotated[str, Env("OPENAI_BASE_URL")] = OFFICIAL,
        model: str = "text-embedding-3-small",
        dimensions: int = 0,
        idle_seconds: float = 60.0,
        cassette: Cassette = "",
        transport: object | None = None,
    ) -> None:
        headers = authorization(api_key, base_url, cassette)
        bounds = Bounds(idle=idle_seconds)
        self._wire = Wire(base_url, headers=headers, bounds=bounds, cassette=cassette, transport=transport)
        self._model = model
        self._dimensions = dimensions

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wire.__aexit__()

    @property
    def dimensions(self) -> int:
        """The length of the vectors; 0 where it is not known."""
        return self._dimensions or DIMENSIONS.get(self._model, 0)

    @property
    def id(self) -> str:
        """The model and the length of its vectors, where that is known."""
        return f"openai/{self._model}/{self.dimensions}" if self.dimensions else f"openai/{self._model}"

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed each text, in order."""
        vectors: list[Sequence[float]] = []
        tokens = 0
        for batch in batches(texts):
            answer = await self._wire.post("/embeddings", self._written(batch))
            vectors += vectors_of(answer, len(batch), self._wire.server)
            tokens += usage_of(answer.get("usage")).input if isinstance(answer, dict) else 0
        if len({len(vector) for vector in vectors}) > 1:
            raise self._wire.server.unavailable("sent vectors of different lengths.")
        return Embedding(vectors, Usage(input=tokens))

    def _written(self, batch: Sequence[str]) -> bytes:
        shortened = {"dimensions": self._dimensions} if self._dimensions else {}
        return written({"model": self._model, "input": batch, "encoding_format": "float", **shortened})
