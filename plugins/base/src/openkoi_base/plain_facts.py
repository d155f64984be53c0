"""Convert facts to plain JSON values and back, by the contract's names, for plugins that are not in Python.

A fact is an object of all its fields. One that is a member of a union says which under ``is``. What has no such form,
such as a function or the bytes of an image, is left out. What comes back may have some of the fields, or all of them.
"""

import base64
from collections.abc import Mapping, Sequence, Set
from dataclasses import MISSING, fields, is_dataclass, replace
from enum import Enum, IntEnum
from functools import cache
from inspect import signature
from math import isfinite
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from openkoi_hookspecs import (
    Allow,
    ArgumentError,
    Ask,
    Deny,
    Event,
    File,
    Image,
    Learning,
    Passage,
    Permission,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
    hooks,
)
from openkoi_hookspecs.content import Media

from .isolation import type_error_of

F = TypeVar("F")

MAX_NESTING = 64
TAG = "is"
TAGGED = (Text, Reasoning, Image, File, ToolCall, ToolResult, Passage, Learning)
PERMISSIONS: Mapping[str, type[Permission]] = {"allow": Allow, "ask": Ask, "deny": Deny}
PERMISSION_SHAPE = 'an object with "permission" ("allow", "ask" or "deny") and "reason"'


def to_plain(value: object, levels: int = MAX_NESTING, *, mark: str = "") -> Any:
    """Return a value as plain JSON values; None if it has no such form, or is nested too deeply.

    With a ``mark``, a mapping is an object with this one key, to distinguish it from a fact.
    """
    if isinstance(value, Enum):
        return value.name.lower() if isinstance(value, IntEnum) else value.value
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if levels == 0 or isinstance(value, type):
        return None
    if is_dataclass(value):
        return plain_fields(value, levels - 1, mark)
    if isinstance(value, Mapping):
        plain = {str(key): to_plain(item, levels - 1) for key, item in value.items()}
        return {mark: plain} if mark else plain
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, (Sequence, Set)):
        return [to_plain(item, levels - 1, mark=mark) for item in value]
    return str(value) if isinstance(value, Path) else None


def plain_fields(fact: Any, levels: int, mark: str) -> dict[str, Any]:
    """Return the fields of a fact, and its type's name."""
    tag = {TAG: type(fact).__name__} if isinstance(fact, TAGGED) else {}
    name = {"event": fact.name} if isinstance(fact, Event) else {}
    own = [one.name for one in fields(fact) if not isinstance(fact, Media) or one.name != "content"]
    values = {one: getattr(fact, one) for one in own}
    return {
        **tag,
        **name,
        **{one: to_plain(value, levels, mark=mark) for one, value in values.items() if not callable(value)},
    }


def from_plain(value: Any, kind: Any) -> Any:
    """Convert plain JSON to a type; raise ArgumentError with the reason if that fails."""
    made = build(value, kind)
    if wrong := type_error_of(made, kind):
        raise ArgumentError(f"{name_of(kind)}: {wrong}")
    return made


def change_fact(fact: F, changes: Mapping[str, Any]) -> F:
    """Return a fact with other values in some of its fields; leave unchanged fields alone."""
    before = to_plain(fact)
    kind: Any = type(fact)
    known = hints_of(kind)
    changed = {name: value for name, value in changes.items() if name != TAG and value != before.get(name)}
    refuse_unknown(changed, kind)
    made: Any = replace(fact, **{name: build(value, known[name]) for name, value in changed.items()})  # type: ignore[type-var]  # every fact is a dataclass
    if wrong := type_error_of(made, kind):
        raise ArgumentError(f"{name_of(kind)}: {wrong}")
    return made  # type: ignore[no-any-return]  # as above


def answer_from_plain(value: Any, hook: str, first: object) -> Any:
    """Return the answer of a hook; an object changes fields of the hook's ``first`` fact. Raise ArgumentError."""
    kind = answer_type(hook)
    if value is None or kind is None:
        return None
    if kind is Permission:
        return permission_from_plain(value)
    if get_origin(kind) is None:
        if not isinstance(value, Mapping):
            raise ArgumentError(f"{hook} must return an object with the fields of a {kind.__name__}")
        return change_fact(first, value)
    if not isinstance(value, list):
        raise ArgumentError(f"{hook} must return a list of {get_args(kind)[0].__name__}s")
    return [from_plain(one, get_args(kind)[0]) for one in value]


def permission_from_plain(value: Any) -> Permission:
    """Return the permission of a tool call. It cannot name paths that commands may change."""
    kind = PERMISSIONS.get(str(value.get("permission"))) if isinstance(value, Mapping) else None
    if kind is None or not isinstance(value.get("reason", ""), str):
        raise ArgumentError(f"before_tool must return {PERMISSION_SHAPE}")
    return kind(value.get("reason", ""))


@cache
def answer_type(hook: str) -> Any:
    """Return the type of a hook's answer; None for a hook that has none."""
    returns = signature(getattr(hooks, hook)).return_annotation
    return None if returns is None else get_args(returns)[0]


@cache
def first_fact(hook: str) -> str:
    """Return the name of a hook's first parameter."""
    return next(iter(signature(getattr(hooks, hook)).parameters))


def build(value: Any, kind: Any) -> Any:
    """Return a value converted to a type where possible; the caller detects the rest."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return build_union(value, arguments)
    if origin is not None:
        is_list = isinstance(origin, type) and issubclass(origin, Sequence) and isinstance(value, list)
        return tuple(build(one, arguments[0]) for one in value) if is_list else value
    if not isinstance(kind, type):
        return value
    if is_dataclass(kind):
        return build_fact(value, kind)
    if issubclass(kind, Enum):
        return build_enum(value, kind)
    return float(value) if kind is float and type(value) is int else value


def build_union(value: Any, kinds: Sequence[Any]) -> Any:
    """Return a value of the type that it names under ``is``, else of the first type that matches."""
    if value is None and NoneType in kinds:
        return None
    tag = value.get(TAG) if isinstance(value, Mapping) else None
    named = [one for one in kinds if getattr(one, "__name__", "") == tag]
    errors: list[ArgumentError] = []
    for kind in named or [one for one in kinds if one is not NoneType]:
        try:
            return from_plain(value, kind)
        except ArgumentError as error:
            errors.append(error)
    raise errors[0]


def build_fact(value: Any, kind: Any) -> Any:
    """Return a fact from an object with its fields."""
    if not isinstance(value, Mapping):
        raise ArgumentError(f"a {kind.__name__} must be an object with its fields")
    given = {name: one for name, one in value.items() if name != TAG}
    refuse_unknown(given, kind)
    needed = [one.name for one in fields(kind) if one.init and one.default is one.default_factory is MISSING]
    if missing := [name for name in needed if name not in given]:
        raise ArgumentError(f"a {kind.__name__} needs {missing[0]}")
    hints = hints_of(kind)
    return kind(**{name: build(one, hints[name]) for name, one in given.items()})


def build_enum(value: Any, kind: type[Enum]) -> Enum:
    """Return a member of an enumeration."""
    known = {one.name.lower() if issubclass(kind, IntEnum) else one.value: one for one in kind}
    if not isinstance(value, str) or value not in known:
        raise ArgumentError(f"{value!r:.60} is not a {kind.__name__}; choose from {', '.join(map(str, known))}")
    return known[value]


def refuse_unknown(given: Mapping[str, Any], kind: Any) -> None:
    """Raise ArgumentError for a field that a fact does not have."""
    known = hints_of(kind)
    if unknown := [name for name in given if name not in known]:
        raise ArgumentError(f"a {kind.__name__} has no field {unknown[0]!r:.60}; it has {', '.join(known)}")


@cache
def hints_of(kind: Any) -> Mapping[str, Any]:
    """Return the types of a fact's fields."""
    hints = get_type_hints(kind, localns={"Json": object})  # which refers to itself, and is not in each module
    return {one.name: hints[one.name] for one in fields(kind) if one.init}


def name_of(kind: Any) -> str:
    return getattr(kind, "__name__", str(kind))
