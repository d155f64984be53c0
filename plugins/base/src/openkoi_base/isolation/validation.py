"""Check the field types of facts that plugins made."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

PLAIN = {float: (int, float), int: (int,), str: (str,), bytes: (bytes,), bool: (bool,)}


def type_error_of(value: object, hint: Any) -> str:
    """Return what is wrong with a value that should be as the hint says; empty when nothing is."""
    if type(value) is hint and hint in PLAIN:
        return ""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        wrong = [type_error_of(value, one) for one in arguments]
        names = " or ".join(getattr(one, "__name__", str(one)).replace("NoneType", "None") for one in arguments)
        return "" if "" in wrong else f"{type(value).__name__} is not {names}"
    if hint is NoneType:
        return "" if value is None else f"{type(value).__name__} is not None"
    if origin is tuple or (isinstance(origin, type) and issubclass(origin, Sequence)):
        return items_type_error(value, arguments[0])
    if origin is type or origin is Callable:
        fits = callable(value) and (origin is Callable or isinstance(value, type))
        return "" if fits else f"{type(value).__name__} is not a {'class' if origin is type else 'function'}"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "" if isinstance(value, Mapping) else f"{type(value).__name__} is not a mapping"
    return plain_type_error(value, hint) if isinstance(hint, type) else ""


def items_type_error(value: object, hint: Any) -> str:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        return f"{type(value).__name__} is not a sequence"
    return next((wrong for item in value if (wrong := type_error_of(item, hint))), "")


def plain_type_error(value: object, kind: type) -> str:
    if not isinstance(value, PLAIN.get(kind, kind)) or (kind in (int, float) and isinstance(value, bool)):
        return f"{type(value).__name__} is not {kind.__name__}"
    return fields_type_error(value, kind) if is_dataclass(kind) else ""


def fields_type_error(value: object, kind: Any) -> str:
    for name, hint, exact in field_types(kind):
        item = getattr(value, name)
        if type(item) not in exact and (wrong := type_error_of(item, hint)):
            return f"{name}: {wrong}"
    return ""


@cache
def field_types(kind: Any) -> tuple[tuple[str, Any, frozenset[type]], ...]:
    """Return each field's name and type, and the types of values that need no closer look."""
    hints = get_type_hints(kind, localns={"Json": object})  # which refers to itself, and is not in each module
    return tuple((field.name, hints[field.name], exact_types(hints[field.name])) for field in fields(kind))


def exact_types(hint: Any) -> frozenset[type]:
    """Return the plain types that a type hint allows."""
    allowed = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return frozenset(one for one in allowed if one is NoneType or (isinstance(one, type) and one in PLAIN))
