"""``dataclass``: as in the standard library, with methods that are compiled when a class is first used.

The library compiles up to six methods of each class that is defined: 1.2 ms for a frozen one with slots, and a start
defines hundreds and uses few. This one makes the slots (22 microseconds), and leaves the rest to the first use. Classes
without slots, with an order or with fields of ``InitVar`` are left to the library.
"""

import dataclasses
import sys
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, MISSING, Field, FrozenInstanceError, InitVar, field, fields
from functools import cached_property, partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(kind=None, /, *, slots=False, **options):
        """Make a class a dataclass."""
        if kind is None:
            return lambda kind: dataclass(kind, slots=slots, **options)
        if slots and options.keys() <= {"frozen", "kw_only"}:
            annotations = annotations_of(kind)
            if all(map(is_understood, annotations.values())):
                return make_dataclass(kind, annotations, **options)
        return dataclasses.dataclass(kind, slots=slots, **options)


class DefaultFactory:
    """A marker for a parameter that is not given."""

    def __repr__(self) -> str:
        return "<factory>"


FACTORY = DefaultFactory()
MAX_UNCOMPILED_INSTANCES = 10  # a constructor is compiled in 100 microseconds, and then quicker by 2


def annotations_of(kind: type) -> dict[str, Any]:
    """Return a class's own annotations."""
    own = "__annotations__" in vars(kind) or hasattr(type, "__annotate__")  # since Python 3.14 no base's are returned
    return dict(kind.__annotations__) if own else {}


def is_understood(annotation: object) -> bool:
    """Return whether an annotation declares a field, a class variable, or that keyword-only fields follow."""
    if isinstance(annotation, str):
        return not ("ClassVar" in annotation or "InitVar" in annotation or "KW_ONLY" in annotation)
    return not isinstance(annotation, InitVar) and annotation is not InitVar


def is_field(annotation: object) -> bool:
    return (
        annotation is not KW_ONLY
        and annotation is not ClassVar
        and getattr(annotation, "__origin__", 0) is not ClassVar
    )


def make_dataclass(kind: Any, annotations: dict[str, Any], *, frozen: bool = False, kw_only: bool = False) -> Any:
    """Return the class with slots, and with the dataclass methods that it does not define."""
    body = dict(vars(kind))
    names = [name for name, annotation in annotations.items() if is_field(annotation)]
    declared = {name: body.pop(name) for name in names if name in body}
    for name, value in declared.items():
        if type(value).__hash__ is None:
            raise ValueError(f"mutable default {type(value)} for field {name} is not allowed: use default_factory")
    declared |= {"__annotations__": annotations, "__module__": kind.__module__, "__doc__": kind.__name__}
    hashed = body.pop("__hash__", None)  # None, too, where the class has an __eq__ of its own
    body = (FROZEN_METHODS if frozen else METHODS) | body
    body["__hash__"] = hashed or (METHODS["__hash__"] if frozen else None)
    inherited = {name for base in kind.__mro__[1:-1] for name in vars(base).get("__slots__", ())}
    body["__slots__"] = tuple(name for name in names if name not in inherited)
    for name in ("__dict__", "__weakref__"):
        body.pop(name, None)
    body["__blueprint__"] = blueprint = Blueprint(declared, frozen=frozen, kw_only=kw_only)
    blueprint.kind = type(kind)(kind.__name__, kind.__bases__, body)
    blueprint.kind.__qualname__ = kind.__qualname__
    return blueprint.kind


class Blueprint:
    """The fields that a class declares, and the methods that are made from them when the class is used."""

    kind: Any
    instances = 0

    def __init__(self, declared: dict[str, Any], *, frozen: bool, kw_only: bool) -> None:
        self.declared, self.frozen, self.kw_only = declared, frozen, kw_only

    @cached_property
    def fields(self) -> list[Field[Any]]:
        """The fields, those of its bases first."""
        bases = [base for base in self.kind.__mro__[:0:-1] if hasattr(base, "__dataclass_fields__")]
        found = {one.name: one for base in bases for one in fields(base)}
        kw_only = self.kw_only
        for name, annotation in self.declared["__annotations__"].items():
            kw_only = kw_only or annotation is KW_ONLY
            if is_field(annotation):
                value = self.declared.get(name, MISSING)
                one = value if isinstance(value, Field) else field(default=value)
                one.name, one.type = name, annotation
                one.kw_only = kw_only if one.kw_only is MISSING else one.kw_only
                found[name] = one
        return list(found.values())

    @cached_property
    def positional(self) -> tuple[str, ...]:
        """The names of the positional parameters."""
        return tuple(one.name for one in self.fields if one.init and not one.kw_only)

    def complete(self, name: str) -> None:
        """Create an attribute that the class does not define."""
        if name == "__init__":
            self.set({name: self.compile_init()})
        elif name in ("__eq__", "__hash__"):
            self.set(comparison(self.fields))
        elif name == "__match_args__":
            self.set({name: self.positional})
        else:
            self.set(self.collect())

    def collect(self) -> dict[str, Any]:
        """Return the fields as the standard library collects them."""
        collect: Callable[..., Any] = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=self.kw_only)
        own = collect(type(self.kind.__name__, (), self.declared))
        parameters = own.__dataclass_params__  # what inherits from the class, and libraries, go by these
        parameters.init = parameters.repr = parameters.eq = True
        parameters.frozen = self.frozen
        inherited = [getattr(base, "__dataclass_fields__", {}) for base in self.kind.__mro__[:0:-1]]
        all_fields = {name: one for some in (*inherited, own.__dataclass_fields__) for name, one in some.items()}
        return {"__dataclass_fields__": all_fields, "__dataclass_params__": parameters}

    def set(self, made: dict[str, Any]) -> None:
        for name, value in made.items():
            if isinstance(vars(self.kind).get(name), WhenUsed):
                setattr(self.kind, name, value)

    def initialize(self, instance: object, /, *arguments: object, **named: object) -> None:
        """Set the fields as the constructor does; compile the constructor to explain wrong arguments."""
        given, put = dict(zip(self.positional, arguments, strict=False)), object.__setattr__ if self.frozen else setattr
        wrong = len(arguments) > len(given) or given.keys() & named.keys()
        given |= named
        for one in () if wrong else self.fields:
            if one.init and one.name in given:
                put(instance, one.name, given.pop(one.name))
            elif one.default is not MISSING:
                put(instance, one.name, one.default)
            elif one.default_factory is not MISSING:
                put(instance, one.name, one.default_factory())
            elif one.init:
                wrong = True
        if wrong or given:
            self.compile_init()(instance, *arguments, **named)
        elif hasattr(instance, "__post_init__"):
            instance.__post_init__()

    def compile_init(self) -> Any:
        """Return the constructor. It has the globals of the class, since some programs read its parameters' types."""
        known: dict[str, Any] = {"_FACTORY": FACTORY}
        positional, named, body = ["self"], ["*"], []
        for one in self.fields:
            parameter, value = self.read_field(one, known)
            (named if one.kw_only else positional).extend(parameter)
            name = one.name
            body += [f"_set_{name}(self, {text})" if self.frozen else f"self.{name} = {text}" for text in value]
            if self.frozen:
                known[f"_set_{name}"] = getattr(self.kind, name).__set__  # a third quicker than object.__setattr__
        if hasattr(self.kind, "__post_init__"):
            body.append("self.__post_init__()")
        signature = ", ".join([*positional, *(named if len(named) > 1 else ())])
        text = f"def make({', '.join(known)}):\n def __init__({signature}):\n  " + ("\n  ".join(body) or "pass")
        scope: dict[str, Any] = {}
        module = sys.modules.get(self.kind.__module__)
        exec(f"{text}\n return __init__", vars(module) if module else {}, scope)  # as dataclasses do
        init = scope["make"](**known)
        init.__qualname__ = f"{self.kind.__qualname__}.__init__"
        init.__annotations__ = {one.name: one.type for one in self.fields if one.init} | {"return": None}
        return init

    def read_field(self, one: Field[Any], known: dict[str, Any]) -> tuple[list[str], list[str]]:
        """Return a field's parameter and its value, if any; add the field's default to ``known``."""
        name, default = one.name, f"_default_{one.name}"
        if one.default is not MISSING:
            known[default] = one.default
            return ([f"{name}={default}"], [name]) if one.init else ([], [default])
        if one.default_factory is not MISSING:
            known[default] = one.default_factory
            value = f"{default}() if {name} is _FACTORY else {name}"
            return ([f"{name}=_FACTORY"], [value]) if one.init else ([], [f"{default}()"])
        return ([name], [name]) if one.init else ([], [])


class WhenUsed:
    """A placeholder for a class's attribute until it is first read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        blueprint = self.blueprint_of(owner)
        blueprint.complete(self.name)
        value = vars(blueprint.kind)[self.name]
        return value.__get__(instance, owner) if instance is not None and callable(value) else value

    def blueprint_of(self, owner: type) -> Blueprint:
        """Return the blueprint of the class or base class that this attribute belongs to."""
        kind = next(kind for kind in owner.__mro__ if vars(kind).get(self.name) is self)
        found: Blueprint = vars(kind)["__blueprint__"]
        return found


class InitWhenUsed(WhenUsed):
    """A placeholder for a constructor, which is compiled when its signature is read or it is called often."""

    def __get__(self, instance: object, owner: type) -> Any:
        blueprint = self.blueprint_of(owner)
        if instance is None or blueprint.instances >= MAX_UNCOMPILED_INSTANCES:
            return super().__get__(instance, owner)
        blueprint.instances += 1
        return partial(blueprint.initialize, instance)


def comparison(real: Iterable[Field[Any]]) -> dict[str, Any]:
    """Return the methods that compare all fields, and hash them."""
    names = [one.name for one in real if one.compare]
    key: Callable[[object], object] = attrgetter(*names) if names else lambda _: ()

    def __eq__(self: Any, other: Any) -> bool:
        return bool(key(self) == key(other)) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(key(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def copy_with(self: Any, /, **changes: object) -> Any:
    """Return a copy with changed values, for ``copy.replace`` of Python 3.13."""
    return dataclasses.replace(self, **changes)


@recursive_repr("...")
def show(self: Any) -> str:
    """Return the representation of a dataclass."""
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


class Frozen:
    """The methods that all frozen classes share."""

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self: Any) -> list[Any]:
        return [getattr(self, one.name) for one in fields(self)]

    def __setstate__(self: Any, state: list[Any]) -> None:
        for one, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, one.name, value)


def vars_of(kind: type) -> dict[str, Any]:
    return {name: vars(kind)[name] for name in ("__setattr__", "__delattr__", "__getstate__", "__setstate__")}


WHEN_USED = ("__eq__", "__hash__", "__match_args__", "__dataclass_fields__", "__dataclass_params__")
METHODS = {
    **{name: WhenUsed(name) for name in WHEN_USED},
    "__init__": InitWhenUsed("__init__"),
    "__repr__": show,
    "__replace__": copy_with,
}
FROZEN_METHODS = METHODS | vars_of(Frozen)
