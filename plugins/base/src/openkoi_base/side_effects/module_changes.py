"""Detect when a plugin replaces functions and classes of other modules (monkeypatching)."""

import builtins
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.machinery import SourceFileLoader
from itertools import chain
from operator import attrgetter
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

OURS, BUILTINS = "openkoi", "builtins"
IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE
DATA = (bool, int, float, str, bytes, tuple, frozenset)
CATCHING = "_showwarnmsg_impl"  # of warnings: catch_warnings replaces it for a while
TYPING = ("_collect_parameters", "_check_generic")  # typing_extensions, which many libraries import, replaces these
SWAPPED = (CATCHING, *TYPING)
read_code = attrgetter("__code__", "__defaults__", "__kwdefaults__")  # what a function executes
CODE = (FunctionType, BuiltinFunctionType, type, classmethod, staticmethod, property, MemberDescriptorType)


OWNERS_AT_ONCE = 50  # estimate: a group costs little beside its members, and few are compared again for one change


@dataclass(slots=True)
class OwnerGroup:
    """Modules and classes that are compared at once, which takes half as long as one after the other."""

    owners: Sequence[Any]
    views: Sequence[Iterable[Any]]
    values: Sequence[Any] = ()

    def has_changed(self) -> bool:
        """Return whether a member was replaced since the last time."""
        before, self.values = self.values, [*chain.from_iterable(self.views)]
        return self.values != before


class ModuleSnapshot:
    """The functions, classes and constants of all modules, and the code of the functions."""

    last: "ModuleSnapshot | None" = None

    def __init__(self) -> None:
        self.has_new_code = False
        self.seen: set[str] = set()
        self.modules: dict[str, ModuleType] = {}
        self.members: dict[Any, dict[str, Any]] = {}
        self.groups: list[OwnerGroup] = []
        self.functions: dict[FunctionType, tuple[Any, ...]] = {}

    @classmethod
    def take(cls) -> "ModuleSnapshot":
        """Return the last snapshot with the modules that were imported since: a new one takes 2 ms."""
        if not cls.last:
            cls.last = cls()
            sys.addaudithook(cls.last.note_new_code)
            note_imports(cls.last)
        cls.last.add_imported()
        return cls.last

    def note_new_code(self, event: str, arguments: tuple[object, ...]) -> None:
        """Record that a function's code may have been replaced; checking all functions takes longer than most calls."""
        function = arguments[0] if event == "object.__setattr__" else None
        if type(function) is FunctionType and function in self.functions:
            self.has_new_code = True

    def add_imported(self) -> None:
        """Add the members of modules that are not among the known ones."""
        if len(self.seen) == len(sys.modules):
            return
        added: list[Any] = []
        for name in sys.modules.keys() - self.seen:
            self.seen.add(name)
            if isinstance(module := sys.modules[name], ModuleType):
                self.modules[name] = module
                added += (owner for owner in owners_of(name, module) if owner not in self.members)
        for owner in added:
            members = self.members[owner] = dict(vars(owner))
            self.functions |= {one: read_code(one) for one in members.values() if type(one) is FunctionType}
        self.groups += group_owners(added)

    def restore(self) -> list[str]:
        """Restore what was replaced; return the names."""
        changed = [name for name, module in list(self.modules.items()) if sys.modules.get(name) is not module]
        sys.modules.update((name, self.modules[name]) for name in changed)
        changed += remove_blocked(sys.modules.keys() - self.seen)
        for group in self.groups:
            if group.has_changed():
                changed += chain.from_iterable(map(self.restore_members, group.owners))
                group.has_changed()
        return changed + self.restore_code()

    def restore_members(self, owner: Any) -> list[str]:
        """Restore replaced members of a module or class; return their names."""
        members, now = self.members[owner], vars(owner)
        if now == members:  # compared by identity first, which takes no time
            return []
        replaced = find_replaced(members, now, root_of(owner))
        added = find_added(members, now, root_of(owner)) if isinstance(owner, type) or owner is builtins else []
        for name in replaced:
            setattr(owner, name, members[name])
        for name in added:
            delattr(owner, name)
        self.members[owner] = dict(vars(owner))
        return [f"{getattr(owner, '__qualname__', owner.__name__)}.{name}" for name in (*replaced, *added)]

    def restore_code(self) -> list[str]:
        """Restore functions that were given other code or defaults in place; return their names."""
        if not self.has_new_code:
            return []
        changed = [one for one, before in list(self.functions.items()) if read_code(one) != before]
        for function in changed:
            function.__code__, function.__defaults__, function.__kwdefaults__ = self.functions[function]
        self.has_new_code = False
        return [f"the code of {one.__module__}.{one.__qualname__}" for one in changed]


def note_imports(snapshot: ModuleSnapshot) -> None:
    """Add modules as soon as an import ends, since the call that imports them may replace what is in them.

    Those that a module imports are added with it, since libraries patch each other when they are imported.
    """
    execute = SourceFileLoader.exec_module
    running: list[ModuleType] = []

    def exec_module(loader: SourceFileLoader, module: ModuleType) -> None:
        running.append(module)
        try:
            execute(loader, module)
        finally:
            running.remove(module)
        if not running:
            snapshot.add_imported()

    SourceFileLoader.exec_module = exec_module  # type: ignore[assignment, method-assign]  # a check ends its process


def remove_blocked(names: Iterable[str]) -> list[str]:
    """Restore modules that were set to None before anything imported them; return their names."""
    modules: dict[str, ModuleType | None] = dict(sys.modules)
    blocked = [name for name in names if name in modules and modules[name] is None]
    for name in blocked:
        del sys.modules[name]
    return blocked


def group_owners(owners: Sequence[Any]) -> Iterator[OwnerGroup]:
    """Yield groups of modules and classes with their current members."""
    for start in range(0, len(owners), OWNERS_AT_ONCE):
        some = owners[start : start + OWNERS_AT_ONCE]
        group = OwnerGroup(some, [vars(owner).values() for owner in some])
        group.has_changed()
        yield group


def owners_of(name: str, module: ModuleType) -> Iterator[Any]:
    """Yield a module and its classes, except those written in C, which cannot be changed."""
    yield module
    classes = [one for one in list(vars(module).values()) if isinstance(one, type) and one.__module__ == name]
    yield from (one for one in classes if not one.__flags__ & IMMUTABLE)


def find_replaced(before: Mapping[str, Any], now: Mapping[str, Any], root: str) -> list[str]:
    """Return the names whose code was replaced by code from another package."""
    return [
        name
        for name, value in before.items()
        if (new := now.get(name)) is not value
        and name not in SWAPPED
        and (is_foreign(value, new, root) or is_constant(name, value, new, root))
    ]


def is_constant(name: str, before: Any, now: Any, root: str) -> bool:
    """Return whether a value is a public constant of Python or OpenKoi."""
    known = root == OURS or root in sys.stdlib_module_names
    steady = name[:1] != "_" and (name.isupper() or isinstance(before, str))
    return known and steady and isinstance(before, DATA) and isinstance(now, DATA) and before != now


def is_foreign(before: Any, now: Any, root: str) -> bool:
    """Return whether a value was replaced by one that its package did not define itself."""
    if root != OURS and OURS in {package_of(str(getattr(one, "__module__", ""))) for one in (before, now)}:
        return False  # such as Thread.start while a call is watched
    if isinstance(before, CODE):
        return name_of(before) != name_of(now) or not is_own(now, root)
    return isinstance(now, CODE) and not is_own(now, root)


def find_added(before: Mapping[str, Any], now: Mapping[str, Any], root: str) -> list[str]:
    """Return the names that another package added to a class or to the built-in names; the terminal sets ``_``."""
    added = {name: value for name, value in now.items() if name not in before}
    return [name for name, value in added.items() if is_new_code(value, root) or (root == BUILTINS and name != "_")]


def is_new_code(value: Any, root: str) -> bool:
    return isinstance(value, CODE) and not is_own(value, root)


def name_of(value: object) -> str:
    return str(getattr(value, "__name__", ""))


def is_own(value: Any, root: str) -> bool:
    """Return whether a value belongs to the package itself, which may define functions on first use."""
    if isinstance(value, (classmethod, staticmethod)):
        value = value.__func__
    if isinstance(value, property):
        value = value.fget
    if isinstance(value, partial):
        value = value.func
    name = str(getattr(value, "__module__", ""))
    code = getattr(value, "__code__", None)
    if code and not code.co_filename.startswith("<"):
        module = sys.modules.get(name)
        return bool(module) and getattr(module, "__file__", "") == code.co_filename and package_of(name) == root
    return package_of(name) == root


def root_of(owner: Any) -> str:
    return package_of(str(owner.__name__ if isinstance(owner, ModuleType) else owner.__module__))


def package_of(module: str) -> str:
    """Return the package of a module; OpenKoi's count as one, because one of them generates methods of others."""
    return OURS if module.startswith(OURS) else module.partition(".")[0]
