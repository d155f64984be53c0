"""Facts to JSON and back. Knows dataclasses and their types; knows no file, event catalogue or run.

Fields that have their default value are left out. Members of a union say which class they are, under ``is``.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from math import isfinite
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from openkoi_hookspecs import Blob, File, Image

from .blobs import as_stored, read_reference, reference_to
from .wire_names import TAGS, tag_of, wire_names

Json = Any
TAG = "is"
MEDIA = (Image, File)  # a tuple: a union would be made anew for each value of each line
PLAIN = frozenset({str, int, bool, NoneType})
READ: Mapping[Any, Callable[[Json], Any]] = {
    bytes: base64.b64decode,
    bytes | Blob: read_reference,
    float: lambda value: float(value) if isinstance(value, str) else value,
}


def encode(value: object) -> Json:
    """A fact as plain JSON values; what cannot be written becomes its text."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, float) and not isfinite(value):
        return repr(value)
    if isinstance(value, (int, float, str)):
        return value.value if isinstance(value, Enum) else value
    if is_dataclass(value) and not isinstance(value, type):
        return encode_fact(value)
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, (Sequence, set, frozenset)) and not isinstance(value, bytes):
        return [encode(item) for item in value]
    return base64.b64encode(value).decode() if isinstance(value, bytes) else repr(value)


def to_dict(value: object) -> Any:
    """A fact as a dict of every field, defaults too, under their names in the log; all else as it is."""
    if isinstance(value, Blob):
        return reference_to(value)
    if isinstance(value, MEDIA):
        value = as_stored(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {said: to_dict(getattr(value, name)) for name, said in wire_names(type(value)).items()}
    if isinstance(value, Mapping):
        return {key: to_dict(item) for key, item in value.items()}
    return [to_dict(item) for item in value] if isinstance(value, (list, tuple)) else value


def encode_fact(fact: Any) -> dict[str, Json]:
    return {name: encode(value) for name, value in stated(fact).items()}


def stated(fact: Any) -> dict[str, object]:
    """The fields that say something."""
    if isinstance(fact, Blob):
        return reference_to(fact)
    if isinstance(fact, MEDIA):
        fact = as_stored(fact)
    kind: Any = type(fact)
    tag, names, values_of, defaults = shape(kind)
    said: dict[str, object] = {TAG: tag} if tag else {}
    for name, value, default in zip(names, values_of(fact), defaults, strict=True):
        if value is not default and value != default:
            said[name] = value
    return said


@cache
def shape(kind: Any) -> tuple[str, tuple[str, ...], Callable[[object], tuple[object, ...]], tuple[object, ...]]:
    """Its tag if it has one, the names of its fields, what reads them, and their defaults."""
    own = fields(kind)
    names = wire_names(kind)
    read: Any = attrgetter(*names) if len(names) > 1 else lambda fact: tuple(getattr(fact, name) for name in names)
    return TAGS.get(kind, ""), tuple(names.values()), read, tuple(map(default_of, own))


def default_of(field: Field[Any]) -> object:
    if field.default is not MISSING:
        return field.default
    return field.default_factory() if field.default_factory is not MISSING else MISSING


def decode(hint: Any, value: Json) -> Any:
    """Read a value back as what its type says. Raises ValueError, TypeError or KeyError for what is not one."""
    return reader(hint)(value)


@cache
def reader(hint: Any) -> Callable[[Json], Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in READ:
        return READ[hint]
    if origin in (Union, UnionType):
        return union_reader(arguments)
    if origin is tuple or (isinstance(origin, type) and issubclass(origin, Sequence)):
        item = reader(arguments[0])
        return lambda value: tuple(item(each) for each in value)
    if not isinstance(hint, type):
        return lambda value: value
    if is_dataclass(hint):
        return fact_reader(hint)
    if issubclass(hint, Enum):
        return hint
    return lambda value: value


def union_reader(arguments: tuple[Any, ...]) -> Callable[[Json], Any]:
    classes = {tag_of(kind): kind for kind in arguments if isinstance(kind, type) and is_dataclass(kind)}
    others = [kind for kind in arguments if kind is not NoneType and kind not in classes.values()]

    def read(value: Json) -> Any:
        if value is None:
            return None
        if isinstance(value, dict) and value.get(TAG) in classes:
            return reader(classes[value[TAG]])(value)
        only = next(iter(classes.values())) if len(classes) == 1 else (others or [Any])[0]
        return reader(only)(value)

    return read


def fact_reader(kind: type) -> Callable[[Json], Any]:
    hints = get_type_hints(kind)
    names = wire_names(kind)

    def read(value: Json) -> Any:
        return kind(**{name: reader(hints[name])(value[said]) for name, said in names.items() if said in value})

    return read
