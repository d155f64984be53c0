"""Find which methods and attributes of a kind of plugin can be forwarded to its process, by the protocols of the kind.

A coroutine method, a stream and an attribute are forwarded. Any other method is not forwarded, because nothing could
wait for its answer: a plugin in a separate process does not offer a protocol with such a method.
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
    SupportsOffsets,
    SupportsParts,
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
        SupportsParts,
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
    "sandboxes": "it starts the task's commands, which would continue if the plugin's process were killed",
    "frontends": "it owns the terminal",
    "commands": "it owns the terminal",
    "integrations": "it measures text with a function that must return immediately",
    "sources": "it lists plugins that OpenKoi's process loads",
    "bundles": "it contains no code",
}
NOT_SUPPORTED = "[{0}.{1}] subprocess = true is not supported for {1}, because {2}. Remove the setting."
UNKNOWN_KIND = "OpenKoi does not know the methods of this kind"
STREAMS = (AsyncIterator, AsyncGenerator)


class Form(Enum):
    """How a member is forwarded."""

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
        """Return the run among the arguments of a call, or None."""
        if self.signature is None:
            return None
        given = self.signature.bind(None, *arguments, **named).arguments
        runs = (value for name, value in given.items() if self.signature.parameters[name].annotation is Run)
        return next(runs, None)


def explain_refusal(kind: str, name: str) -> str:
    """Return why a plugin cannot run in a separate process; empty if it can."""
    return "" if kind in PROTOCOLS else NOT_SUPPORTED.format(kind, name, REFUSED.get(kind, UNKNOWN_KIND))


@cache
def members_of(kind: str) -> Mapping[str, Member]:
    """Return the members of a kind that are forwarded, by name."""
    forwarded = [protocol for protocol in (*PROTOCOLS[kind], SupportsHealthCheck) if can_forward(protocol)]
    found = [Member(name, Form.VALUE) for name in DECLARED.get(kind, ())]
    found += [make_member(name, member) for protocol in forwarded for name, member in own_members(protocol)]
    return {member.name: member for member in found}


def can_forward(protocol: type) -> bool:
    """Return whether all members of a protocol can be forwarded."""
    return all(find_form(member) for _, member in own_members(protocol))


def own_members(protocol: type) -> Iterator[tuple[str, Any]]:
    """Return the public members that a protocol defines."""
    return ((name, member) for name, member in vars(protocol).items() if not name.startswith("_"))


def find_form(member: Any) -> Form | None:
    """Return how a member is forwarded; None if it is not."""
    if isinstance(member, property):
        return Form.VALUE
    if iscoroutinefunction(member):
        return Form.CALL
    return Form.STREAM if get_origin(signature(member).return_annotation) in STREAMS else None


def make_member(name: str, member: Any) -> Member:
    """Return a member that is forwarded."""
    form = find_form(member)
    assert form
    return Member(name, form, None if form is Form.VALUE else signature(member))
