"""The host functions of a script: ``log`` always, the others if its manifest requests and the user allowed them."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from openkoi_base.files import project_id
from openkoi_base.grants import Capabilities
from openkoi_base.printable import one_line
from openkoi_hookspecs import Koi, KoiError, Query, Run
from openkoi_hookspecs.integrations import Post
from openkoi_hookspecs.lazy_dataclass import dataclass

from .events import ScriptLogged

MAX_LOGGED = 2_000  # characters of a line
MAX_LINES = 100  # of a call
MAX_HITS = 20  # of one search (estimate)
FETCH_SECONDS = 10.0  # of one request (estimate)
NAMES = ("log", "print", "search_memory", "send_message", "http_get")
NOT_GRANTED = "{name} is not granted. Add {need} to [capabilities] in {manifest}."
NEEDS = {
    "search_memory": "memory = true",
    "send_message": 'messages = ["APP"]',
    "http_get": 'network = ["https://example.com/*"]',
}
UNLOGGED_HOOKS = frozenset({"on_event"})  # whose call would log an event, which would call it
log = logging.getLogger("openkoi.scripts")


@dataclass(slots=True)
class HostFunctions:
    """The functions that one call of a script may use; ``show`` prints lines that are logged outside a run."""

    script: str
    manifest: str
    capabilities: Capabilities
    koi: Koi
    run: Run | None = None
    hook: str = ""
    show: Callable[[str], object] = partial(log.info, "%s")
    lines: int = 0

    async def __call__(self, name: str, arguments: Sequence[Any]) -> object:
        """Call a function for a script; raise KoiError, with a sentence for the script's author."""
        functions: Mapping[str, Callable[..., Awaitable[object]]] = {
            "log": self.log,
            "print": self.log,
            "search_memory": self.search_memory,
            "send_message": self.send_message,
            "http_get": self.http_get,
        }
        return await functions[name](*self.texts(name, arguments))

    def texts(self, name: str, arguments: Sequence[Any]) -> list[str]:
        """Return the arguments of a call: the right number of texts; ``log`` takes anything."""
        if name in ("log", "print"):
            return [" ".join(one if isinstance(one, str) else str(one) for one in arguments)]
        wanted = 3 if name == "send_message" else 1
        if len(arguments) != wanted or not all(isinstance(one, str) for one in arguments):
            parameters = "app, channel, text" if wanted == 3 else "url" if name == "http_get" else "query"
            raise KoiError(f"Write {name}({parameters}).")
        return list(arguments)

    async def log(self, text: str) -> None:
        """Log a line; within a run, as an event of the run."""
        self.lines += 1
        if self.lines > MAX_LINES:
            raise KoiError(f"log was called more than {MAX_LINES} times in one call of the script.")
        line = ScriptLogged(self.script, one_line(text[:MAX_LOGGED]))
        if self.run is not None and self.hook not in UNLOGGED_HOOKS:
            await self.run.emit(line)
        else:
            self.show(self.koi.redact(line.line))

    async def search_memory(self, query: str) -> list[Mapping[str, object]]:
        """Search what OpenKoi remembers of this project."""
        self.require("search_memory", self.capabilities.memory)
        project = self.run.task.project if self.run else project_id(self.koi.workspace)
        hits = await (self.run or self.koi).search(Query(query, project=project, limit=MAX_HITS))
        return [{"text": hit.item.text, "kind": hit.item.kind, "relevance": round(hit.relevance, 4)} for hit in hits]

    async def send_message(self, app: str, channel: str, text: str) -> str:
        """Send a message with an app; return its id."""
        self.require("send_message", app in self.capabilities.messages)
        if self.hook == "message_sending":
            raise KoiError("send_message cannot be called in message_sending, because it would call that hook again.")
        return await self.koi.send(Post(text, app=app, channel=channel))

    async def http_get(self, url: str) -> Mapping[str, object]:
        """Fetch an address; each redirect must be granted as well."""
        from openkoi_http.granted_fetch import FetchRequest, fetch

        self.require("http_get", bool(self.capabilities.network))
        try:
            async with asyncio.timeout(FETCH_SECONDS):
                return await fetch(FetchRequest(url), self.capabilities)
        except TimeoutError:
            raise KoiError(f"{url} did not answer within {FETCH_SECONDS:g} s.") from None

    def require(self, name: str, granted: bool) -> None:
        """Raise KoiError if a function is not granted."""
        if not granted:
            raise KoiError(NOT_GRANTED.format(name=name, need=NEEDS[name], manifest=self.manifest))
