"""Check the arguments that plugins and programs pass to OpenKoi; errors state what is expected."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, wraps
from inspect import isclass, isfunction, signature
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from openkoi_hookspecs import ArgumentError

from .validation import type_error_of

C = TypeVar("C", bound=type)
Method = Callable[..., Any]
NAMES: Mapping[Any, str] = {Callable: "a function", type: "a class", Mapping: "a mapping", NoneType: "None"}


def checks_arguments(
    protocol: type, *, unchecked: Collection[str] = (), late: Collection[str] = ()
) -> Callable[[C], C]:
    """Check the arguments of the methods that a protocol declares; ArgumentError states what is expected.

    Those of ``late`` methods, which are too long to be read at each call, are only looked at when the call fails.
    """

    def check(kind: C) -> C:
        for name, declared in declared_members(protocol):
            if isfunction(declared) and not name.startswith("_") and name not in unchecked:
                setattr(kind, name, (checked_late if name in late else check_arguments)(getattr(kind, name), declared))
        return kind

    return check


def declared_members(protocol: type) -> list[tuple[str, Any]]:
    """Return what a protocol and those that it extends declare."""
    own = [one for one in protocol.__mro__ if getattr(one, "_is_protocol", False)]
    return [member for one in own for member in vars(one).items()]


def check_arguments(method: Method, declared: Method) -> Method:
    """Return a method that checks its arguments before each call."""

    @wraps(method)
    def call(self: object, *args: Any, **named: Any) -> Any:
        refuse_wrong_arguments(declared, args, named)
        return method(self, *args, **named)

    return call


def checked_late(method: Callable[..., Awaitable[Any]], declared: Method) -> Method:
    """Return an asynchronous method that checks its arguments only after it has failed."""

    @wraps(method)
    async def call(self: object, *args: Any, **named: Any) -> Any:
        try:
            return await method(self, *args, **named)
        except (AttributeError, TypeError):
            refuse_wrong_arguments(declared, args, named)
            raise

    return call


def refuse_wrong_arguments(declared: Method, args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """Raise ArgumentError for the first argument that does not have its declared type."""
    hints = hints_of(declared)
    for name, value in (*zip(hints, args, strict=False), *named.items()):
        if wrong := type_error_of(value, hint := hints.get(name, object)):
            raise ArgumentError(describe_mismatch(label_of(declared), name, value, hint, wrong))


@cache
def hints_of(declared: Method) -> Mapping[str, Any]:
    """Return the types of a method's parameters, in order."""
    hints = get_type_hints(declared)
    names = [*signature(declared).parameters][1:]
    return {name: hints.get(name, object) for name in names if name not in ("args", "facts")}


def label_of(declared: Method) -> str:
    """Return the call as a caller writes it: ``koi.begin``."""
    owner, _, name = declared.__qualname__.rpartition(".")
    return f"{owner.lower()}.{name}"


def describe_mismatch(label: str, name: str, value: object, hint: Any, wrong: str) -> str:
    """Return what a method expects and what it got; ``wrong`` names the invalid field of a value."""
    place, _, reason = wrong.rpartition(": ")
    if place:
        return f"{label}: {name}.{place.replace(': ', '.')} is not valid: {reason}."
    return f"{label} needs {describe_type(hint)} as {name}, not {describe_value(value)}.{example(value, hint)}"


def describe_type(hint: Any) -> str:
    """Return a type's name for a sentence."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return " or ".join(map(describe_type, get_args(hint)))
    if origin in NAMES or hint in NAMES:
        return NAMES.get(origin) or NAMES[hint]
    return with_article((origin or hint).__name__)


def describe_value(value: object) -> str:
    """Return a description of a wrong value for a sentence."""
    if isclass(value):
        return f"the class {value.__name__}"
    if isinstance(value, Awaitable):
        return f"{with_article(type(value).__name__)}: is an `await` missing?"
    return "None" if value is None else with_article(type(value).__name__)


def example(value: object, hint: Any) -> str:
    """Return a hint for a string that was passed instead of a fact whose first field is a string."""
    if not (isinstance(value, str) and isclass(hint) and is_dataclass(hint) and fields(hint)[:1]):
        return ""
    if fields(hint)[0].name != "text":
        return ""
    return f' Write {hint.__name__}("...").'


def with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
