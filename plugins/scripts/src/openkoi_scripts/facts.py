"""Turn facts into plain data for a script, and what it returns into facts."""

import json
from collections.abc import Mapping, Sequence, Set
from dataclasses import MISSING, fields, is_dataclass, replace
from enum import Enum, IntEnum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from openkoi_hookspecs import Allow, Ask, Deny, Event, Koi, Permission, Run, Section
from openkoi_hookspecs.lazy_dataclass import dataclass

from .process import ScriptError

REFERENCE = "$"  # the number of a fact among those that were sent
MAPPING = "=mapping"  # what a mapping is, as opposed to a fact
MAX_NESTING = 64
PERMISSIONS: Mapping[str, type[Permission]] = {"allow": Allow, "ask": Ask, "deny": Deny}


class SentFacts:
    """The facts of one call; what comes back unchanged is the same object again."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.sent: list[dict[str, Any]] = []

    def encode(self, facts: Mapping[str, Any]) -> str:
        """Return the facts of a call as JSON."""
        return json.dumps({REFERENCE: -1, **{name: self.plain(value) for name, value in facts.items()}})

    def plain(self, value: Any, levels: int = MAX_NESTING) -> Any:
        """Return a value as plain data; what has no such form is None."""
        if value is None or (isinstance(value, (str, bool, float)) and not isinstance(value, Enum)):
            return value
        if isinstance(value, Enum):
            return value.name.lower() if isinstance(value, IntEnum) else value.value
        if isinstance(value, int):
            return value
        if isinstance(value, Path):
            return str(value)
        if levels == 0:
            return None
        if is_dataclass(value) and not isinstance(value, type):
            return self.plain_fact(value, levels - 1)
        if isinstance(value, Mapping):
            return {MAPPING: {str(key): self.unwrapped(item, levels - 1) for key, item in value.items()}}
        if isinstance(value, (Sequence, Set)) and not isinstance(value, (bytes, bytearray)):
            return [self.plain(one, levels - 1) for one in value]
        return None

    def plain_fact(self, fact: Any, levels: int) -> dict[str, Any]:
        """Return a fact with its number."""
        number = len(self.objects)
        self.objects.append(fact)
        self.sent.append({})
        named = {"event": fact.name} if isinstance(fact, Event) else {}
        own = {one.name: self.plain(getattr(fact, one.name), levels) for one in fields(fact)}
        self.sent[number] |= {REFERENCE: number, **named, **own}
        return self.sent[number]

    def unwrapped(self, value: Any, levels: int) -> Any:
        """Return what is within a mapping, where mappings need no mark."""
        return unwrap(self.plain(value, levels))

    def restore(self, value: Mapping[str, Any]) -> Any:
        """Return the fact that was sent, with what the script changed of it."""
        number = value.get(REFERENCE)
        if not isinstance(number, int) or not 0 <= number < len(self.objects):
            raise ScriptError(f"it returned an invalid fact {value!r:.80}")
        before, sent = self.objects[number], self.sent[number]
        kind: Any = type(before)
        hints = hints_of(kind)
        changed = {name: one for name, one in value.items() if name in hints and one != unwrap(sent.get(name))}
        return self.change(before, changed) if changed else before

    def change(self, fact: Any, changed: Mapping[str, Any]) -> Any:
        """Return a fact with other fields."""
        kind: Any = type(fact)
        hints = hints_of(kind)
        if unknown := [name for name in changed if name not in hints]:
            raise ScriptError(
                f"it returned {unknown[0]!r}, which a {kind.__name__} does not have. It has {', '.join(hints)}."
            )
        return replace(fact, **{name: self.build(one, hints[name]) for name, one in changed.items()})

    def build(self, value: Any, hint: Any) -> Any:
        """Return plain data as a value of a type."""
        origin, arguments = get_origin(hint), get_args(hint)
        if origin in (Union, UnionType):
            return self.build_union(value, arguments)
        if isinstance(value, dict) and REFERENCE in value:
            return self.restore(value)
        if isinstance(hint, type) and issubclass(hint, Permission):
            return build_permission(value)
        if isinstance(hint, type) and is_dataclass(hint):
            return self.build_fact(value, hint)
        if isinstance(hint, type) and issubclass(hint, Enum):
            return build_enum(value, hint)
        if isinstance(origin, type) and issubclass(origin, Sequence) and isinstance(value, list):
            return tuple(self.build(one, arguments[0]) for one in value)
        return float(value) if hint is float and isinstance(value, int) and not isinstance(value, bool) else value

    def build_union(self, value: Any, kinds: Sequence[Any]) -> Any:
        """Return a value of the first type of a union that fits."""
        if value is None and NoneType in kinds:
            return None
        errors = []
        for kind in kinds:
            try:
                return self.build(value, kind)
            except ScriptError as error:
                errors.append(error)
        raise errors[0]

    def build_fact(self, value: Any, kind: Any) -> Any:
        """Return a new fact of a dictionary of its fields."""
        names = {one.name: one.default is MISSING and one.default_factory is MISSING for one in fields(kind)}
        if not isinstance(value, dict):
            raise ScriptError(f"it returned {value!r:.60}, not a {kind.__name__}")
        if unknown := [name for name in value if name not in names]:
            raise ScriptError(f"it returned a {kind.__name__} with the unknown field {unknown[0]!r}")
        if missing := [name for name, needed in names.items() if needed and name not in value]:
            raise ScriptError(f"it returned a {kind.__name__} without {missing[0]!r}")
        hints = hints_of(kind)
        return kind(**{name: self.build(one, hints[name]) for name, one in value.items()})


def unwrap(value: Any) -> Any:
    """Return plain data as a script returns it: without the marks of mappings."""
    if isinstance(value, dict):
        return unwrap(value[MAPPING]) if MAPPING in value else {name: unwrap(one) for name, one in value.items()}
    return [unwrap(one) for one in value] if isinstance(value, list) else value


@cache
def hints_of(kind: Any) -> Mapping[str, Any]:
    """Return the types of a fact's fields."""
    hints = get_type_hints(kind, localns={"Json": object})
    return {one.name: hints[one.name] for one in fields(kind)}


def build_permission(value: Any) -> Permission:
    """Return what ``allow``, ``ask`` and ``deny`` of a script stand for."""
    if not isinstance(value, dict) or value.get("permission") not in PERMISSIONS:
        raise ScriptError(f"it returned {value!r:.60}. Return allow(), ask(reason) or deny(reason).")
    return PERMISSIONS[value["permission"]](str(value.get("reason", "")), paths=tuple(value.get("paths", ())))


def build_enum(value: Any, kind: type[Enum]) -> Enum:
    """Return a value of an enumeration by its name or value."""
    known = {one.name.lower() if isinstance(one, IntEnum) else one.value: one for one in kind}
    if not isinstance(value, str) or value not in known:
        raise ScriptError(f"it returned {value!r:.60}. Choose from {', '.join(map(str, known))}.")
    return known[value]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a script sees of a run."""

    id: str
    outermost: str
    task: Any
    workspace: Path
    limits: Any
    cost: Any
    iterations: int


@dataclass(frozen=True, slots=True)
class KoiFacts:
    """What a script sees of OpenKoi between runs."""

    workspace: Path
    session: str


def visible_fact(name: str, value: Any) -> Any:
    """Return a fact as a script sees it: of a run and of OpenKoi, what they are and not what they do."""
    if name == "run":
        run: Run = value
        counted = len(run.iterations)
        return RunFacts(run.id, run.outermost, run.task, run.workspace, run.limits, run.cost, counted)
    if name == "koi":
        koi: Koi = value
        return KoiFacts(koi.workspace, koi.session)
    return value


def build_answer(answer: Any, hint: Any, first: Any, facts: SentFacts, script: str) -> Any:
    """Return what a hook returns, of the type that it returns; a dictionary of fields changes the ``first`` fact."""
    if answer is None or hint is None:
        return None
    if get_origin(hint) is not None:
        item = get_args(hint)[0]
        listed = answer if isinstance(answer, list) else [answer]
        return [facts.build(as_section(one, script) if item is Section else one, item) for one in listed]
    if isinstance(hint, type) and issubclass(hint, Permission):
        return build_permission(answer)
    if not isinstance(answer, dict):
        raise ScriptError(f"it returned {answer!r:.60}, not a {hint.__name__} or a dictionary of its fields")
    return facts.restore(answer) if REFERENCE in answer else facts.change(first, answer)


def as_section(value: Any, script: str) -> Any:
    """Return a text as a section that is named after its script."""
    return {"name": script, "text": value} if isinstance(value, str) else value
