"""Find what a process can carry of each kind of plugin: the methods and attributes of its protocols.

A method that waits, a stream, and an attribute are carried. A method that returns at once is not, because nothing could
wait for its answer: a protocol that has one is not offered by a plugin in a process of its own.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from enum import Enum
from functools import cache
from inspect import Signature, iscoroutinefunction, signature
from typing import Any, get_origin

from openkoi_hookspecs import (
    AgentRunner,
    Budget,
    Checkpoints,
    Compactor,
    Embedder,
    Evaluator,
    Memory,
    Provider,
    Questions,
    Run,
    SupportsBaseline,
    SupportsDescribe,
    SupportsDimensions,
    SupportsHealthCheck,
    SupportsMedia,
    SupportsMigrate,
    SupportsOffsets,
    SupportsReset,
    SupportsSelection,
    SupportsShadowRebuild,
    SupportsTables,
    ToolProvider,
)
from openkoi_hookspecs.lazy_dataclass import dataclass

PROTOCOLS: Mapping[str, tuple[type, ...]] = {
    "hooks": (),
    "providers": (Provider, SupportsDescribe, SupportsMedia),
    "embedders": (Embedder, SupportsDimensions),
    "evaluators": (Evaluator, SupportsBaseline),
    "tools": (ToolProvider,),
    "memory": (
        Memory,
        SupportsOffsets,
        SupportsMigrate,
        SupportsReset,
        SupportsSelection,
        SupportsShadowRebuild,
        SupportsTables,
    ),
    "checkpoints": (Checkpoints,),
    "compactors": (Compactor,),
    "workers": (AgentRunner,),
    "questions": (Questions,),
    "budgets": (Budget,),
}
DECLARED = {"evaluators": ("judges",)}  # attributes that the text of a protocol names
REFUSED = {
    "sandboxes": "it starts the commands of a task, which would continue if its process were killed",
    "frontends": "it owns the terminal",
    "commands": "it owns the terminal",
    "integrations": "it measures each text with a function that must answer at once",
    "sources": "it lists plugins that OpenKoi's process loads",
    "bundles": "it contains no code",
}
NOT_SUPPORTED = "[{0}.{1}] subprocess = true is not supported for {0}, because {2}. Remove the setting."
UNKNOWN_KIND = "OpenKoi does not know the methods of this kind"
STREAMS = (AsyncIterator, AsyncGenerator)


class Form(Enum):
    """How a member is carried."""

    CALL = "call"
    STREAM = "stream"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Member:
    """A method or attribute of a protocol."""

    name: str
    form: Form
    signature: Signature | None = None

    def bind_run(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Run | None:
        """Return the run among the arguments of a call; None without one."""
        if self.signature is None:
            return None
        given = self.signature.bind(None, *arguments, **named).arguments
        runs = (value for name, value in given.items() if self.signature.parameters[name].annotation is Run)
        return next(runs, None)


def explain_refusal(kind: str, name: str) -> str:
    """Return why a plugin cannot run in a process of its own; empty if it can."""
    return "" if kind in PROTOCOLS else NOT_SUPPORTED.format(kind, name, REFUSED.get(kind, UNKNOWN_KIND))


@cache
def members_of(kind: str) -> Mapping[str, Member]:
    """Return what is carried of a kind, by name."""
    carried = [protocol for protocol in (*PROTOCOLS[kind], SupportsHealthCheck) if is_carried(protocol)]
    found = [Member(name, Form.VALUE) for name in DECLARED.get(kind, ())]
    found += [make_member(name, member) for protocol in carried for name, member in own_members(protocol)]
    return {member.name: member for member in found}


def is_carried(protocol: type) -> bool:
    """Return whether all members of a protocol can be carried."""
    return all(find_form(member) for _, member in own_members(protocol))


def own_members(protocol: type) -> Iterator[tuple[str, Any]]:
    """Return the public members that a protocol defines."""
    return ((name, member) for name, member in vars(protocol).items() if not name.startswith("_"))


def find_form(member: Any) -> Form | None:
    """Return how a member is carried; None if it is not."""
    if isinstance(member, property):
        return Form.VALUE
    if iscoroutinefunction(member):
        return Form.CALL
    return Form.STREAM if get_origin(signature(member).return_annotation) in STREAMS else None


def make_member(name: str, member: Any) -> Member:
    """Return a member that is carried."""
    form = find_form(member)
    assert form
    return Member(name, form, None if form is Form.VALUE else signature(member))
