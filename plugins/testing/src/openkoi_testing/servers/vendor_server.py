"""Implement what the fakes of all vendors share: an HTTP server, and answers given in turn."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import count

from openkoi_hookspecs import Json

from .http_server import HttpServer, ReceivedRequest, ServerResponse
from .say import Say, Words, to_answer


class VendorServer(HttpServer, ABC):
    """Return the given answers in turn, then repeat the last one."""

    def __init__(self, *answers: Say | Words) -> None:
        self._answers = [to_answer(answer) for answer in answers] or [Say("Hello.")]
        self._turns = count()
        super().__init__(self.answer)

    @property
    def asked(self) -> Sequence[dict[str, Json]]:
        """The bodies of the requests to its models so far."""
        bodies = (seen.json for seen in self.requests if self.asks(seen))
        return tuple(body for body in bodies if isinstance(body, dict))

    @abstractmethod
    def answer(self, seen: ReceivedRequest) -> ServerResponse:
        """Answer a request as the vendor does."""

    def asks(self, seen: ReceivedRequest) -> bool:
        """Return whether a request calls a model."""
        return seen.method == "POST"

    def next_answer(self) -> Say:
        """Return the next answer."""
        return self._answers[min(next(self._turns), len(self._answers) - 1)]
