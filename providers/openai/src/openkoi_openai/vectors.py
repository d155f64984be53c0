"""Texts in batches that a vendor takes, and vectors out of its answers. Knows limits and numbers; asks nobody."""

import math
from collections.abc import Iterator, Sequence

from openkoi_hookspecs import Json
from openkoi_wire import Server, reported

MOST_TEXTS = 2_048
MOST_BYTES = 300_000
BLANK = " "


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Cut texts into requests; no request has more tokens than a vendor takes, as each is at least a byte.

    An empty text, which is refused, becomes a blank.
    """
    batch: list[str] = []
    size = 0
    for text in texts:
        more = len(text.encode("utf-8", "replace"))
        if batch and (len(batch) == MOST_TEXTS or size + more > MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text or BLANK)
        size += more
    if batch:
        yield batch


def vectors_of(answer: Json, wanted: int, server: Server) -> list[Sequence[float]]:
    """Read one vector for each text, by its number; raises ProviderUnavailableError when they are not all there."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if isinstance(answer, dict) and answer.get("error"):
        raise reported(server, answer)
    found = dict(numbered(data)) if isinstance(data, list) else {}
    if sorted(found) != list(range(wanted)):
        raise server.unavailable(f"was asked for {wanted} vectors and sent {len(found)} that can be read.")
    return [found[place] for place in range(wanted)]


def numbered(data: Sequence[Json]) -> Iterator[tuple[int, Sequence[float]]]:
    """List the vectors that can be read, each with its number."""
    for place, entry in enumerate(data):
        vector = normalised(entry.get("embedding")) if isinstance(entry, dict) else None
        index = entry.get("index", place) if isinstance(entry, dict) else place
        if vector is not None and type(index) is int:
            yield index, vector


def normalised(numbers: Json) -> Sequence[float] | None:
    """Bring a vector to length one; None for what is none."""
    if not isinstance(numbers, list) or not numbers:
        return None
    found = [float(number) for number in numbers if isinstance(number, int | float)]
    length = math.sqrt(math.fsum(number * number for number in found))
    if len(found) < len(numbers) or not math.isfinite(length) or length == 0:
        return None
    return [number / length for number in found]
