"""The host functions of a WebAssembly plugin: it may call those whose capability the user approved.

A module imports them from ``koi``: JSON in, JSON out.

A function runs in the thread of the call, and waits for OpenKoi no longer than the call may still take. What it returns
is ``{"ok": ...}``, or ``{"error": "..."}`` for a sentence that the module may act on.
"""

import asyncio
import json
import os
from base64 import b64encode
from collections.abc import Callable, Container, Coroutine, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from openkoi_base.printable import one_line
from openkoi_hookspecs import KoiError, Query, ToolCall
from openkoi_hookspecs.integrations import Post
from openkoi_hookspecs.lazy_dataclass import dataclass

from .active_call import ActiveCall, CallScope
from .events import MessageLogged

if TYPE_CHECKING:
    from .compiled_module import HostFunction
    from .granted_files import GrantedFiles

T = TypeVar("T")
Arguments = Mapping[str, Any]
MAX_LOG_CHARACTERS = 1_000  # of a line (estimate)
MAX_WRITTEN_BYTES = 16 << 20  # by one call
MAX_HITS = 20  # of one search, as for scripts (estimate)
ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
HOST_SECONDS = 10.0  # for one host function; a call of a module may end before


@dataclass(frozen=True, slots=True)
class HostCall:
    """One call of a host function: what it was given, and the call of the module that it is part of."""

    scope: CallScope
    arguments: Arguments
    call: ActiveCall

    def text(self, name: str, default: str | None = None) -> str:
        """Return an argument that must be a string; raise KoiError if it is not."""
        found = self.arguments.get(name, default)
        if not isinstance(found, str):
            raise KoiError(f"{name} must be a string.")
        return found

    @property
    def files(self) -> "GrantedFiles":
        """The files that the plugin was granted."""
        from .granted_files import GrantedFiles

        scope = self.scope
        return GrantedFiles(scope.granted, scope.run.workspace if scope.run else scope.koi.workspace)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for a result from OpenKoi's event loop; raise KoiError if that takes too long."""
        waiting = asyncio.run_coroutine_threadsafe(work, self.scope.loop)
        seconds = max(0.0, min(HOST_SECONDS, self.call.seconds_left))
        try:
            return waiting.result(seconds)
        except TimeoutError:
            waiting.cancel()
            raise KoiError(f"OpenKoi did not answer within {seconds:.1f} s.") from None


@dataclass(frozen=True, slots=True)
class HostFunctionKind:
    """A host function, and the part of ``[capabilities]`` that it needs; empty if every module may call it."""

    needs: str
    function: Callable[[HostCall], object]


def log(call: HostCall) -> None:
    """Show a line to the user."""
    line = MessageLogged(call.scope.plugin, one_line(call.text("text")[:MAX_LOG_CHARACTERS]))
    if call.scope.run:
        call.wait(call.scope.run.emit(line))


def read_file(call: HostCall) -> str:
    """Return the text of a file; with ``base64`` any bytes, in that form."""
    data = call.files.read(call.text("path"))
    if call.arguments.get("base64") is True:
        return b64encode(data).decode()
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise KoiError('The file is not text in UTF-8. Ask for its bytes with "base64": true.') from None


def list_files(call: HostCall) -> list[str]:
    """Return the names in a folder."""
    return call.files.list(call.text("path"))


def write_file(call: HostCall) -> None:
    """Replace or create a file."""
    data = call.text("text").encode("utf-8", "replace")
    call.call.written += len(data)
    if call.call.written > MAX_WRITTEN_BYTES:
        raise KoiError(f"One call may write at most {MAX_WRITTEN_BYTES:,} bytes.")
    call.files.write(call.text("path"), data)


def get_variable(call: HostCall) -> str | None:
    """Return a variable of the environment; None if it is not set."""
    name = call.text("name")
    if name not in call.scope.granted.environment:
        raise KoiError(f"The variable {name[:200]!r} is not granted. Add it to `environment` under [capabilities].")
    return os.environ.get(name)


def fetch(call: HostCall) -> Mapping[str, Any]:
    """Send a request to a server."""
    from openkoi_http.granted_fetch import checked_request, fetch

    headers = call.arguments.get("headers") or {}
    if not isinstance(headers, Mapping):
        raise KoiError("headers must be an object of strings.")
    request = checked_request(call.text("url"), call.text("method", "GET"), headers, call.text("body", ""))
    return call.wait(fetch(request, call.scope.granted))


def search_memory(call: HostCall) -> list[Mapping[str, Any]]:
    """Search memory for a text."""
    run = call.scope.run
    query = Query(call.text("text"), limit=MAX_HITS, project=run.task.project if run else "")
    hits = call.wait(run.search(query) if run else call.scope.koi.search(query))
    return [{"text": one.item.text, "relevance": one.relevance} for one in hits]


def send_message(call: HostCall) -> str:
    """Send a message by an app; return its id."""
    app = call.text("app")
    if app not in call.scope.granted.messages:
        raise KoiError(f"The app {app[:200]!r} is not granted. Add it to `messages` under [capabilities].")
    return call.wait(call.scope.koi.send(Post(call.text("text"), app=app, channel=call.text("channel"))))


def call_tool(call: HostCall) -> Mapping[str, Any]:
    """Call a tool as the model does: guarded, logged, and with the user's approval if needed."""
    tool, run, arguments = call.text("tool"), call.scope.run, call.arguments.get("arguments") or {}
    if tool not in call.scope.granted_tools:
        raise KoiError(f"The tool {tool[:200]!r} is not granted. Add it to `tools` under [capabilities].")
    if run is None or not isinstance(arguments, dict):
        raise KoiError("A tool can be called only within a task, and its arguments must be an object.")
    result = call.wait(run.call(ToolCall("", tool, arguments)))
    return {"text": result.text, "failed": result.failed}


FUNCTIONS: Mapping[str, HostFunctionKind] = {
    "log": HostFunctionKind("", log),
    "read_file": HostFunctionKind("filesystem", read_file),
    "list_files": HostFunctionKind("filesystem", list_files),
    "write_file": HostFunctionKind("filesystem", write_file),
    "fetch": HostFunctionKind("network", fetch),
    "get_variable": HostFunctionKind("environment", get_variable),
    "search_memory": HostFunctionKind("memory", search_memory),
    "send_message": HostFunctionKind("messages", send_message),
    "call_tool": HostFunctionKind("tools", call_tool),
}


def granted_functions(asked: Container[str]) -> "Mapping[str, HostFunction]":
    """Return the functions that a module may import; ``asked`` are the keys that its manifest asks for."""
    found = {name: kind for name, kind in FUNCTIONS.items() if not kind.needs or kind.needs in asked}
    return {name: partial(answer, kind.function) for name, kind in found.items()}


def missing_grants(asked: Container[str]) -> Mapping[str, str]:
    """Return all functions, each with the capability that is missing; empty if it is granted."""
    return {
        name: f"[capabilities] {kind.needs}" if kind.needs and kind.needs not in asked else ""
        for name, kind in FUNCTIONS.items()
    }


def answer(function: Callable[[HostCall], object], call: ActiveCall, request: bytes) -> bytes:
    """Return the answer of a host function as JSON."""
    try:
        arguments = json.loads(request)
        if not isinstance(arguments, dict):
            raise KoiError("The arguments must be a JSON object.")
        return encode({"ok": function(HostCall(call.scope, arguments, call))})
    except KoiError as error:
        return encode({"error": str(error)})
    except (ValueError, RecursionError):
        return encode({"error": "The arguments are not valid JSON in UTF-8."})


def encode(value: object) -> bytes:
    return ENCODER.encode(value).encode("utf-8", "replace")
