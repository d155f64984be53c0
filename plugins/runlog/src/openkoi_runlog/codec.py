"""Facts to JSON and back. Knows dataclasses and their types; knows no file, event catalogue or run.

Fields that have their default value are left out. Members of a union say which class they are, under ``is``.
"""

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from math import isfinite
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from openkoi_hookspecs import Blob, File, Image

from .blobs import make_reference, read_reference, to_stored
from .wire_names import TAGS, tag_of, wire_names

Json = Any
TAG = "is"
MEDIA = (Image, File)  # a tuple: a union would be created for each value of each line
PLAIN = frozenset({str, int, bool, NoneType})
READERS: Mapping[Any, Callable[[Json], Any]] = {
    bytes: base64.b64decode,
    bytes | Blob: read_reference,
    float: lambda value: float(value) if isinstance(value, str) else value,
}


def encode(value: object) -> Json:
    """Return a fact as plain JSON values; other values become their text."""
    kind: Any = type(value)
    return value if kind in PLAIN else encoder_of(kind)(value)


@cache
def encoder_of(kind: type) -> Callable[[Any], Json]:
    """Return what encodes the values of a class."""
    if issubclass(kind, (int, float, str)) and issubclass(kind, Enum):
        return attrgetter("value")
    if issubclass(kind, float):
        return encode_float
    if issubclass(kind, (int, str)):
        return lambda value: value
    if is_dataclass(kind):
        return encode_fact
    if issubclass(kind, Mapping):
        return lambda value: {str(key): encode(item) for key, item in value.items()}
    if issubclass(kind, bytes):
        return lambda value: base64.b64encode(value).decode()
    return encode_list if issubclass(kind, (Sequence, set, frozenset)) else repr


def encode_list(values: Iterable[object]) -> list[Json]:
    return [encode(item) for item in values]


def encode_float(value: float) -> Json:
    """Return a number, or the text of one that JSON cannot contain."""
    return value if isfinite(value) else repr(value)


def to_dict(value: object) -> Any:
    """Return a fact as a dictionary of all fields, defaults included, by their names in the log."""
    if isinstance(value, Blob):
        return make_reference(value)
    if isinstance(value, MEDIA):
        value = to_stored(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {values: to_dict(getattr(value, name)) for name, values in wire_names(type(value)).items()}
    if isinstance(value, Mapping):
        return {key: to_dict(item) for key, item in value.items()}
    return [to_dict(item) for item in value] if isinstance(value, (list, tuple)) else value


def encode_fact(fact: Any) -> dict[str, Json]:
    return {name: encode(value) for name, value in list_set_fields(fact).items()}


def list_set_fields(fact: Any) -> dict[str, object]:
    """Return the fields that differ from their defaults."""
    if isinstance(fact, Blob):
        return make_reference(fact)
    if isinstance(fact, MEDIA):
        fact = to_stored(fact)
    kind: Any = type(fact)
    tag, names, values_of, defaults = describe_shape(kind)
    values: dict[str, object] = {TAG: tag} if tag else {}
    for name, value, default in zip(names, values_of(fact), defaults, strict=True):
        if value is not default and value != default:
            values[name] = value
    return values


@cache
def describe_shape(
    kind: Any,
) -> tuple[str, tuple[str, ...], Callable[[object], tuple[object, ...]], tuple[object, ...]]:
    """Return a class's tag, field names, field getter, and defaults."""
    own = fields(kind)
    names = wire_names(kind)
    read: Any = attrgetter(*names) if len(names) > 1 else lambda fact: tuple(getattr(fact, name) for name in names)
    return TAGS.get(kind, ""), tuple(names.values()), read, tuple(map(get_default, own))


def get_default(field: Field[Any]) -> object:
    if field.default is not MISSING:
        return field.default
    return field.default_factory() if field.default_factory is not MISSING else MISSING


def decode(hint: Any, value: Json) -> Any:
    """Parse a value by its type. Raises ValueError, TypeError or KeyError."""
    return make_reader(hint)(value)


@cache
def make_reader(hint: Any) -> Callable[[Json], Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in READERS:
        return READERS[hint]
    if origin in (Union, UnionType):
        return make_union_reader(arguments)
    if origin is tuple or (isinstance(origin, type) and issubclass(origin, Sequence)):
        item = make_reader(arguments[0])
        return lambda value: tuple(item(each) for each in value)
    if not isinstance(hint, type):
        return lambda value: value
    if is_dataclass(hint):
        return make_fact_reader(hint)
    if issubclass(hint, Enum):
        return hint
    return lambda value: value


def make_union_reader(arguments: tuple[Any, ...]) -> Callable[[Json], Any]:
    classes = {tag_of(kind): kind for kind in arguments if isinstance(kind, type) and is_dataclass(kind)}
    others = [kind for kind in arguments if kind is not NoneType and kind not in classes.values()]

    def read(value: Json) -> Any:
        if value is None:
            return None
        if isinstance(value, dict) and value.get(TAG) in classes:
            return make_reader(classes[value[TAG]])(value)
        only = next(iter(classes.values())) if len(classes) == 1 else (others or [Any])[0]
        return make_reader(only)(value)

    return read


def make_fact_reader(kind: type) -> Callable[[Json], Any]:
    hints = get_type_hints(kind)
    names = wire_names(kind)

    def read(value: Json) -> Any:
        return kind(
            **{name: make_reader(hints[name])(value[values]) for name, values in names.items() if values in value}
        )

    return read
