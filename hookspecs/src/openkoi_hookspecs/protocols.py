"""The protocols that plugins implement.

A protocol has few methods. Each takes one fact and at most the run or the workspace's root: the fact may gain fields
while the signature stays the same. One object serves all runs, also at the same time, so keep the state of each run by
``run.id``. An asynchronous context manager is entered before its first use and exited at the end.
"""

from collections.abc import AsyncIterator, Awaitable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from .evaluation import Baseline, Evaluation, ExecutionResult
from .events_base import Event, Record
from .iteration import Plan
from .memory import Hit, Query
from .model import Chunk, Embedding, Message, Model, Request
from .plugin_entry import PluginEntry
from .restoration import Restoration
from .run import Koi, Run
from .sandbox import Command, CommandResult
from .tool import Tool


class Provider(Protocol):
    """Models behind one vendor's API. Group ``openkoi.providers``."""

    async def models(self) -> Sequence[Model]:
        """List the available models, with contexts and prices.

        Raises ProviderUnavailableError or RequestRejectedError.
        """

    def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream one answer: text as it comes, tool calls only when complete, StreamEnd last.

        Yield ``Buffered`` while a call's arguments arrive, so that an endless one is cut off; the kernel closes the
        stream. A call that cannot be read has a ``parse_error``. Do not retry. Raises ProviderUnavailableError or
        RequestRejectedError.
        """


@runtime_checkable
class SupportsDescribe(Protocol):
    """A provider that can describe a model by its name, even if it is not listed."""

    async def describe(self, name: str) -> Model:
        """Describe one model; raise RequestRejectedError if the vendor has no model of this name."""


@runtime_checkable
class SupportsMedia(Protocol):
    """A provider that declares what it sends besides text.

    Any other is sent images, and files only as text. Images and files are only sent to models that can see images:
    those whose ``Model.can`` lists them, or is empty.
    """

    @property
    def media_types(self) -> Collection[str]:
        """The media types of ``Image`` and ``File`` parts that it sends, such as ``image/png``, ``application/pdf``."""


class Embedder(Protocol):
    """Converts texts to vectors. Group ``openkoi.embedders``."""

    @property
    def id(self) -> str:
        """Model and dimension: a different id whenever the same text would get a different vector."""

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed each text, in order; vectors are normalised and of one length."""


@runtime_checkable
class SupportsDimensions(Protocol):
    """An embedder that declares the length of its vectors. Memory stores no other length."""

    @property
    def dimensions(self) -> int:
        """The length of a vector; 0 if it is not known."""


class Evaluator(Protocol):
    """A judge, or checks, of work. Group ``openkoi.evaluators``.

    All configured evaluators are called in turn. A judge compares the whole work with the task and declares ``judges =
    True`` as an attribute: only its scores count. Any other evaluator reports checks and findings; its scores are
    ignored with a warning that names it.
    """

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Evaluate the work in ``run.workspace``; return None to abstain.

        Reads files, never changes them. A judge that gets no usable verdict retries once, then gives the reason in
        ``unavailable_reason``; one that raises is called once more.
        """


@runtime_checkable
class SupportsBaseline(Protocol):
    """An evaluator that looks at the workspace before the first change.

    What failed then, and is not what the task is about, does not count against the work.
    """

    async def baseline(self, run: Run) -> Baseline | None:
        """Return the current state of the checks.

        It is logged and passed back in ``ExecutionResult.baseline``, also after a resume.
        """


class Memory(Protocol):
    """A searchable view of the run log. Group ``openkoi.memory``; one is chosen."""

    async def ingest(self, records: Sequence[Record]) -> None:
        """Add records, each id once however often it arrives.

        There is no other way to write, so the whole memory can be rebuilt from the log.
        """

    async def search(self, query: Query) -> Sequence[Hit]:
        """Return the hits for a query, best first."""


@runtime_checkable
class SupportsOffsets(Protocol):
    """A memory that records how far it has read, so that it receives only newer records."""

    async def offsets(self) -> Mapping[str, int]:
        """Return, for each log segment, the ``end`` of the last record read; updated atomically with the records."""


@runtime_checkable
class SupportsParts(Protocol):
    """A memory that can ingest a long run in parts, so that little is left to do at the end of the run."""

    @property
    def ingests_parts(self) -> bool:
        """Whether it does: each part must take the time that its own records take, however long the run is."""


@runtime_checkable
class SupportsReset(Protocol):
    """A memory that can start over and read the whole log again."""

    async def reset(self) -> Path | None:
        """Move the current data aside, even while others use it; return its new place, if there was any."""


class ShadowMemory(Memory, Protocol):
    """A memory that is being built while another one is in use."""

    def discard(self) -> None:
        """Delete it, with all its files; do nothing if it was put to use."""


@runtime_checkable
class SupportsShadowRebuild(Protocol):
    """A memory that can be rebuilt while its current data stays in use."""

    def create_shadow(self) -> ShadowMemory:
        """Return an empty memory, which then receives the whole log."""

    async def replace_with(self, shadow: ShadowMemory) -> Path | None:
        """Replace the current data with a shadow of this memory; return where the old data is, if there was any.

        Raises KoiError for the shadow of another memory.
        """


@runtime_checkable
class SupportsTables(Protocol):
    """A memory that has tables for other programs, which are updated when they are requested."""

    def table_view(self) -> Memory:
        """Return the tables, which then receive the records that they have not read yet."""


@runtime_checkable
class SupportsSelection(Protocol):
    """A memory that needs only some events, so that it receives no others."""

    @property
    def needs(self) -> Collection[type[Event]]:
        """The kinds of events that are needed; if empty, all. Of model responses, only those with text are passed.

        The last record of a log segment is passed in any case, so that its offset is known.
        """


class ToolProvider(Protocol):
    """Tools for a run: your functions, those of an MCP server or an app. Group ``openkoi.tools``."""

    async def tools(self, run: Run) -> Sequence[Tool]:
        """List the tools for this run; called once per run."""


class Sandbox(Protocol):
    """Confines commands. Group ``openkoi.sandboxes``; one is chosen."""

    async def probe_level(self) -> int:
        """Test what is enforced: 3 isolated, 2 confined, 1 limited, 0 nothing."""

    async def execute(self, command: Command, root: Path) -> CommandResult:
        """Run it with ``root`` as its only writable folder.

        When this returns, its changes are in ``root``, and none of its processes is left; it may have run in a copy.
        """


class Checkpoints(Protocol):
    """Versions of a workspace, stored outside it. Group ``openkoi.checkpoints``; one is chosen."""

    async def create(self, root: Path, *, run: str = "") -> str:
        """Save the files; return an id.

        Know which changes since the ``run`` began are its own. The first checkpoint of a run is of its beginning.
        Without a run, all changes count as its work.
        """

    async def restore(self, root: Path, id: str, *, since: str = "", run: str = "", force: bool = False) -> Restoration:
        """Restore every byte and mode that the work changed between checkpoint ``id`` and a later or earlier one.

        That is ``since``, else the last one of the ``run``, else the last one of all. Changes by others are merged or,
        if they conflict, left alone and reported; ``force`` overwrites them.
        """

    async def diff(self, root: Path, since: str, until: str = "") -> str:
        """Return the unified diff of the work's changes from a checkpoint to another one, or to now.

        Raises KoiError for an unknown id, as the other methods do.
        """


class Compactor(Protocol):
    """Shortens a long conversation. Group ``openkoi.compactors``; one is chosen, an agent may name another."""

    async def compact(self, messages: Sequence[Message], run: Run) -> Sequence[Message]:
        """Return it with older turns removed or summarized; the same one if it cannot be shortened.

        Keep what users wrote, word for word. Remove a tool call together with its result, or keep both.
        """


class AgentRunner(Protocol):
    """Replaces the inner loop: a team, another program. Group ``openkoi.workers``."""

    async def run(self, plan: Plan, run: Run) -> ExecutionResult:
        """Do ``run.task`` in ``run.workspace``; return the final answer, and why it ended. An agent names its worker.

        Change files with ``run.solve``, ``run.execute`` and ``run.call``: the kernel detects what changed. If it ended
        because a question had no answer, it is called again on resume. If it calls a model, pass it
        ``run.task.history`` and ``run.task.parts``, and the tools of ``run.list_tools``.
        """


class PluginSource(Protocol):
    """A plugin that finds plugins: scripts in a folder, WASM modules, servers. Group ``openkoi.sources``."""

    def discover(self, koi: Koi, workspace: Path) -> Iterable[PluginEntry] | Awaitable[Iterable[PluginEntry]]:
        """List the plugins for a workspace, cheaply; ``def``, or ``async def`` if it waits.

        Called when OpenKoi starts and again when a task begins, for the task's workspace; the plugins are used in tasks
        there only. What is listed again with the same kind, name, origin and version stays loaded; anything else is
        closed. An entry never replaces an installed plugin. One that is listed for several workspaces is loaded once.
        """


@runtime_checkable
class SupportsHealthCheck(Protocol):
    """A plugin of any kind that reports its state to ``doctor`` and ``status``."""

    async def health(self) -> Mapping[str, str]:
        """Return facts about its state by name; raise a KoiError that says what to do if it does not work."""
