"""What runs share: the plugins that were chosen, the log, memory, and the person. Implements ``Koi`` but for solving.

Knows sockets and files; knows no task, phase or prompt.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

from openkoi_hookspecs import (
    Answer,
    BadSetting,
    Checkpoints,
    Entry,
    Evaluator,
    Event,
    Hit,
    KoiError,
    LimitReached,
    Memory,
    NoProvider,
    PluginFault,
    Provider,
    Query,
    Question,
    Record,
    Result,
    Resumed,
    Sandbox,
    Source,
    Task,
    Toolbox,
    events,
)

from .config import Config
from .deadline import contained
from .facts import misfit
from .hooks import PATIENT, Hooks
from .limits import Budget
from .plugins import Plugins, check_socket
from .redact import Redactor
from .roles import Cast
from .runlog import RunLog, read_segment, segments, session_id

T = TypeVar("T")
P = ParamSpec("P")
Listener = Callable[[Record], None]
Person = Callable[[Question], Coroutine[Any, Any, str | None]]
SOCKETS = {
    "providers": ("models", "chat"),
    "evaluators": ("evaluate",),
    "memory": ("absorb", "search"),
    "tools": ("tools",),
    "sandboxes": ("level", "execute"),
    "checkpoints": ("take", "restore", "diff"),
    "sources": ("entries",),
}
USED = {"memory": "memory", "sandboxes": "sandbox", "checkpoints": "checkpoints"}
DRAINING, STARTING = 2.0, 10.0
BATCH = 5000


@dataclass(slots=True)
class House(ABC):
    """One process's OpenKoi. Enter it before use; leaving it does what is left to do."""

    config: Config
    plugins: Plugins
    redactor: Redactor
    session: str = field(default_factory=session_id)
    listeners: list[Listener] = field(default_factory=list)
    person: Person | None = None
    pending: list[str] = field(default_factory=list)
    duties: list[Coroutine[Any, Any, object]] = field(default_factory=list)
    entered: AsyncExitStack = field(default_factory=AsyncExitStack)
    ready: dict[tuple[str, str], Any] = field(default_factory=dict)
    said_once: set[str] = field(default_factory=set)
    begun: bool = False
    loading: asyncio.Lock = field(default_factory=asyncio.Lock)
    hooks: Hooks = field(init=False)
    log: RunLog = field(init=False)
    cast: Cast = field(init=False)

    def __post_init__(self) -> None:
        self.hooks = Hooks(
            lambda fault: self.warn_once(str(fault)),
            order=self.config.get("hooks.order", list, []),
            patience=self.config.get("hooks.deadline_seconds", float, PATIENT),
        )
        self.log = RunLog(self.config.paths.sessions, self.session, self.redactor)
        self.cast = Cast(self.config, self.provider)
        self.pending += self.config.warnings

    async def __aenter__(self) -> Self:
        self.begin()
        return self

    def begin(self) -> None:
        """Let plugins find plugins, and register the hooks; once."""
        if self.begun:
            return
        self.begun = True
        self.find_sources()
        hooks, faults = self.plugins.load_all("hooks")
        self.pending += map(str, [*faults, *self.hooks.register(hooks)])

    async def __aexit__(self, *error: Any) -> None:
        try:
            await self.drain()
        finally:
            self.log.close()
            await self.entered.aclose()

    @abstractmethod
    async def solve(self, task: Task, budget: Budget | None = None, depth: int = 0) -> Result:
        """Do a task; as a part of another one, so many deep, paid from its budget."""

    async def gather(self, moment: Callable[P, Answer[T]], /, *args: P.args, **facts: P.kwargs) -> list[tuple[str, T]]:
        """Ask every plugin at a moment."""
        self.begin()
        return await self.hooks.gather(moment, *args, **facts)

    async def fold(
        self, moment: Callable[Concatenate[T, P], Answer[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        """Pass a value through every plugin at a moment."""
        self.begin()
        return await self.hooks.fold(moment, value, *args, **facts)

    def find_sources(self) -> None:
        """Ask the plugins that find plugins."""
        sources, faults = self.plugins.load_all("sources")
        self.pending += map(str, faults)
        for name, source in sources.items():
            try:
                self.plugins.sourced += entries_of(cast(Source, source), cast(Any, self))
            except KeyboardInterrupt:
                raise
            except (
                BaseException
            ) as error:  # a source is a plugin: what it would have found is missing, and that is said
                self.pending.append(str(PluginFault(name, "entries", f"{type(error).__name__}: {error}")))

    async def plugin(self, kind: str, name: str) -> Any:
        """One plugin, loaded, looked at, and entered if it is an asynchronous context manager."""
        async with self.loading:
            return await self.had(kind, name)

    async def had(self, kind: str, name: str) -> Any:
        if (kind, name) not in self.ready:
            thing = check_socket(self.plugins.load(kind, name), kind, name, SOCKETS.get(kind, ()))
            if hasattr(thing, "__aenter__"):
                thing = await self.enter(thing, name)
            self.ready[kind, name] = thing
        return self.ready[kind, name]

    async def enter(self, thing: Any, name: str) -> Any:
        try:
            return await contained(self.entered.enter_async_context(thing), STARTING)
        except KoiError:
            raise
        except Exception as error:  # a plugin's own start may raise anything
            raise PluginFault(name, "starting", error) from error

    async def every(self, kind: str) -> dict[str, Any]:
        """All plugins of a kind; those that cannot be had are named once and left out."""
        things: dict[str, Any] = {}
        for entry in self.plugins.entries(kind):
            try:
                things[entry.name] = await self.plugin(kind, entry.name)
            except KoiError as fault:
                self.warn_once(str(fault))
        return things

    async def chosen(self, kind: str) -> Any | None:
        """The one plugin of a kind that the configuration names; None when it names none or has none."""
        key = USED[kind]
        name = self.config.get(f"use.{key}", str, "")
        if not name or name == "none":
            return None
        try:
            return await self.plugin(kind, name)
        except KoiError as fault:
            self.warn_once(f"There is no {key}: {fault} Set [use] {key}.")
            return None

    async def provider(self, name: str) -> Provider:
        """The provider of this name; raises UnknownName, PluginFault, or NoProvider when something must be set."""
        try:
            return cast(Provider, await self.plugin("providers", name))
        except BadSetting as missing:
            raise NoProvider(str(missing)) from missing

    async def memory(self) -> Memory | None:
        return await self.chosen("memory")

    async def sandbox(self) -> Sandbox | None:
        return await self.chosen("sandboxes")

    async def checkpoints(self) -> Checkpoints | None:
        return await self.chosen("checkpoints")

    async def toolboxes(self) -> dict[str, Toolbox]:
        return await self.every("tools")

    async def evaluators(self) -> dict[str, Evaluator]:
        """All evaluators, in the order in which they are asked."""
        there = await self.every("evaluators")
        order = self.config.get("evaluation.order", list, ["*"])
        place = {name: rank for rank, name in enumerate(order)}
        return dict(sorted(there.items(), key=lambda named: place.get(named[0], place.get("*", len(place)))))

    def entries(self, kind: str) -> Sequence[Entry]:
        """List what there is of a kind, without loading it."""
        return self.plugins.entries(kind)

    def records(self, session: str) -> Iterator[Record]:
        """Read a session's log from its beginning."""
        for path in segments(self.config.paths.sessions, session):
            yield from read_segment(path, report=self.warn_once)

    async def search(self, query: Query) -> Sequence[Hit]:
        """Ask memory, after telling it what is new; one that fails answers nothing, and says so once."""
        memory = await self.memory()
        if memory is None:
            return ()
        try:
            await self.remember()
            return sound_hits(await memory.search(query))
        except LimitReached:
            raise
        except Exception as error:  # memory is a plugin: a run goes on without it
            self.warn_once(f"Memory could not be searched: {error} Going on without it.")
            return ()

    async def remember(self) -> None:
        """Give memory the records that it has not seen."""
        memory = await self.memory()
        if memory is None:
            return
        seen = await memory.seen() if isinstance(memory, Resumed) else {}
        for batch in batches(self.news(seen), BATCH):
            await memory.absorb(batch)

    def news(self, seen: Mapping[str, int]) -> Iterator[Record]:
        """Records beyond what was seen of each segment."""
        for path in segments(self.config.paths.sessions):
            start = seen.get(path.name, 0)
            if path.stat().st_size > start:
                yield from read_segment(path, start, self.warn_once)

    async def ask(self, question: Question) -> str | None:
        """Ask the person there is; None when nobody is."""
        return await self.person(question) if self.person else None

    def tell(self, run: str, happened: Sequence[Event]) -> list[Record]:
        """Write events to the log, then show them to the faces."""
        records = self.log.append(run, happened)
        for record in records:
            for listener in self.listeners:
                listener(record)
        return records

    def warn_once(self, text: str) -> None:
        """Keep a warning for the run that comes next, or is under way, unless it was said already."""
        if text not in self.said_once:
            self.said_once.add(text)
            self.pending.append(text)

    def warnings(self) -> list[Event]:
        """What there is to warn of, once."""
        said = [events.Warned(text) for text in dict.fromkeys(self.pending)]
        self.pending.clear()
        return list(said)

    def later(self, duty: Coroutine[Any, Any, object]) -> None:
        """Do something after the result is out; it is in the log already, so that nothing is lost if it is not done."""
        self.duties.append(duty)

    async def drain(self) -> None:
        """Do what is left, for two seconds at most; the next start catches up with the rest."""
        duties, self.duties = self.duties, []
        if not duties:
            return
        try:
            async with asyncio.timeout(DRAINING):
                for duty in duties:
                    await duty
        except TimeoutError:
            self.warn_once("Memory is not up to date yet; the next start catches up.")
        except Exception as error:  # plugins' work after the result: it is not worth losing the result for
            self.warn_once(f"What was learned may be missing until the next start: {error}")
        finally:
            for duty in duties:
                duty.close()


def batches(records: Iterator[Record], size: int) -> Iterator[list[Record]]:
    """Lists of so many records, the last one shorter."""
    while batch := list(islice(records, size)):
        yield batch


def entries_of(source: Source, koi: Any) -> list[Entry]:
    """What a source lists, if all of it are entries."""
    entries = list(source.entries(koi))
    if strange := [entry for entry in entries if not isinstance(entry, Entry)]:
        raise TypeError(f"it lists a {type(strange[0]).__name__}")
    return entries


def sound_hits(hits: Sequence[Hit]) -> Sequence[Hit]:
    """What memory answers, if all of it are hits."""
    if wrong := misfit(hits, Sequence[Hit]):
        raise TypeError(f"it answered what is no hit: {wrong}")
    return tuple(hits)
