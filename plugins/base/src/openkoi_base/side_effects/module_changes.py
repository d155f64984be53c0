"""Notice when a plugin replaces functions and classes of other modules."""

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

STANDARD = (
    *("asyncio", "asyncio.tasks", "asyncio.events", "asyncio.subprocess", "asyncio.timeouts", "builtins", "hashlib"),
    *("io", "json", "logging", "os", "os.path", "pathlib", "random", "re", "shutil", "signal", "socket", "ssl"),
    *("subprocess", "sys", "tempfile", "threading", "time", "uuid"),
)
OURS = "openkoi"
CODE = (FunctionType, BuiltinFunctionType, type, classmethod, staticmethod, property)


class ModuleSnapshot:
    """The functions and classes of OpenKoi's modules, and of the most used ones of Python."""

    last: "ModuleSnapshot | None" = None

    def __init__(self) -> None:
        self.count = len(sys.modules)
        self.modules = {name: module for name, module in [*sys.modules.items()] if is_watched(name, module)}
        self.members = {owner: dict(vars(owner)) for owner in self.owners()}

    @classmethod
    def take(cls) -> "ModuleSnapshot":
        """Return a snapshot: the last one, unless modules were imported since, because a new one takes 2 ms."""
        if cls.last is None or cls.last.count != len(sys.modules):
            cls.last = cls()
        return cls.last

    def owners(self) -> Iterator[Any]:
        """Yield the modules, and the classes of OpenKoi's modules."""
        for name, module in self.modules.items():
            yield module
            if name.startswith(OURS):
                yield from (one for one in vars(module).values() if isinstance(one, type) and one.__module__ == name)

    def restore(self) -> list[str]:
        """Restore what was replaced; return the names."""
        changed = [name for name, module in self.modules.items() if sys.modules.get(name) is not module]
        sys.modules.update((name, self.modules[name]) for name in changed)
        for owner, members in self.members.items():
            now = vars(owner)
            if now == members:  # compared by identity first, which takes no time
                continue
            for name in find_replaced(members, now, root_of(owner)):
                setattr(owner, name, members[name])
                changed.append(f"{getattr(owner, '__qualname__', owner.__name__)}.{name}")
            self.members[owner] = dict(vars(owner))
        return changed


def is_watched(name: str, module: object) -> bool:
    return isinstance(module, ModuleType) and (name.startswith(OURS) or name in STANDARD)


def find_replaced(before: Mapping[str, Any], now: Mapping[str, Any], root: str) -> list[str]:
    """Return the names whose code is other code now, from another package than the one that it belongs to."""
    return [
        name
        for name, value in before.items()
        if (new := now.get(name)) is not value
        and isinstance(value, CODE)
        and not (name_of(new) == name_of(value) and is_own(new, root))
    ]


def name_of(value: object) -> str:
    return str(getattr(value, "__name__", ""))


def is_own(value: Any, root: str) -> bool:
    """Return whether a value is of a package itself, which may define its functions when they are used."""
    if isinstance(value, (classmethod, staticmethod)):
        value = value.__func__
    if isinstance(value, property):
        value = value.fget
    if isinstance(value, partial):
        value = value.func
    code = getattr(value, "__code__", None)
    if code and not code.co_filename.startswith("<"):
        module = sys.modules.get(str(getattr(value, "__module__", "")))
        return bool(module) and getattr(module, "__file__", "") == code.co_filename and module_root(module) == root
    return str(getattr(value, "__module__", "")).partition(".")[0] == root


def root_of(owner: Any) -> str:
    return str(owner.__name__ if isinstance(owner, ModuleType) else owner.__module__).partition(".")[0]


def module_root(module: Any) -> str:
    return str(module.__name__).partition(".")[0]
