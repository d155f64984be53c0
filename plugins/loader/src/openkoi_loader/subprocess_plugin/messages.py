"""Write and read the messages between OpenKoi and a plugin's process: a length, and a pickle.

From a plugin's process only facts of the contract and plain values are accepted: a pickle of anything else could run
code. Functions stay where they are; a message holds a number in their place.
"""

import io
import pickle
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from functools import partial
from math import inf
from types import FunctionType, MethodType, NoneType
from typing import Any

import openkoi_hookspecs
from openkoi_base.isolation import is_printable
from openkoi_hookspecs import KoiError

from .limits import measure_pickles

CONTRACT = "openkoi_hookspecs"
PLAIN = frozenset({("builtins", "set"), ("builtins", "frozenset"), ("builtins", "bytearray")})
PATHS = frozenset({"PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath"})
FUNCTIONS = (FunctionType, MethodType, partial)
LENGTH = struct.Struct(">I")
PLAIN_ATTRIBUTES = (str, int, float, NoneType)
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
MAX_NAME = 100  # characters of the name of an error
MAX_ERROR = 20_000  # characters of its text


class Functions:
    """The functions of this process that the other one knows by a number; the oldest are forgotten."""

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


class FactPickler(pickle.Pickler):
    """Pickles facts; a function becomes its number, which is 0 where ``functions`` keeps none."""

    def __init__(self, file: io.BytesIO, functions: Functions | None) -> None:
        super().__init__(file, protocol=5)
        self.functions = functions

    def persistent_id(self, value: Any) -> int | None:
        """Return the number of a function; None for what is pickled."""
        if not isinstance(value, FUNCTIONS):
            return None
        return self.functions.add(value) if self.functions else 0

    def reducer_override(self, value: Any) -> Any:
        """Return how a member of an enum is made; some versions of Python would name a function that is refused."""
        return (type(value), (value.value,)) if isinstance(value, Enum) else NotImplemented


class FactUnpickler(pickle.Unpickler):
    """Unpickles facts; ``make_function`` returns what stands for a function of the other process."""

    def __init__(self, data: bytes, make_function: Callable[[int], Callable[..., Any]]) -> None:
        super().__init__(io.BytesIO(data))
        self.make_function = make_function

    def persistent_load(self, number: Any) -> Callable[..., Any]:
        """Return what stands for a function."""
        return self.make_function(int(number))


class ContractUnpickler(FactUnpickler):
    """Unpickles what a plugin's process sends: facts of the contract, and plain values.

    A pickle can set attributes of any class that it gets. It gets those of facts, which do not allow that, and of
    others only what makes a value. How deep values are is measured before they are made.
    """

    def __init__(self, data: bytes, make_function: Callable[[int], Callable[..., Any]]) -> None:
        super().__init__(data, make_function)
        measure_pickles(data)

    def find_class(self, module: str, name: str) -> Any:
        """Return what makes a value that may be in a message; raise UnpicklingError for any other name."""
        if module == CONTRACT or module.startswith(f"{CONTRACT}."):
            found = super().find_class(module, name)
            if isinstance(found, type) and is_dataclass(found) and hasattr(found, "__setstate__"):
                return found
            if isinstance(found, type) and issubclass(found, Enum):
                return partial(found)
        if (module, name) in PLAIN or (module.startswith("pathlib") and name in PATHS):
            return partial(super().find_class(module, name))
        raise pickle.UnpicklingError(f"{module}.{name} is not a fact of the contract")


def pack(message: Sequence[object], functions: Functions | None) -> bytes:
    """Return a message with its length; raise ValueError for one that is too long, TypeError for one without a form.

    Its kind and number come first, in a pickle of their own: they can be read if the rest cannot.
    """
    file = io.BytesIO()
    file.write(LENGTH.pack(0))
    pickler = FactPickler(file, functions)
    pickler.dump(tuple(message[:2]))
    pickler.dump(tuple(message[2:]))
    length = file.tell() - LENGTH.size
    if length > MAX_MESSAGE_BYTES:
        raise ValueError(f"a message of {length:,} bytes is too long; the limit is {MAX_MESSAGE_BYTES:,}")
    file.seek(0)
    file.write(LENGTH.pack(length))
    return file.getvalue()


class PluginProcessError(Exception):
    """An error of the plugin that is not one of the contract; its class has the name of the plugin's."""


def describe_error(error: BaseException) -> tuple[str, str, dict[str, Any]]:
    """Return the name and the text of an error, and of one of the contract its attributes: all that is sent of it.

    A class that the plugin derives from one of the contract is sent as that one.
    """
    kind, text = type(error), str(error) if is_printable(error) else ""
    if not isinstance(error, KoiError):
        return kind.__name__, text, {}
    name = next(one.__name__ for one in kind.__mro__ if one.__module__.startswith(f"{CONTRACT}."))
    return name, text, {name: value for name, value in vars(error).items() if isinstance(value, PLAIN_ATTRIBUTES)}


def make_error(name: str, text: str, attributes: Mapping[str, object]) -> Exception:
    """Return the error of the other process; one of the contract is of its class, any other only has its name.

    Raise ValueError for attributes that no error of the contract has.
    """
    found = getattr(openkoi_hookspecs, str(name), None)
    if isinstance(found, type) and issubclass(found, KoiError):
        error: KoiError = found.__new__(found, text)  # constructors differ in what they take
        error.args = (str(text)[:MAX_ERROR],)
        for attribute, value in attributes.items():
            if (
                attribute.startswith("_")
                or attribute == "args"
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
    """Return whether the attribute that says how long to wait is a time; any other attribute may be anything."""
    return attribute != "retry_after" or value is None or (isinstance(value, int | float) and 0 <= value < inf)
