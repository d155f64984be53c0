"""Write and read the messages between OpenKoi and a plugin's process: a length, and a pickle.

From a plugin's process only facts of the contract and plain values are accepted: a pickle of anything else could run
code. Functions stay where they are; a message holds a number in their place.
"""

import io
import pickle
import struct
from collections.abc import Callable
from dataclasses import is_dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

import openkoi_hookspecs
from openkoi_base.isolation import is_printable
from openkoi_hookspecs import Cost, Iteration, KoiError, Limits, Task
from openkoi_hookspecs.lazy_dataclass import dataclass

CONTRACT = "openkoi_hookspecs"
PLAIN = frozenset({("builtins", "set"), ("builtins", "frozenset"), ("builtins", "bytearray")})
PATHS = frozenset({"PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath"})
FUNCTIONS = (FunctionType, MethodType, partial)
RUN_METHODS = ("search", "ask", "solve", "chat", "execute", "list_tools", "call", "emit")
LENGTH = struct.Struct(">I")
MAX_MESSAGE_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class KoiFacts:
    """What a plugin in a process of its own sees of OpenKoi."""

    workspace: Path
    session: str


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a plugin in a process of its own sees of a run without asking."""

    id: str
    outermost: str
    task: Task
    limits: Limits
    cost: Cost
    iterations: tuple[Iteration, ...]
    workspace: Path
    koi: KoiFacts


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
    """Pickles facts; a function becomes its number."""

    def __init__(self, file: io.BytesIO, functions: Functions) -> None:
        super().__init__(file, protocol=5)
        self.functions = functions

    def persistent_id(self, value: Any) -> int | None:
        """Return the number of a function; None for what is pickled."""
        return self.functions.add(value) if isinstance(value, FUNCTIONS) else None


class FactUnpickler(pickle.Unpickler):
    """Unpickles facts; ``make_function`` returns what stands for a function of the other process."""

    def __init__(self, data: bytes, make_function: Callable[[int], Callable[..., Any]]) -> None:
        super().__init__(io.BytesIO(data))
        self.make_function = make_function

    def persistent_load(self, number: Any) -> Callable[..., Any]:
        """Return what stands for a function."""
        return self.make_function(int(number))


class ContractUnpickler(FactUnpickler):
    """Unpickles what a plugin's process sends: facts of the contract, and plain values."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class that may be in a message; raise UnpicklingError for any other one."""
        if module == CONTRACT or module.startswith(f"{CONTRACT}."):
            found = super().find_class(module, name)
            if isinstance(found, type) and (is_dataclass(found) or issubclass(found, Enum)):
                return found
        if (module, name) in PLAIN or (module.startswith("pathlib") and name in PATHS):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not a fact of the contract")


def pack(message: object, functions: Functions) -> bytes:
    """Return a message with its length; raise ValueError for one that is too long, TypeError for one without a form."""
    file = io.BytesIO()
    file.write(LENGTH.pack(0))
    FactPickler(file, functions).dump(message)
    length = file.tell() - LENGTH.size
    if length > MAX_MESSAGE_BYTES:
        raise ValueError(f"a message of {length:,} bytes is too long; the limit is {MAX_MESSAGE_BYTES:,}")
    file.seek(0)
    file.write(LENGTH.pack(length))
    return file.getvalue()


def describe_error(error: BaseException) -> tuple[str, str]:
    """Return the name and the text of an error, which is all that is sent of it."""
    return type(error).__name__, str(error) if is_printable(error) else ""


def make_error(name: str, text: str) -> KoiError:
    """Return the error of the other process; one of the contract is of its class, any other only has its name."""
    found = getattr(openkoi_hookspecs, name, None)
    if isinstance(found, type) and issubclass(found, KoiError):
        error: KoiError = found.__new__(found, text)  # constructors differ in what they take
        error.args = (text,)
        return error
    other: type[KoiError] = type(name, (KoiError,), {})
    return other(text)
