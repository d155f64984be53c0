"""Split texts into batches and parse embeddings."""

from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Json
from openkoi_http import Server, error_from_body, normalize

MAX_BATCH_TEXTS = 2_048
MAX_BATCH_BYTES = 300_000
EMPTY_TEXT = " "


def split_batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Split texts into requests within the vendor's token limit, as each token is at least one byte.

    An empty text, which is rejected, becomes a space.
    """
    batch: list[str] = []
    size = 0
    for text in texts:
        more = len(text.encode("utf-8", "replace"))
        if batch and (len(batch) == MAX_BATCH_TEXTS or size + more > MAX_BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text or EMPTY_TEXT)
        size += more
    if batch:
        yield batch


def parse_vectors(answer: Json, wanted: int, server: Server) -> list[Sequence[float]]:
    """Return one vector per text, in order; raise ProviderUnavailableError when some are missing."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if isinstance(answer, dict) and answer.get("error"):
        raise error_from_body(server, answer)
    found = dict(parse_indexed(data)) if isinstance(data, list) else {}
    if sorted(found) != list(range(wanted)):
        raise server.unavailable(f"returned {len(found)} valid vectors instead of {wanted}.")
    return [found[place] for place in range(wanted)]


def parse_indexed(data: Sequence[Json]) -> Iterator[tuple[int, Sequence[float]]]:
    """Yield the valid vectors with their indexes."""
    for place, entry in enumerate(data):
        vector = normalize(entry.get("embedding")) if isinstance(entry, dict) else []
        index = entry.get("index", place) if isinstance(entry, dict) else place
        if vector and type(index) is int:
            yield index, vector
