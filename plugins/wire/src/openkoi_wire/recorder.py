"""Write every exchange down when it is over, however it ended. Knows what is kept of it; changes nothing in it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_redact import Redactor

from . import tape
from .exchange import Exchange, written
from .pieces import address, masked
from .server import one_line

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Request, Response

KEPT = ("content-type", "retry-after", "retry-after-ms")


class Recorder:
    """Records the exchanges with one host."""

    def __init__(self, file: Path, redact: Redactor, host: str, root: str) -> None:
        self._file = file
        self._redact = redact
        self._host = host
        self._root = root
        tape.begin(file)

    async def send(self, client: "AsyncClient", request: "Request") -> "Response":
        """Send a request; what is read of the answer is kept, and written when it is closed."""
        from .playing import Listened, asked

        method, path, body = asked(request, self._root)

        def keep(pieces: Sequence[bytes], cut: str, status: int, headers: Mapping[str, str]) -> None:
            exchange = Exchange(
                method=method,
                host=self._host,
                path=address(path, self._redact),
                body=b"".join(masked([body], self._redact)),
                status=status,
                headers={name: self._redact(in_ascii(headers[name])) for name in KEPT if name in headers},
                pieces=tuple(masked(pieces, self._redact)),
                cut=self._redact(one_line(cut)),
            )
            tape.append(self._file, written(exchange))

        try:
            response = await client.send(request, stream=True)
        except BaseException as error:  # patience that is at an end comes as a cancellation
            keep((), reason(error), 0, {})
            raise
        response.stream = Listened(response, keep)
        return response


def in_ascii(header: str) -> str:
    """Write a header so that it can be played; what servers say in others is of no use to us."""
    return one_line(header).encode("ascii", "replace").decode()


def reason(error: BaseException) -> str:
    """Say why something ended early."""
    return f"{type(error).__name__}: {error}".rstrip(": ")
