"""Find the recorded response to a request, to replay it."""

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from openkoi_base.redact import Redactor
from openkoi_hookspecs import ConfigError, Json, RequestRejectedError

from . import cassette_file, exchange
from .canonical import digest_request
from .exchange import Exchange
from .streaming_redaction import mask_address, mask_pieces

Key = tuple[str, str, str]


class Recordings:
    """A cassette's exchanges; equal requests get their recordings in order, and a GET repeats the last one."""

    def __init__(self, file: Path, redact: Redactor) -> None:
        self._file = file
        self._redact = redact
        self._kept: dict[Key, list[Exchange]] = defaultdict(list)
        self._taken: dict[Key, int] = defaultdict(int)
        for found in load_exchanges(file):
            self._kept[found.method, found.path, digest_request(found.body)].append(found)

    def find(self, method: str, path: str, body: bytes) -> Exchange:
        """Return the recorded exchange; raise RequestRejectedError when there is none."""
        body = b"".join(mask_pieces([body], self._redact))
        key = (method, mask_address(path, self._redact), digest_request(body))
        kept, taken = self._kept.get(key, []), self._taken[key]
        if taken >= len(kept) and not (kept and method == "GET"):
            raise self._missing_error(key, body, len(kept))
        self._taken[key] += 1
        return kept[min(taken, len(kept) - 1)]

    def _missing_error(self, key: Key, body: bytes, kept: int) -> RequestRejectedError:
        method, path, word = key
        times = (
            f"was recorded only {kept} times" if kept > 1 else "was recorded only once" if kept else "was not recorded"
        )
        total = sum(map(len, self._kept.values()))
        return RequestRejectedError(
            f"The request {method} {path} ({summarize_request(body)}{word}) {times}: "
            f"{self._file} contains {total} exchanges. "
            "The task, a tool's result or a setting has changed since the recording. Record again."
        )


def load_exchanges(file: Path) -> Sequence[Exchange]:
    """Read a cassette; raise ConfigError that names an invalid line."""
    found = []
    for number, line in enumerate(cassette_file.read_lines(file), start=1):
        try:
            found.append(exchange.parse_exchange(line))
        except (ValueError, RecursionError) as error:
            why = "it is not JSON" if isinstance(error, json.JSONDecodeError | UnicodeDecodeError) else str(error)
            raise ConfigError(f"Cannot replay {file}, line {number}: {why}. Record it again.") from None
    return found


def summarize_request(body: bytes) -> str:
    """Return the model and the number of messages of a request."""
    try:
        request: Json = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(request, dict):
        return ""
    turns = request.get("messages") or request.get("contents")
    model = f"model {request['model']}, " if isinstance(request.get("model"), str) else ""
    return model + (f"{len(turns)} turns, " if isinstance(turns, list) else "")
