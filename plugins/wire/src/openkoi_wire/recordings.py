"""The exchanges of a cassette, and which of them answers a request. Knows no HTTP client."""

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from openkoi_hookspecs import ConfigError, Json, RequestRejectedError
from openkoi_redact import Redactor

from . import exchange, tape
from .canonical import digest
from .exchange import Exchange
from .pieces import address, masked

Key = tuple[str, str, str]


class Recordings:
    """Equal requests are answered by their recordings in order; what only fetches gets the last one ever again."""

    def __init__(self, file: Path, redact: Redactor) -> None:
        self._file = file
        self._redact = redact
        self._kept: dict[Key, list[Exchange]] = defaultdict(list)
        self._taken: dict[Key, int] = defaultdict(int)
        for found in recorded(file):
            self._kept[found.method, found.path, digest(found.body)].append(found)

    def answer(self, method: str, path: str, body: bytes) -> Exchange:
        """Find what was answered; raises RequestRejectedError when that was not recorded."""
        body = b"".join(masked([body], self._redact))
        key = (method, address(path, self._redact), digest(body))
        kept, taken = self._kept.get(key, []), self._taken[key]
        if taken >= len(kept) and not (kept and method == "GET"):
            raise self._missing(key, body, len(kept))
        self._taken[key] += 1
        return kept[min(taken, len(kept) - 1)]

    def _missing(self, key: Key, body: bytes, kept: int) -> RequestRejectedError:
        method, path, word = key
        times = f"is recorded {kept} times only" if kept > 1 else "is recorded once only" if kept else "is not recorded"
        held = sum(map(len, self._kept.values()))
        return RequestRejectedError(
            f"The request {method} {path} ({summary(body)}{word}) {times}: {self._file} holds {held} exchanges. "
            "The task, a tool's result or a setting differs from when it was recorded; record anew."
        )


def recorded(file: Path) -> Sequence[Exchange]:
    """Read a cassette; raises ConfigError that names the line that cannot be read."""
    found = []
    for number, line in enumerate(tape.lines(file), start=1):
        try:
            found.append(exchange.read(line))
        except (ValueError, RecursionError) as error:
            why = "it is no JSON" if isinstance(error, json.JSONDecodeError | UnicodeDecodeError) else str(error)
            raise ConfigError(f"{file}, line {number}, cannot be replayed: {why}. Record it anew.") from None
    return found


def summary(body: bytes) -> str:
    """Say in a few words what is asked, where bodies are of the common shape."""
    try:
        said: Json = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(said, dict):
        return ""
    turns = said.get("messages") or said.get("contents")
    model = f"model {said['model']}, " if isinstance(said.get("model"), str) else ""
    return model + (f"{len(turns)} turns, " if isinstance(turns, list) else "")
