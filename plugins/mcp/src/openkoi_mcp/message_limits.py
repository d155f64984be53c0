"""Limit the size of a server's message before it is parsed: a parsed value can take 500 times its bytes."""

import re
from collections.abc import AsyncIterator

import httpx2

from .error_output import ErrorOutput

MAX_MESSAGE_BYTES = 32 * 2**20  # bytes of a message; estimate: three times a picture of 8 MB, which base64 makes longer
MAX_VALUES = 200_000  # JSON values in a message, 100 MB as the SDK keeps them (measured); 50 tools have 1,000
# A string is in one line, also in an event; it may be without its end.
TOKEN = re.compile(rb'[,{[]|"(?:[^"\\\r\n]|\\[^\r\n])*+"?')
QUOTATION_MARK = ord('"')
REFUSED = "It was disconnected because it sent {}"
EVENT_STREAM = "text/event-stream"
EVENT_END = re.compile(rb"(?>\r\n|\r|\n){2}")
LONGEST_END = 4  # bytes
SEPARATORS = (b",", b"[", b"{")
MAX_TOKENS = 3 * MAX_VALUES  # of which two may be the strings of a value


class MessageTooLargeError(Exception):
    """A server's message is too large; the error describes it in a clause such as "a message of more than 32 MiB"."""


def check_length(length: int) -> None:
    """Raise MessageTooLargeError for a message with too many bytes."""
    if length > MAX_MESSAGE_BYTES:
        raise MessageTooLargeError(f"a message of more than {MAX_MESSAGE_BYTES >> 20} MiB")


def check_values(message: bytes | bytearray) -> None:
    """Raise MessageTooLargeError for a message with too many values; what is within strings does not count."""
    if sum(map(message.count, SEPARATORS)) <= MAX_VALUES:
        return
    values = 0
    for tokens, found in enumerate(TOKEN.finditer(message)):
        values += message[found.start()] != QUOTATION_MARK
        if values > MAX_VALUES or tokens > MAX_TOKENS:
            raise MessageTooLargeError(f"a message of more than {MAX_VALUES:,} values")


async def limit_response(errors: ErrorOutput, response: httpx2.Response) -> None:
    """Limit an unread response, and record a 401; a hook of the client."""
    if response.status_code == httpx2.codes.UNAUTHORIZED:
        errors.is_unauthorized = True
    response.stream = LimitedStream(response, errors)
    response.encoding = "utf-8"  # which it must have, and in which values are counted


class LimitedStream(httpx2.AsyncByteStream):
    """The response of a server over HTTP: a message, or each event if it is a stream of events."""

    def __init__(self, response: httpx2.Response, errors: ErrorOutput) -> None:
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        self.inner, self.errors = response.stream, errors
        self.has_events = response.headers.get("content-type", "").lower().startswith(EVENT_STREAM)
        self.is_compressed = response.headers.get("content-encoding", "").lower() not in ("", "identity")
        self.message = bytearray()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            if self.is_compressed:  # it could be any length
                raise MessageTooLargeError("a compressed response, which OpenKoi did not request")
            async for chunk in self.inner:
                self.check(chunk)
                yield chunk
            check_values(self.message)
        except MessageTooLargeError as error:
            self.errors.fault = REFUSED.format(error)
            raise

    def check(self, chunk: bytes) -> None:
        """Raise MessageTooLargeError if an event that ends with these bytes, or the data so far, is too large."""
        start = max(0, len(self.message) + 1 - LONGEST_END)
        self.message += chunk
        while self.has_events and (end := EVENT_END.search(self.message, start)):
            check_values(self.message[: end.end()])
            del self.message[: end.end()]
            start = 0
        check_length(len(self.message))

    async def aclose(self) -> None:
        """Close the connection."""
        await self.inner.aclose()
