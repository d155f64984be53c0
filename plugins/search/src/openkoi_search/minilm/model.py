"""The loaded model: convert texts to word pieces and vectors in batches."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import ConfigError

from ..one_thread import one_thread
from .encoder import encode
from .package import INSTALL, TOKENS
from .weights import EncoderWeights, read_weights

if TYPE_CHECKING:
    from tokenizers import Tokenizer

# Word pieces of a text that the model reads. Reading the rest of long functions in chunks, and taking the most similar
# one, found little more: recall@10 of .819 instead of .815 over six libraries, for a fifth more vectors.
MAX_WORD_PIECES = 256
MAX_TEXT_CHARACTERS = 50_000
MAX_BATCH_PIECES = 1_024

Vector = Sequence[float]


class SentenceModel:
    """A model on disk; weights are read when needed."""

    def __init__(self, folder: Path) -> None:
        one_thread()
        try:
            self._weights: EncoderWeights = read_weights(folder)
            self._tokenizer = load_tokenizer(folder)
        except Exception as error:  # the tokenizer's library raises bare exceptions
            raise ConfigError(
                f"The model in {folder} cannot be read: {error!r}. To reinstall it, run `{INSTALL}`."
            ) from None

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Embed each text, in batches of similar length."""
        pieces = [self._tokenizer.encode(clean_text(text)).ids for text in texts]
        vectors: dict[int, Vector] = {}
        for batch in make_batches(pieces):
            rows = encode([pieces[n] for n in batch], self._weights).tolist()
            vectors.update(zip(batch, rows, strict=True))
        return [vectors[n] for n in range(len(texts))]


def load_tokenizer(folder: Path) -> "Tokenizer":
    """Read the tokenizer, which truncates long texts and does not pad."""
    from tokenizers import Tokenizer

    found = Tokenizer.from_file(str(folder / TOKENS))
    found.enable_truncation(MAX_WORD_PIECES)
    found.no_padding()
    return found


def clean_text(text: str) -> str:
    """Remove unread text and lone surrogates."""
    return text[:MAX_TEXT_CHARACTERS].encode("utf-8", "replace").decode()


def make_batches(pieces: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Group texts by length, so that little is padded and no batch is too large."""
    batch: list[int] = []
    for n in sorted(range(len(pieces)), key=lambda n: len(pieces[n])):
        if batch and (len(batch) + 1) * len(pieces[n]) > MAX_BATCH_PIECES:
            yield batch
            batch = []
        batch.append(n)
    if batch:
        yield batch
