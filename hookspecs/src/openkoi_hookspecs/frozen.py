"""``frozen``: as ``dataclass(frozen=True, slots=True)``, with classes that are made in a third of the time.

That one compiles six methods of each class, which took 60 % of the time that importing the contract takes. This one
compiles ``__init__``; the other methods are shared, or read the fields.
"""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, dataclass_transform, overload

T = TypeVar("T")
FACTORY = object()
METHODS = frozenset(
    {"__init__", "__eq__", "__hash__", "__repr__", "__setattr__", "__delattr__", "__getstate__", "__setstate__"}
)


@overload
def frozen(kind: type[T], /) -> type[T]: ...


@overload
def frozen(*, kw_only: bool) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(kind: Any = None, /, *, kw_only: bool = False) -> Any:
    """Make a class a frozen dataclass with slots; its bases are no dataclasses."""
    if kind is None:
        return lambda kind: make_frozen(kind, kw_only=kw_only)
    return make_frozen(kind, kw_only=False)


def make_frozen(kind: Any, *, kw_only: bool) -> Any:
    """Let ``dataclass`` collect the fields, then add the methods."""
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(kind)
    declared = made.__dataclass_params__  # what inherits from the class, and libraries, go by these
    declared.init = declared.repr = declared.eq = declared.frozen = True
    own = fields(made)
    key = key_of([one.name for one in own if one.compare])

    def __eq__(self: Any, other: Any) -> bool:
        return bool(key(self) == key(other)) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(key(self))

    methods = {"__init__": compile_init(made, own), "__eq__": __eq__, "__hash__": __hash__}
    for name, method in (vars(FrozenMethods) | methods).items():
        if name in METHODS and kind.__dict__.get(name) is None:
            setattr(made, name, method)
    return made


def key_of(names: list[str]) -> Callable[[object], object]:
    """Return what reads the fields of these names."""
    return attrgetter(*names) if names else lambda _: ()


def compile_init(kind: Any, own: Iterable[Field[Any]]) -> Any:
    """Return the constructor."""
    known: dict[str, Any] = {"set": object.__setattr__, "FACTORY": FACTORY}
    parameters = {False: ["self"], True: ["*"]}
    body = []
    for one in own:
        name, default = one.name, f"default_{one.name}"
        value = name
        if one.default is not MISSING:
            known[default] = one.default
        elif one.default_factory is not MISSING:
            known[default], value = one.default_factory, f"{default}() if {name} is FACTORY else {name}"
        given = name if default not in known else f"{name}={default if value == name else 'FACTORY'}"
        parameters[bool(one.kw_only)].append(given)
        body.append(f" set(self, {name!r}, {value})")
    if hasattr(kind, "__post_init__"):
        body.append(" self.__post_init__()")
    listed = [*parameters[False], *(parameters[True] if len(parameters[True]) > 1 else ())]
    exec(f"def __init__({', '.join(listed)}):\n" + ("\n".join(body) or " pass"), known)  # as dataclasses do
    init = known["__init__"]
    init.__qualname__ = f"{kind.__qualname__}.__init__"
    init.__annotations__ = {one.name: one.type for one in own} | {"return": None}
    return init


class FrozenMethods:
    """The methods that are the same for all classes."""

    def __repr__(self: Any) -> str:
        shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self: Any) -> list[Any]:
        return [getattr(self, one.name) for one in fields(self)]

    def __setstate__(self: Any, state: list[Any]) -> None:
        for one, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, one.name, value)
