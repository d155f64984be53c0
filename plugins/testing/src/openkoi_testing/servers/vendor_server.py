"""Implement what the fakes of all vendors share: an HTTP server, and answers given in turn."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import count
from typing import Self

from openkoi_hookspecs import Json

from .http_server import HttpServer, ReceivedRequest, ServerResponse
from .say import Say, Words, to_answer


class VendorServer(ABC):
    """Say its answers in turn, repeating the last one. Started and ended as a context manager."""

    def __init__(self, *answers: Say | Words) -> None:
        self._answers = [to_answer(answer) for answer in answers] or [Say("Hello.")]
        self._turns = count()
        self._http = HttpServer(self.answer)

    def __enter__(self) -> Self:
        self._http.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.__exit__()

    @property
    def url(self) -> str:
        """What to use as the base URL."""
        return self._http.url

    @property
    def requests(self) -> Sequence[ReceivedRequest]:
        """Every request so far."""
        return tuple(self._http.requests)

    @property
    def connections(self) -> int:
        """How many connections there were so far."""
        return self._http.connections

    @property
    def sent(self) -> int:
        """How many bytes of answers were sent so far."""
        return self._http.sent

    @property
    def abandoned(self) -> int:
        """How many clients hung up in the middle of an answer so far."""
        return self._http.abandoned

    @property
    def asked(self) -> Sequence[dict[str, Json]]:
        """The bodies of what was asked of its models so far."""
        bodies = (seen.json for seen in self.requests if self.asks(seen))
        return tuple(body for body in bodies if isinstance(body, dict))

    @abstractmethod
    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer a request as the vendor does."""

    def asks(self, seen: ReceivedRequest) -> bool:
        """Return whether a request asks something of a model."""
        return seen.method == "POST"

    def next_answer(self) -> Say:
        """Return the answer whose turn it is."""
        return self._answers[min(next(self._turns), len(self._answers) - 1)]
