"""Record HTTP requests and responses to the cassette (`--record`), with secrets masked, however they end."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_base.redact import Redactor

from . import cassette_file
from .exchange import Exchange, encode_exchange
from .server import one_line
from .streaming_redaction import mask_address, mask_pieces

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Request, Response

RECORDED_HEADERS = ("content-type", "retry-after", "retry-after-ms")


class Recorder:
    """A recorder of the exchanges with one host."""

    def __init__(self, file: Path, redact: Redactor, host: str, root: str) -> None:
        self._file = file
        self._redact = redact
        self._host = host
        self._root = root
        cassette_file.create(file)

    async def send(self, client: "AsyncClient", request: "Request") -> "Response":
        """Send a request; record its response when it is closed."""
        from .cassette_transport import RecordingStream, describe_request

        method, path, body = describe_request(request, self._root)

        def record(pieces: Sequence[bytes], cut: str, status: int, headers: Mapping[str, str]) -> None:
            exchange = Exchange(
                method=method,
                host=self._host,
                path=mask_address(path, self._redact),
                body=b"".join(mask_pieces([body], self._redact)),
                status=status,
                headers={name: self._redact(to_ascii(headers[name])) for name in RECORDED_HEADERS if name in headers},
                pieces=tuple(mask_pieces(pieces, self._redact)),
                cut=self._redact(one_line(cut)),
            )
            cassette_file.append(self._file, encode_exchange(exchange))

        try:
            response = await client.send(request, stream=True)
        except BaseException as error:  # patience that is at an end comes as a cancellation
            record((), describe_error(error), 0, {})
            raise
        response.stream = RecordingStream(response, record)
        return response


def to_ascii(header: str) -> str:
    """Return a header's value in ASCII, so that it can be replayed."""
    return one_line(header).encode("ascii", "replace").decode()


def describe_error(error: BaseException) -> str:
    """Return the type and message of an error."""
    return f"{type(error).__name__}: {error}".rstrip(": ")
