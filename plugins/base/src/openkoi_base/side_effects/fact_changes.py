"""Detect when a plugin changes facts that were passed to it, even frozen ones, by ``object.__setattr__``."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any

CONTRACT = "openkoi_hookspecs"
MAX_OBJECTS = 300  # a fact of a run has about 50; more are not looked at
RUN_FIELDS = ("task", "workspace")  # what never changes while a plugin's code runs
Place = tuple[Any, Any, Any]


class FactSnapshot:
    """The values of all fields and items of some facts."""

    def __init__(self, facts: Iterable[Any]) -> None:
        self.fields: list[Place] = []
        self.containers: list[tuple[Any, Any]] = []
        for owner in walk(facts):
            if isinstance(owner, (list, dict)):
                self.containers.append((owner, owner.copy()))
            else:
                kind: Any = type(owner)
                self.fields += [(owner, name, getattr(owner, name)) for name in field_names(kind)]

    def restore(self) -> list[str]:
        """Restore changed fields; return their names."""
        changed: list[str] = []
        for owner, name, value in self.fields:
            if getattr(owner, name, self) is not value:
                with suppress(AttributeError):  # of a class whose fields were replaced
                    object.__setattr__(owner, name, value)
                changed.append(f"{type(owner).__name__}.{name}")
        for container, copy in self.containers:
            if not is_same(container, copy):
                container.clear()
                container.update(copy) if isinstance(container, dict) else container.extend(copy)
                changed.append(f"a {type(container).__name__}")
        return changed


class HookNames:
    """The hooks and plugins that are called, according to the facts of a call."""

    def __init__(self, facts: Iterable[Any]) -> None:
        lent = [getattr(fact, "koi", fact) for fact in facts]
        self.koi = next((one for one in lent if hasattr(type(one), "hook_activity")), None)
        self.names = self.read()

    def read(self) -> list[tuple[str, str]]:
        """Return the names now."""
        return [(one.hook, one.plugin) for one in self.koi.hook_activity()] if self.koi else []

    def have_changed(self) -> bool:
        """Return whether the names have changed."""
        return self.read() != self.names


def walk(facts: Iterable[Any]) -> Iterator[Any]:
    """Yield facts of the contract, and the lists and dictionaries in them."""
    waiting, seen = [*facts], set[int]()
    while waiting and len(seen) < MAX_OBJECTS:
        one = waiting.pop()
        kind: Any = type(one)
        if id(one) in seen:
            continue
        if kind is tuple:
            waiting += one
        elif kind in (list, dict):
            waiting += one.values() if isinstance(one, dict) else one
            yield one
        elif names := field_names(kind):
            waiting += [getattr(one, name) for name in names]
            yield one
        else:
            continue
        seen.add(id(one))


@cache
def field_names(kind: type) -> tuple[str, ...]:
    """Return the fields of a fact, or of a run those that are facts; none for any other object."""
    if kind.__module__.partition(".")[0] == CONTRACT:
        slots = [name for base in kind.__mro__ for name in vars(base).get("__slots__", ())]
        return tuple(slots)
    if all(hasattr(kind, name) for name in (*RUN_FIELDS, "execute", "chat")):
        return RUN_FIELDS
    return ()


def is_same(container: Any, copy: Any) -> bool:
    """Return whether a list or dictionary has the identical items as before; equal objects do not count."""
    if len(container) != len(copy):
        return False
    if isinstance(container, dict):
        return all(name in container and container[name] is value for name, value in copy.items())
    return all(one is other for one, other in zip(container, copy, strict=True))
