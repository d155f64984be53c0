"""Check the field types of facts that plugins create."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

PLAIN = {float: (int, float), int: (int,), str: (str,), bytes: (bytes,), bool: (bool,)}
PLAIN_SEQUENCES = frozenset({list, tuple})  # what most are, and what is known without an abstract class
EXACT = frozenset({*PLAIN, NoneType})


Check = Callable[[object], str]
Reader = Callable[[Any], Sequence[object]]


def type_error_of(value: object, hint: Any) -> str:
    """Return why a value does not match a type hint; empty if it does."""
    return "" if type(value) is hint and hint in PLAIN else make_check(hint)(value)


@cache
def make_check(hint: Any) -> Check:
    """Return a function that checks values against a type hint: answers of hooks are checked many times a second."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return make_union_check(arguments, exact_types(hint))
    if hint is NoneType:
        return lambda value: "" if value is None else f"{type(value).__name__} is not None"
    if origin is tuple or (isinstance(origin, type) and issubclass(origin, Sequence)):
        item = make_check(arguments[0])
        return lambda value: items_type_error(value, item)
    if origin is type:
        return lambda value: "" if isinstance(value, type) else f"{type(value).__name__} is not a class"
    if origin is Callable:
        return lambda value: "" if callable(value) else f"{type(value).__name__} is not a function"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return lambda value: "" if isinstance(value, Mapping) else f"{type(value).__name__} is not a mapping"
    return make_plain_check(hint) if isinstance(hint, type) else lambda value: ""


def make_union_check(arguments: Sequence[Any], exact: Collection[type]) -> Check:
    """Return a function that checks a value against several hints; values of ``exact`` types match."""
    checks = [make_check(one) for one in arguments]
    names = " or ".join(getattr(one, "__name__", str(one)).replace("NoneType", "None") for one in arguments)

    def check(value: object) -> str:
        fits = type(value) in exact or not all(one(value) for one in checks)
        return "" if fits else f"{type(value).__name__} is not {names}"

    return check


def make_plain_check(kind: Any) -> Check:
    """Return a function that checks the class of a value, and the types of its fields."""
    allowed, is_number, is_fact = PLAIN.get(kind, kind), kind in (int, float), is_dataclass(kind)

    def check(value: object) -> str:
        if not isinstance(value, allowed) or (is_number and isinstance(value, bool)):
            return f"{type(value).__name__} is not {kind.__name__}"
        return fields_type_error(value, kind) if is_fact else ""

    return check


def items_type_error(value: object, check: Check) -> str:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        return f"{type(value).__name__} is not a sequence"
    return next((wrong for item in value if (wrong := check(item))), "")


def fields_type_error(value: object, kind: Any) -> str:
    read, hints, known = describe_fields(kind)
    items = read(value)
    kinds = (*map(type, items),)
    if kinds in known:
        return ""
    is_exact = True
    for item, (name, hint, exact) in zip(items, hints, strict=True):
        if type(item) not in exact:
            is_exact = False
            if wrong := make_check(hint)(item):
                return f"{name}: {wrong}"
    if is_exact:
        known.add(kinds)
    return ""


@cache
def describe_fields(kind: Any) -> tuple[Reader, list[tuple[str, Any, frozenset[type]]], set[tuple[type, ...]]]:
    """Return a reader of all fields, with each field's name, type, and types that need no further check.

    The last is a set for the types of all fields that were found to need none.
    """
    hints = get_type_hints(kind, localns={"Json": object})  # which refers to itself, and is not in each module
    names = [field.name for field in fields(kind)]
    return read_fields(names), [(name, hints[name], exact_types(hints[name])) for name in names], set()


def read_fields(names: Sequence[str]) -> Reader:
    """Return a function that reads these fields of a fact."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda fact: [getattr(fact, name) for name in names]


def exact_types(hint: Any) -> frozenset[type]:
    """Return the plain types and enumerations that a type hint allows."""
    allowed = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return frozenset(one for one in allowed if isinstance(one, type) and (one in EXACT or issubclass(one, Enum)))
