"""Serialize events and other dataclasses to JSON, and read them back.

Fields that have their default value are left out. Members of a union name their class under ``is``.
"""

import base64
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from math import isfinite
from operator import attrgetter
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Protocol, Union, get_args, get_origin, get_type_hints

from openkoi_base.random_id import RandomId
from openkoi_hookspecs import Blob, File, Image

from .blobs import make_reference, read_reference, to_stored
from .wire_names import TAGS, tag_of, wire_names

Json = Any
TAG = "is"
MEDIA = (Image, File)  # a tuple: a union would be created for each value of each line
UNMASKED = frozenset({int, bool, NoneType, RandomId})
READERS: Mapping[Any, Callable[[Json], Any]] = {
    bytes: base64.b64decode,
    bytes | Blob: read_reference,
    float: lambda value: float(value) if isinstance(value, str) else require(value, (int, float)),
    str: lambda value: value if type(value) is str else require(value, str),
    bool: lambda value: require(value, bool),
    int: lambda value: require(value, (int, float)),
}


if TYPE_CHECKING:

    class Mask(Protocol):
        """Masks secrets while facts are encoded, in one pass."""

        def text(self, value: str) -> str:
            """Return a text without secrets."""

        def field_text(self, name: str, value: str) -> str:
            """Return the text of a field whose name may mark it as a secret."""

        def special(self, kind: Any, /) -> frozenset[str]:
            """Return the fields of a class whose names determine how their texts are masked."""

        def store(self, media: Image | File) -> Image | File:
            """Return an image or a file with a reference in place of its bytes."""


class NoMask:
    """Leaves all texts as they are."""

    def text(self, value: str) -> str:
        """Return the text."""
        return value

    def field_text(self, name: str, value: str) -> str:
        """Return the text."""
        return value

    def special(self, kind: Any, /) -> frozenset[str]:
        """Return no fields: all names are treated alike."""
        return frozenset()

    def store(self, media: Image | File) -> Image | File:
        """Return a reference to the bytes, which are not stored."""
        return to_stored(media)


NO_MASK = NoMask()


def encode(value: object, mask: "Mask" = NO_MASK) -> Json:
    """Return a fact as plain JSON values; other values become their text. All texts are masked."""
    kind: Any = type(value)
    if kind is str:
        return mask.text(value)  # type: ignore[arg-type]  # which its type says
    return value if kind in UNMASKED else encoder_of(kind)(value, mask)


@cache
def encoder_of(kind: type) -> "Callable[[Any, Mask], Json]":
    """Return the function that encodes the values of a class."""
    if issubclass(kind, (int, float, str)) and issubclass(kind, Enum):
        return lambda value, mask: value.value
    if issubclass(kind, float):
        return lambda value, mask: value if isfinite(value) else repr(value)  # which JSON cannot contain
    if issubclass(kind, int):
        return lambda value, mask: value
    if issubclass(kind, str):
        return lambda value, mask: mask.text(value)
    if issubclass(kind, Blob):
        return lambda blob, mask: encode_mapping(make_reference(blob), mask)
    if issubclass(kind, MEDIA):
        return lambda media, mask: encode_fact(mask.store(media), mask)
    if is_dataclass(kind):
        return encode_fact
    if issubclass(kind, Mapping):
        return encode_mapping
    if issubclass(kind, bytes):
        return lambda value, mask: mask.text(base64.b64encode(value).decode())
    return encode_list if issubclass(kind, (Sequence, set, frozenset)) else lambda value, mask: mask.text(repr(value))


def encode_list(values: Iterable[object], mask: "Mask") -> list[Json]:
    return [encode(item, mask) for item in values]


def encode_mapping(values: Mapping[Any, Any], mask: "Mask") -> dict[str, Json]:
    return {
        mask.text(name := str(key)): mask.field_text(name, item) if isinstance(item, str) else encode(item, mask)
        for key, item in values.items()
    }


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


def encode_fact(fact: Any, mask: "Mask") -> dict[str, Json]:
    """Return the fields that differ from their defaults."""
    kind: Any = type(fact)
    tag, read, described = describe_shape(kind)
    values: dict[str, Json] = {TAG: tag} if tag else {}
    mask_text, special = mask.text, mask.special(kind)
    for value, (name, default, has_default) in zip(read(fact), described):  # noqa: B905  # of one class; half the time
        if value is default or (has_default and value == default):
            continue
        kind = type(value)
        if name in special and isinstance(value, str):
            values[name] = mask.field_text(name, str(value))
        elif kind is str:
            values[name] = mask_text(value)
        else:
            values[name] = value if kind in UNMASKED else encoder_of(kind)(value, mask)
    return values


@cache
def describe_shape(kind: Any) -> tuple[str, Callable[[Any], Iterable[Any]], list[tuple[str, object, bool]]]:
    """Return a class's tag, the reader of its fields, and each field's name in the log and its default, if any."""
    names = wire_names(kind)
    read: Any = attrgetter(*names) if len(names) > 1 else lambda fact: tuple(getattr(fact, name) for name in names)
    defaults = map(get_default, fields(kind))
    described = [
        (name, default, default is not MISSING) for name, default in zip(names.values(), defaults, strict=True)
    ]
    return TAGS.get(kind, ""), read, described


def get_default(field: Field[Any]) -> object:
    if field.default is not MISSING:
        return field.default
    return field.default_factory() if field.default_factory is not MISSING else MISSING


def decode(hint: Any, value: Json) -> Any:
    """Parse a value by its type. Raises ValueError, TypeError or KeyError."""
    return make_reader(hint)(value)


def require(value: Json, kind: type | tuple[type, ...]) -> Json:
    """Return a value; raise TypeError for one of another type, as an import or a damaged log may contain."""
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} has the wrong type")
    return value


@cache
def make_reader(hint: Any) -> Callable[[Json], Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in READERS:
        return READERS[hint]
    if origin in (Union, UnionType):
        return make_union_reader(arguments)
    if origin is tuple or (isinstance(origin, type) and issubclass(origin, Sequence)):
        item = make_reader(arguments[0])
        return lambda value: tuple(item(each) for each in require(value, list))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return lambda value: require(value, dict)
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
    plain = others[0] if len(others) == 1 else Any

    def read(value: Json) -> Any:
        if value is None:
            return None
        if isinstance(value, dict) and value.get(TAG) in classes:
            return make_reader(classes[value[TAG]])(value)
        only = next(iter(classes.values())) if len(classes) == 1 else plain
        return make_reader(only)(value)

    return read


def make_fact_reader(kind: type) -> Callable[[Json], Any]:
    hints = get_type_hints(kind)
    names = wire_names(kind)

    def read(value: Json) -> Any:
        known = require(value, dict)
        return kind(
            **{name: make_reader(hints[name])(known[values]) for name, values in names.items() if values in known}
        )

    return read
