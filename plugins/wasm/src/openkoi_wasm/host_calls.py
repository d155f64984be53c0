"""The functions of OpenKoi that a module may import from ``koi``: JSON in, JSON out, each with what it needs granted.

A function runs in the thread of the call, and waits for OpenKoi no longer than the call may still take. What it returns
is ``{"ok": ...}``, or ``{"error": "..."}`` for a sentence that the module may act on.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from openkoi_base.grants import Capabilities
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .active_call import ActiveCall, CallScope
from .events import MessageLogged

if TYPE_CHECKING:
    from .compiled_module import HostFunction

T = TypeVar("T")
Arguments = Mapping[str, Any]
MAX_LOG_CHARACTERS = 1_000
MAX_LOGS = 100  # of one call
HOST_SECONDS = 10.0  # for one host function; a call of a module may end before


@dataclass(frozen=True, slots=True)
class HostCall:
    """One call of a host function: what it was given, and the call of the module that it is part of."""

    scope: CallScope
    arguments: Arguments
    call: ActiveCall

    def text(self, name: str, default: str | None = None) -> str:
        """Return an argument that is a text; raise KoiError for anything else."""
        found = self.arguments.get(name, default)
        if not isinstance(found, str):
            raise KoiError(f"{name} has to be a text.")
        return found

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what OpenKoi's loop returns; raise KoiError if that takes too long."""
        waiting = asyncio.run_coroutine_threadsafe(work, self.scope.loop)
        seconds = max(0.0, min(HOST_SECONDS, self.call.seconds_left))
        try:
            return waiting.result(seconds)
        except TimeoutError:
            waiting.cancel()
            raise KoiError(f"OpenKoi did not answer within {seconds:.1f} s.") from None


@dataclass(frozen=True, slots=True)
class HostFunctionKind:
    """A host function, and which part of ``[capabilities]`` it needs; empty for one that every module has."""

    needs: str
    function: Callable[[HostCall], object]


def log(call: HostCall) -> None:
    """Show a line to the user."""
    line = MessageLogged(call.scope.plugin, call.text("text")[:MAX_LOG_CHARACTERS])
    if call.scope.run:
        call.wait(call.scope.run.emit(line))


FUNCTIONS: Mapping[str, HostFunctionKind] = {
    "log": HostFunctionKind("", log),
}


def granted_functions(granted: Capabilities) -> "Mapping[str, HostFunction]":
    """Return the functions that a module may import."""
    return {name: partial(answer, kind.function) for name, kind in FUNCTIONS.items() if is_granted(kind, granted)}


def missing_grants(granted: Capabilities) -> Mapping[str, str]:
    """Return all functions, each with what has to be asked for; empty where it is granted."""
    return {name: "" if is_granted(one, granted) else f"[capabilities] {one.needs}" for name, one in FUNCTIONS.items()}


def is_granted(kind: HostFunctionKind, granted: Capabilities) -> bool:
    return not kind.needs or bool(getattr(granted, kind.needs))


def answer(function: Callable[[HostCall], object], call: ActiveCall, request: bytes) -> bytes:
    """Return the answer of a host function as JSON."""
    try:
        arguments = json.loads(request)
        if not isinstance(arguments, dict):
            raise KoiError("The arguments have to be a JSON object.")
        return encode({"ok": function(HostCall(call.scope, arguments, call))})
    except KoiError as error:
        return encode({"error": str(error)})
    except (ValueError, RecursionError):
        return encode({"error": "The arguments are not valid JSON in UTF-8."})


def encode(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
