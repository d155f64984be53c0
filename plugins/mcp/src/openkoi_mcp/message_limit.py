"""Limit what a server may send as one message, over whatever way it is reached."""

from collections.abc import AsyncGenerator

import httpx2

from .error_output import ErrorOutput

MAX_MESSAGE_BYTES = 32 * 2**20  # bytes; estimate: three times a picture of 8 MB, which base64 makes longer
TOO_LONG = f"It was disconnected because it sent a message of more than {MAX_MESSAGE_BYTES >> 20} MiB"
EVENT_STREAM = "text/event-stream"
EVENT_ENDS = (b"\n\n", b"\r\r", b"\r\n\r\n")
LONGEST_END = max(map(len, EVENT_ENDS))


class MessageTooLongError(Exception):
    """What arrives is longer than any message may be."""


class HttpLimit:
    """Limits what arrives of each response, and of each event of a stream of events: as it is sent, and decoded."""

    def __init__(self, errors: ErrorOutput) -> None:
        self.errors = errors

    async def limit(self, response: httpx2.Response) -> None:
        """Limit a response of which nothing was read yet; a hook of the client."""
        is_stream = response.headers.get("content-type", "").lower().startswith(EVENT_STREAM)
        raw, decoded, sent = response.aiter_raw, response.aiter_bytes, 0

        async def limited_raw(size: int | None = None) -> AsyncGenerator[bytes]:
            nonlocal sent
            async for chunk in raw(size):
                sent += len(chunk)
                self.check(sent)
                yield chunk

        async def limited(size: int | None = None) -> AsyncGenerator[bytes]:
            nonlocal sent
            length, end = 0, b""
            async for chunk in decoded(size):
                length += len(chunk)
                if is_stream and (rest := after_events(end + chunk)) is not None:
                    length, sent = rest, 0
                end = (end + chunk)[1 - LONGEST_END :]
                self.check(length)
                yield chunk

        vars(response).update(aiter_raw=limited_raw, aiter_bytes=limited)  # what all other readers of it are built on

    def check(self, length: int) -> None:
        """Raise MessageTooLongError, and note why, if a message is too long."""
        if length > MAX_MESSAGE_BYTES:
            self.errors.fault = TOO_LONG
            raise MessageTooLongError


def after_events(data: bytes) -> int | None:
    """Return how many bytes follow the last event that ended in some data; None if none did."""
    ends = [found + len(end) for end in EVENT_ENDS if (found := data.rfind(end)) >= 0]
    return len(data) - max(ends) if ends else None
