"""Tools: what a model can call, and what a call returns."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, field
from enum import IntEnum
from typing import ClassVar, TypeAlias

from .content import Content
from .lazy_dataclass import dataclass

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Arguments: TypeAlias = Mapping[str, Json]


class Effect(IntEnum):
    """What a call does to the world: reads may be repeated after a crash, irreversible calls need approval."""

    READS = 1
    WRITES = 2
    IRREVERSIBLE = 3


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A complete request of a model to use a tool.

    One that cannot be read has a ``parse_error``: it is never run, and that sentence is its result.
    """

    id: str
    tool: str
    arguments: Arguments
    parse_error: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool returns. A failure is a result too: the model reads it and continues.

    ``parts`` follow the text: images, files and further text; in place of an image or a file that cannot be sent, the
    model reads why. ``effects`` describe what the call changed that no diff of the workspace shows, such as "moved the
    branch main".
    ``milliseconds`` is how long the call took; the kernel measures it.
    """

    text: str
    _: KW_ONLY
    parts: tuple[Content, ...] = ()
    failed: bool = False
    call: str = ""
    exit_code: int | None = None
    effects: tuple[str, ...] = ()
    milliseconds: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Tool:
    """A function a model may call.

    ``parameters`` is a JSON Schema; ``allow_repeats`` exempts it from the stuck detector. ``progress_text`` is shown to
    users while it runs, with its arguments in braces: ``Reading {path}``. A ``deferred`` tool's schema is not sent with
    every request: the model looks it up when needed. ``written_paths`` returns for guards which paths a call would
    write to, if its arguments do not name them plainly; it may raise a ToolError. A tool is ``local`` if it changes
    nothing but files in the workspace, so that a diff shows what it did. A successful call of any other tool that does
    not only read counts as a change.
    """

    name: str
    description: str
    parameters: Arguments
    call: Callable[[Arguments], Awaitable[ToolResult]]
    _: KW_ONLY
    effect: Effect = Effect.WRITES
    allow_repeats: bool = False
    progress_text: str = ""
    deferred: bool = False
    written_paths: Callable[[Arguments], Sequence[str]] | None = None
    local: bool = False


@dataclass(frozen=True, slots=True)
class Permission:
    """What a plugin decides about a tool call: Allow, Ask or Deny. The strictest applies.

    ``paths`` are absolute paths that commands of the task may change once the call is allowed; with ``only_this_call``,
    commands of this call alone. ``by_flag``: the option ``--yes`` may answer for the user.
    """

    reason: str = ""
    _: KW_ONLY
    paths: tuple[str, ...] = ()
    only_this_call: bool = False
    by_flag: bool = False
    strictness: ClassVar[int] = 0


class Allow(Permission):
    """The call may run."""

    __slots__ = ()
    strictness = 1


class Ask(Permission):
    """The user decides; without an answer the run stops and can be resumed."""

    __slots__ = ()
    strictness = 2


class Deny(Permission):
    """The call does not run; the reason is its result."""

    __slots__ = ()
    strictness = 3
