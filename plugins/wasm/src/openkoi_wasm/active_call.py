"""A module call in progress: its limits, what its host functions may use, and why it must end."""

import asyncio
import math
from collections.abc import Sequence
from time import monotonic
from typing import Protocol

from openkoi_base.grants import Capabilities
from openkoi_hookspecs import Koi, Run
from openkoi_hookspecs.lazy_dataclass import dataclass

from .limits import CallLimits


class Instance(Protocol):
    """A module that was started, while it is called."""

    def answer(self, request: bytes, call: "ActiveCall") -> bytes:
        """Return the module's answer to a request; raise GuestError."""

    def stop(self) -> None:
        """End the call as soon as the module loops or calls a function."""


@dataclass(frozen=True, slots=True)
class CallScope:
    """What the host functions of a call may use; ``run`` is None outside runs. ``loop`` is that of OpenKoi."""

    plugin: str
    granted: Capabilities
    granted_tools: Sequence[str]
    koi: Koi
    run: Run | None
    loop: asyncio.AbstractEventLoop


@dataclass(eq=False, slots=True)
class ActiveCall:
    """A call under way. What a host function returns is ``pending`` until the module reads it into its memory."""

    limits: CallLimits
    scope: CallScope
    until: float = math.inf
    pending: bytes = b""
    host_calls: int = 0
    written: int = 0
    failure: str = ""
    cancelled: bool = False
    ended: bool = False
    guest: Instance | None = None

    @property
    def seconds_left(self) -> float:
        """The seconds that the call may still take."""
        return self.until - monotonic()
