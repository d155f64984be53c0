"""Write and read the messages between OpenKoi and a plugin's process: a length, a kind, a number, and values as JSON.

Functions stay where they are; a message contains a number in their place.
"""

import json
import struct
from collections.abc import Callable, Mapping
from math import inf
from types import NoneType
from typing import Any, NamedTuple

import openkoi_hookspecs
from openkoi_base.isolation import is_printable
from openkoi_hookspecs import KoiError

from .values import CONTRACT, Numbering, write_values

LENGTH = struct.Struct(">I")
PLAIN_ATTRIBUTES = (str, int, float, NoneType)
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
MAX_HEAD_BYTES = 100  # a kind is a word, a number has 20 digits at most
MAX_NAME = 100  # characters of the name of an error
MAX_ERROR = 20_000  # characters of its text


class Functions:
    """The functions of this process that the other one refers to by number; the oldest are discarded."""

    MAX_FUNCTIONS = 10_000

    def __init__(self) -> None:
        self.by_number: dict[int, Callable[..., Any]] = {}
        self.next_number = 0

    def add(self, function: Callable[..., Any]) -> int:
        """Return the number of a function."""
        self.next_number += 1
        self.by_number[self.next_number] = function
        if len(self.by_number) > self.MAX_FUNCTIONS:
            del self.by_number[next(iter(self.by_number))]
        return self.next_number


class Message(NamedTuple):
    """A message whose values are not parsed yet: its kind and number are known even if the values are invalid."""

    kind: str
    number: int
    values: bytes


def pack(message: tuple[object, ...], number_of: Numbering, modules: str = CONTRACT) -> bytes:
    """Return a message with its length; raise ValueError if it is too long, TypeError if a value cannot be sent."""
    kind, number, *values = message
    data = b"%s\n%s" % (json.dumps([kind, number]).encode(), write_values(values, number_of, modules))
    if len(data) > MAX_MESSAGE_BYTES:
        raise ValueError(f"a message of {len(data):,} bytes is too long; the limit is {MAX_MESSAGE_BYTES:,}")
    return LENGTH.pack(len(data)) + data


def no_number(function: Callable[..., Any]) -> int:
    """Return 0, the number of a function that is not stored."""
    return 0


def unpack(data: bytes) -> Message:
    """Return a message; raise an error of any class if it is invalid."""
    head, _, values = data.partition(b"\n")
    if len(head) > MAX_HEAD_BYTES:
        raise ValueError("its kind and number are too long")
    kind, number = json.loads(head)
    if not isinstance(kind, str) or type(number) is not int:
        raise ValueError("its kind and number are missing")
    return Message(kind, number, values)


class PluginProcessError(Exception):
    """An error of the plugin that the contract does not define; its class has the same name as the plugin's."""


def describe_error(error: BaseException) -> tuple[str, str, dict[str, Any]]:
    """Return the name and text of an error and, if the contract defines it, its attributes: only these are sent.

    A class that the plugin derives from one of the contract's is sent as the contract's class.
    """
    kind, text = type(error), str(error) if is_printable(error) else ""
    if not isinstance(error, KoiError):
        return kind.__name__, text, {}
    name = next(one.__name__ for one in kind.__mro__ if one.__module__.startswith(CONTRACT))
    return name, text, {name: value for name, value in vars(error).items() if isinstance(value, PLAIN_ATTRIBUTES)}


def make_error(name: str, text: str, attributes: Mapping[str, object]) -> Exception:
    """Return the error of the other process, with its class if the contract defines that, else only with its name.

    Raise ValueError for unknown attributes.
    """
    found = getattr(openkoi_hookspecs, str(name), None)
    if isinstance(found, type) and issubclass(found, KoiError):
        error: KoiError = found.__new__(found, text)  # constructors differ in what they take
        error.args = (str(text)[:MAX_ERROR],)
        for attribute, value in attributes.items():
            if (
                attribute.startswith("_")
                or hasattr(BaseException, attribute)
                or not isinstance(value, PLAIN_ATTRIBUTES)
                or not is_wait(attribute, value)
            ):
                raise ValueError(f"an error whose {attribute} is {value!r:.40}")
            setattr(error, attribute, value)
        return error
    named = name if isinstance(name, str) and name.isidentifier() and len(name) <= MAX_NAME else "Error"
    other: type[Exception] = type(named, (PluginProcessError,), {})
    return other(str(text)[:MAX_ERROR])


def is_wait(attribute: str, value: object) -> bool:
    """Return whether an attribute is valid: only one for a waiting time can be invalid."""
    return attribute != "retry_after" or value is None or (isinstance(value, int | float) and 0 <= value < inf)
