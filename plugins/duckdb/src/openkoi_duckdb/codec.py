"""Facts as JSON and back, by their types. Knows dataclasses, tuples, enumerations and what may be None."""

import json
from dataclasses import asdict, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


def written(fact: "DataclassInstance") -> str:
    """Write a fact as JSON."""
    return json.dumps(asdict(fact), ensure_ascii=True, separators=(",", ":"))


def read(kind: type[T], text: str) -> T:
    """Read a fact of this kind. Fields that the kind does not have are passed over."""
    made: T = build(kind, json.loads(text))  # build answers an instance of the kind it is given
    return made


def build(kind: Any, value: Any) -> Any:
    """Make of a JSON value what the type says. Types and values are only known while running, hence Any."""
    if value is None:
        return None
    if is_dataclass(kind):
        return built(kind, value)
    if get_origin(kind) is tuple:
        return tuple(build(get_args(kind)[0], item) for item in value)
    if get_origin(kind) in (Union, UnionType):
        return build(next(choice for choice in get_args(kind) if choice is not type(None)), value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    return value


def built(kind: Any, value: dict[str, Any]) -> Any:
    """Make a dataclass of a JSON object."""
    return kind(**{name: build(hint, value[name]) for name, hint in hints(kind) if name in value})


@lru_cache
def hints(kind: Any) -> tuple[tuple[str, Any], ...]:
    """Return the names and types of a dataclass's fields."""
    types = get_type_hints(kind)
    return tuple((field.name, types[field.name]) for field in fields(kind))
