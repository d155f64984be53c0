"""Write and read the values of messages between OpenKoi and a plugin's process, as JSON.

Only facts and plain values can be sent; a plugin's process sends only facts of the contract. An object
names its type by its only key: ``{"tuple": [1, 2]}``, ``{"openkoi_hookspecs.content.Text": {"text": "koi"}}``. A
function stays where it is; a number stands for it.
"""

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from enum import Enum
from functools import cache, partial
from importlib import import_module
from pathlib import Path, PurePath
from types import FunctionType, MethodType, NoneType
from typing import Any

Json = Any
Numbering = Callable[[Callable[..., Any]], int]
FunctionMaker = Callable[[int], Callable[..., Any]]

CONTRACT = "openkoi_hookspecs."
ANY = ""  # begins each module's name: OpenKoi sends settings and the events of plugins, too
SIMPLE = frozenset({str, int, float, bool, NoneType})
FUNCTIONS = (FunctionType, MethodType, partial)
MAX_NESTING = 200  # estimate: JSON of a tool may be nested, facts are a few levels deep
MAX_COLLECTIONS = 500_000  # estimate: an answer with thousands of vectors or chunks has few
MAX_VALUES = 4_000_000  # estimate: 2,500 vectors of 1,536 numbers; measured: so many short texts cost 300 MB
MAX_KEYS = 1_000  # estimate: keys and members of sets that are no texts; a sender can choose ones with equal hashes
COLLECTIONS: Mapping[str, Any] = {"tuple": tuple, "set": set, "frozenset": frozenset, "items": dict}
SCALARS: Mapping[str, tuple[type, Callable[[Any], str], Callable[[str], object]]] = {
    "bytes": (bytes, lambda value: b64encode(value).decode(), b64decode),
    "bytearray": (bytearray, lambda value: b64encode(value).decode(), lambda text: bytearray(b64decode(text))),
    "path": (Path, str, Path),
    "purepath": (PurePath, str, PurePath),
    "datetime": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "time": (time, time.isoformat, time.fromisoformat),
}
READERS = {name: read for name, (_, _, read) in SCALARS.items()}
STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)  # also one without an end: each is read once


def write_values(values: list[Any], number_of: Numbering, modules: str = CONTRACT) -> bytes:
    """Return values as JSON; raise TypeError or ValueError for a value that cannot be sent.

    Facts are classes of modules whose names start with ``modules``.
    """
    name_of = partial(name_class, modules=modules)
    encoded = encode(values, number_of, name_of, MAX_NESTING)
    data = json.dumps(encoded, separators=(",", ":"), check_circular=False).encode()
    refuse_many(data)
    return data


def read_values(data: bytes, make_function: FunctionMaker, modules: str = CONTRACT) -> list[Any]:
    """Return the values of a message; raise an error of any class if it contains none or too many."""
    refuse_many(data)
    values = decode(json.loads(data), partial(make_value, make_function, modules), MAX_NESTING)
    if not isinstance(values, list):
        raise ValueError("it is not a list")
    return values


def refuse_many(data: bytes) -> None:
    """Raise ValueError if JSON has too many values; its strings are excluded only if it could have too many."""
    if has_many(data) and has_many(STRING.sub(b"", data)):
        raise ValueError("it has too many values")


def has_many(data: bytes) -> bool:
    """Return whether JSON, apart from its strings, may have too many values."""
    collections = data.count(b"[") + data.count(b"{")
    return collections > MAX_COLLECTIONS or collections + data.count(b",") > MAX_VALUES


def encode(value: Any, number_of: Numbering, name_of: Callable[[Any], str], levels: int) -> Json:
    """Return a value as JSON values."""
    kind: Any = type(value)
    if kind in SIMPLE:
        return value
    if levels == 0:
        raise ValueError("it is nested too deeply")
    inner = partial(encode, number_of=number_of, name_of=name_of, levels=levels - 1)
    if isinstance(value, list):
        return [one if type(one) in SIMPLE else inner(one) for one in value]
    if isinstance(value, Enum):
        return {name_of(kind): value.value}
    if isinstance(value, (str, int, float)):  # of a class of its own, which is not sent
        return value
    if isinstance(value, type):  # of the events that a memory needs
        return {"class": name_of(value)}
    if isinstance(value, FUNCTIONS):
        return {"function": number_of(value)}
    if isinstance(value, Mapping):
        return encode_mapping(value, inner)
    for name, base in COLLECTIONS.items():
        if isinstance(value, base):
            return {name: [inner(one) for one in value]}
    for name, (base, write, _) in SCALARS.items():
        if isinstance(value, base):
            return {name: write(value)}
    return {name_of(kind): {name: inner(getattr(value, name)) for name in fields_of(kind)}}


def encode_mapping(value: Mapping[Any, Any], inner: Callable[[Any], Json]) -> Json:
    """Return a mapping as JSON values, even if JSON does not allow its keys."""
    if all(type(key) is str for key in value):
        return {"dict": {key: inner(one) for key, one in value.items()}}
    return {"items": [[inner(key), inner(one)] for key, one in value.items()]}


@cache
def name_class(kind: Any, modules: str) -> str:
    """Return the name of a class in messages; raise TypeError if messages may not contain it."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    if name.startswith(modules) and (is_dataclass(kind) or issubclass(kind, Enum)):
        return name
    raise TypeError(f"a {name} is neither a fact of the contract nor a plain value")


@cache
def fields_of(kind: Any) -> tuple[str, ...]:
    """Return the fields of a class."""
    return tuple(one.name for one in fields(kind) if one.init)


def decode(value: Json, make: Callable[[str, Any], Any], levels: int) -> Any:
    """Return the value that JSON values represent."""
    if type(value) in SIMPLE:
        return value
    if levels == 0:
        raise ValueError("it is nested too deeply")
    inner = partial(decode, make=make, levels=levels - 1)
    if isinstance(value, list):
        return [one if type(one) in SIMPLE else inner(one) for one in value]
    [(name, content)] = value.items()
    if isinstance(content, dict):
        return make(name, {key: inner(one) for key, one in content.items()})
    return make(name, [inner(one) for one in content] if isinstance(content, list) else content)


def make_value(make_function: FunctionMaker, modules: str, name: str, content: Any) -> Any:
    """Return the value of an object that names its type."""
    if name == "dict" and isinstance(content, dict):
        return content
    if name in COLLECTIONS and isinstance(content, list):
        return make_collection(name, content)
    if name in READERS and isinstance(content, str):
        return READERS[name](content)
    if name == "function":
        return make_function(int(content))
    if name == "class":
        return find_class(content, modules)
    found = find_class(name, modules)
    return found(content) if issubclass(found, Enum) else found(**content)


def make_collection(name: str, members: list[Any]) -> object:
    """Return a tuple, a set or a mapping; raise ValueError for keys that could all have the same hash."""
    keys = [key for key, _ in members] if name == "items" else members
    if name != "tuple" and len(keys) > MAX_KEYS and not all(type(key) is str for key in keys):
        raise ValueError(f"it has more than {MAX_KEYS:,} keys that are not strings")
    return COLLECTIONS[name](members)


@cache
def find_class(name: str, modules: str) -> Any:
    """Return the class that a message names; raise ValueError for anything but a fact or an enumeration."""
    module, _, called = name.rpartition(".")
    if name.startswith(modules) and all(map(str.isidentifier, name.split("."))):
        found = getattr(import_module(module), called, None)
        if isinstance(found, type) and name_class(found, modules) == name:
            return found
    raise ValueError(f"{name:.100} is not a fact of the contract")
