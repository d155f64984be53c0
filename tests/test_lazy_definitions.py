"""Test that lazily defined classes and packages behave like ordinary ones."""

import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import KW_ONLY, FrozenInstanceError, field, fields, replace
from inspect import signature
from pathlib import Path
from typing import Any, ClassVar, get_type_hints

import pytest

from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A point."""

    kind: ClassVar[str] = "point"
    x: int
    y: "int" = 0
    _: KW_ONLY
    name: str = field(default="", compare=False)
    tags: list[str] = field(default_factory=list, repr=False)


@dataclass(frozen=True, slots=True)
class Cube(Point):
    z: int = field(kw_only=True)


@dataclass(slots=True)
class Counter:
    start: int
    count: int = field(init=False)

    def __post_init__(self) -> None:
        self.count = self.start


def define(decorate: Any) -> Any:
    """Define a class by either function."""

    @decorate(frozen=True, slots=True)
    class Fact:
        kind: ClassVar[str] = "fact"
        x: int
        y: "int" = 0
        _: KW_ONLY
        name: str = field(default="", compare=False)
        tags: list[str] = field(default_factory=list, repr=False)

    return Fact


def test_it_is_what_the_library_makes() -> None:
    expected, found = define(dataclasses.dataclass), define(dataclass)

    assert str(signature(expected)) == str(signature(found))
    assert get_type_hints(expected.__init__) == get_type_hints(found.__init__)
    assert expected.__match_args__ == found.__match_args__
    assert repr(expected(1, name="a", tags=["b"])) == repr(found(1, name="a", tags=["b"]))
    assert [(one.name, one.kw_only) for one in fields(expected)] == [(one.name, one.kw_only) for one in fields(found)]


@pytest.mark.parametrize("call", [lambda: Point(), lambda: Point(1, 2, "a"), lambda: Point(1, z=3)])  # type: ignore[call-arg]
def test_wrong_arguments_are_an_error(call: Callable[[], Point]) -> None:
    with pytest.raises(TypeError):
        call()


@pytest.mark.parametrize("wrong", [((), {}), ((1, 2, "a"), {}), ((1,), {"z": 3}), ((1,), {"x": 1})])
def test_wrong_arguments_are_explained_as_the_library_does(wrong: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
    arguments, named = wrong
    explained = []
    for decorate in (dataclasses.dataclass, dataclass):
        with pytest.raises(TypeError) as error:
            define(decorate)(*arguments, **named)
        explained.append(str(error.value))

    assert explained[0] == explained[1]


def test_instances_are_alike_before_and_after_the_constructor_is_compiled() -> None:
    kind = define(dataclass)
    made = [kind(1, name="a", tags=["b"]) for _ in range(30)]
    defaults = [kind(number) for number in range(30)]

    assert 1 == len({repr(one) for one in made})
    assert (0, "", []) == (defaults[0].y, defaults[0].name, defaults[0].tags)
    assert 30 == len({id(one.tags) for one in defaults})


def test_a_constructor_of_a_subclass_may_call_that_of_its_base() -> None:
    class Named(Point):
        __slots__ = ()

        def __init__(self, name: str) -> None:
            super().__init__(1, name=name)

    assert [("n", 1)] * 20 == [(Named("n").name, Named("n").x) for _ in range(20)]


def test_facts_are_compared_by_their_fields() -> None:
    assert Point(1, name="a") == Point(1, name="b")
    assert Point(1) != Point(2)
    assert Point(1) != Cube(1, z=0)
    with pytest.raises(TypeError):
        hash(Counter(1))


def test_facts_are_frozen_and_copied() -> None:
    point = Point(1, tags=["a"])

    with pytest.raises(FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    assert Point(2, tags=["a"]) == replace(point, x=2)
    assert point == pickle.loads(pickle.dumps(point))
    assert not hasattr(point, "__dict__")


def test_a_mutable_default_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="use default_factory"):

        @dataclass(frozen=True, slots=True)
        class Shared:
            tags: list[str] = []  # noqa: RUF012


def test_facts_are_copied_with_other_values() -> None:
    """``copy.replace`` of Python 3.13 calls this."""
    copied: Any = Point(1, 2)

    assert Point(3, 2) == copied.__replace__(x=3)


def test_fields_are_inherited() -> None:
    assert ["x", "y", "name", "tags", "z"] == [one.name for one in fields(Cube)]
    assert (3, "n") == (Cube(1, 2, z=3, name="n").z, Cube(1, 2, z=3, name="n").name)


def test_fields_that_are_no_parameters_are_set_afterwards() -> None:
    counter = Counter(4)
    counter.count += 1

    assert (4, 5) == (counter.start, counter.count)
    assert not hasattr(counter, "__dict__")


def test_a_package_imports_the_module_that_a_name_is_in() -> None:
    code = """
import sys, openkoi_hookspecs
before = "openkoi_hookspecs.content" in sys.modules
text = openkoi_hookspecs.Text
print(before, "openkoi_hookspecs.content" in sys.modules, "openkoi_hookspecs.hooks" in sys.modules, text.__module__)
try:
    openkoi_hookspecs.Nothing
except AttributeError as error:
    print(error)
print({*openkoi_hookspecs.__all__} <= {*dir(openkoi_hookspecs)})
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert [
        "False True False openkoi_hookspecs.content",
        "module 'openkoi_hookspecs' has no attribute 'Nothing'",
        "True",
    ] == result.stdout.splitlines()


def test_packages_that_threads_import_at_once_leave_import_as_it_was(tmp_path: Path) -> None:
    for number in range(8):
        package = tmp_path / f"lazy{number}"
        package.mkdir()
        lines = "\n".join(f"    from .part import name{one}" for one in range(5_000))
        (package / "__init__.py").write_text(
            f"from openkoi_hookspecs.lazy_exports import LazyExports\nwith LazyExports(globals()):\n{lines}\n"
        )
    script = (
        "import builtins, sys, threading, openkoi_hookspecs\n"
        "sys.setswitchinterval(1e-6)\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "before = builtins.__import__\n"
        "threads = [threading.Thread(target=__import__, args=(f'lazy{one}',)) for one in range(8)]\n"
        "[one.start() for one in threads]\n"
        "[one.join() for one in threads]\n"
        "print(builtins.__import__ is before)\n"
    )
    assert "True\n" == subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout
