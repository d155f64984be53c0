"""The protocols that plugins implement.

A protocol has few methods. Each takes one fact and at most the run or the workspace's root, so that what
it is given can grow, as fields of the fact, while the signature stays. One object serves all runs, also at the same
time: what belongs to one run is kept by ``run.id``. An asynchronous context manager is entered before its first use and
left at the end.
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
        """List what can be called, with contexts and prices.

        Raises ProviderUnavailableError or RequestRejectedError.
        """

    def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Stream one answer: text as it comes, tool calls only when complete, Done last.

        Yield ``Buffered`` while a call's arguments arrive, so that an endless one is cut off; the kernel closes the
        stream. A call that cannot be read comes with its ``parse_error``. Does not retry. Raises
        ProviderUnavailableError or RequestRejectedError.
        """


@runtime_checkable
class SupportsDescribe(Protocol):
    """What a provider may be besides: one that describes a model by its name alone, listed or not."""

    async def describe(self, name: str) -> Model:
        """Describe one model; raises RequestRejectedError if there is none of that name."""


@runtime_checkable
class SupportsMedia(Protocol):
    """A provider that declares what it sends besides text. Any other is sent images, and files only as text.

    Images and files are only sent to models that see images: those whose ``Model.can`` names them, or is empty.
    """

    @property
    def media_types(self) -> Collection[str]:
        """The media types of ``Image`` and ``File`` parts that it sends, such as ``image/png``, ``application/pdf``."""


class Embedder(Protocol):
    """Texts to vectors. Group ``openkoi.embedders``."""

    @property
    def id(self) -> str:
        """Model and dimension: another id whenever the same text would get another vector."""

    async def embed(self, texts: Sequence[str]) -> Embedding:
        """Embed each text, in order; vectors are normalised and of one length."""


@runtime_checkable
class SupportsDimensions(Protocol):
    """What an embedder may be besides: one that declares the length of its vectors. Memory stores no other length."""

    @property
    def dimensions(self) -> int:
        """The length of a vector; 0 if it is not known."""


class Evaluator(Protocol):
    """A judge, or checks, of work. Group ``openkoi.evaluators``. All that are configured are asked, in turn.

    A judge weighs the whole work against the task and declares ``judges = True`` as an attribute: only its scores
    count. Any other evaluator reports checks and findings; its scores are ignored with a warning that names it.
    """

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        """Evaluate the work as it stands in ``run.workspace``; return None to say nothing about it.

        Reads files, never changes them. A judge that cannot judge tries once more by itself, then says why in
        ``unavailable_reason``; one that raises is asked once more.
        """


@runtime_checkable
class SupportsBaseline(Protocol):
    """What an evaluator may be besides: one that looks at the workspace before the first change.

    What failed then and is not what the task is about does not count against the work.
    """

    async def baseline(self, run: Run) -> Baseline | None:
        """Return how the checks stand now.

        It is logged and passed back in ``ExecutionResult.baseline``, also after a resume.
        """


class Memory(Protocol):
    """A searchable view of the run log. Group ``openkoi.memory``; one is chosen."""

    async def ingest(self, records: Sequence[Record]) -> None:
        """Take records in, each id once however often it comes.

        There is no other way to write: whatever memory knows can be rebuilt from the log.
        """

    async def search(self, query: Query) -> Sequence[Hit]:
        """Find what answers the query, best first."""


@runtime_checkable
class SupportsOffsets(Protocol):
    """What a memory may be besides: one that knows how far it has read, so that it is only given what is new."""

    async def offsets(self) -> Mapping[str, int]:
        """For each log segment, the ``end`` of the last record absorbed from it; moved with the records, atomically."""


@runtime_checkable
class SupportsMigrate(Protocol):
    """A memory whose file has versions."""

    async def migrate(self) -> Sequence[str]:
        """Bring the file to this version, or make way for a rebuild; return a line for each step that was taken."""


@runtime_checkable
class SupportsReset(Protocol):
    """A memory that can begin again, to be given the whole log."""

    async def reset(self) -> Path | None:
        """Move what it knows aside, also while others use it; return where that is, if there was any."""


class ShadowMemory(Memory, Protocol):
    """A memory that is built beside another one and not in use yet."""

    def discard(self) -> None:
        """Delete it, with all that belongs to it; where it was put to use, do nothing."""


@runtime_checkable
class SupportsShadowRebuild(Protocol):
    """A memory that can be built again beside what it knows, which stays in use until that is done."""

    def create_shadow(self) -> ShadowMemory:
        """Return an empty memory, to be given the whole log."""

    async def replace_with(self, shadow: ShadowMemory) -> Path | None:
        """Put a shadow that this memory created in the place of what it knows; return where that is, if there was any.

        Raises KoiError for the shadow of another memory.
        """


@runtime_checkable
class SupportsTables(Protocol):
    """A memory that has tables for other programs, which are brought up to date when they are asked for."""

    def table_view(self) -> Memory:
        """Return the tables, to be given the records that they have not absorbed yet."""


@runtime_checkable
class SupportsSelection(Protocol):
    """A memory that needs only some events, so that it is given no others."""

    @property
    def needs(self) -> Collection[type[Event]]:
        """The kinds of events that are needed, of the models' responses those that contain text; empty for all.

        The last record of a log segment is given in any case, so that its offset is known.
        """


class ToolProvider(Protocol):
    """Tools for a run: functions of ours, an MCP server's, an app's. Group ``openkoi.tools``."""

    async def tools(self, run: Run) -> Sequence[Tool]:
        """List the tools that this run may be offered; asked once a run."""


class Sandbox(Protocol):
    """Confines commands. Group ``openkoi.sandboxes``; one is chosen."""

    async def probe_level(self) -> int:
        """Prove by trying what is enforced: 3 isolated, 2 confined, 1 limited, 0 nothing."""

    async def execute(self, command: Command, root: Path) -> CommandResult:
        """Run it with ``root`` as its only writable folder.

        When this returns, what it did is in ``root``, and no process of it is left; that may have been in a copy.
        """


class Checkpoints(Protocol):
    """Versions of a workspace, kept outside it. Group ``openkoi.checkpoints``; one is chosen."""

    async def create(self, root: Path, *, run: str = "") -> str:
        """Keep the files as they are; return an id. Of what changed since the ``run`` began, know what it did itself.

        The first checkpoint of a run is of its beginning. Without a run, all that changed counts as its work.
        """

    async def restore(self, root: Path, id: str, *, since: str = "", run: str = "", force: bool = False) -> Restoration:
        """Bring back every byte and mode that the work changed between checkpoint ``id`` and a later or earlier one.

        That is ``since``, else the last one of the ``run``, else the last one of all. What others changed is merged or,
        where that conflicts, left and named; ``force`` overwrites it.
        """

    async def diff(self, root: Path, since: str, until: str = "") -> str:
        """Return the unified diff of what the work changed from a checkpoint to another; without one, of all till now.

        Raises KoiError for an id that is not known, as the others do.
        """


class Compactor(Protocol):
    """Makes a long conversation shorter. Group ``openkoi.compactors``; one is chosen, an agent may name another."""

    async def compact(self, messages: Sequence[Message], run: Run) -> Sequence[Message]:
        """Return it with older turns left out or summed up; the very same when it cannot be made any shorter.

        What users wrote stays word for word. A tool call and its result go together, or stay together.
        """


class AgentRunner(Protocol):
    """Does the work of an execution in place of the inner loop: a team, another program. Group ``openkoi.workers``."""

    async def run(self, plan: Plan, run: Run) -> ExecutionResult:
        """Do ``run.task`` in ``run.workspace``; return the last words, and why it ended. An agent names its worker.

        Files are changed by ``run.solve``, ``run.execute`` and ``run.call``: what changed is found by the kernel. When
        it ended for want of an answer of the user, it is asked again on resume. Where it asks a model, what that is to
        be shown is ``run.task.history`` and ``run.task.parts``, and its tools are those of ``run.list_tools``.
        """


class PluginSource(Protocol):
    """A plugin that finds plugins: scripts in a folder, WASM modules, servers. Group ``openkoi.sources``."""

    def discover(self, koi: Koi, workspace: Path) -> Iterable[PluginEntry] | Awaitable[Iterable[PluginEntry]]:
        """List what there is for a workspace, cheaply; ``def``, or ``async def`` if it waits.

        Asked when OpenKoi starts and again when a task begins, for the task's workspace; used in tasks there only. What
        is listed again with the same kind, name, origin and version stays loaded; what is not is left. An entry never
        replaces an installed plugin. One that is listed for several workspaces is loaded once.
        """


@runtime_checkable
class SupportsHealthCheck(Protocol):
    """What any plugin may be besides: one that reports its state to ``doctor`` and ``status``."""

    async def health(self) -> Mapping[str, str]:
        """Return facts about its state by name; raises a KoiError that says what to do if it does not work."""
