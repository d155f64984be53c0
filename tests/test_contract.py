"""Test that the contract and its documentation agree, and that every hook is exercised."""

import ast
import dataclasses
import inspect
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest

import openkoi_hookspecs
import openkoi_testing
from openkoi_hookspecs import events, hooks

ROOT = Path(__file__).parent.parent
MOMENTS = [one for one in vars(hooks).values() if hasattr(one, "openkoi_spec")]
HEADING = re.compile(r"^### (.+)$", re.MULTILINE)


def heading(moment: Callable[..., object]) -> str:
    signature = inspect.signature(moment)
    return f"{moment.__name__}({', '.join(signature.parameters)}) -> {answer(signature.return_annotation)}"


def answer(hint: Any) -> str:
    if hint is None:
        return "None"
    first = get_args(hint)[0]
    if get_origin(first) is None:
        return str(first.__name__)
    return f"Sequence[{get_args(first)[0].__name__}]"


def test_every_moment_is_documented_with_its_exact_signature() -> None:
    documented = HEADING.findall((ROOT / "hookspecs" / "HOOKS.md").read_text())

    assert sorted(map(heading, MOMENTS)) == sorted(documented)


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.__name__)
def test_every_moment_says_when_it_is_called_and_has_a_scenario(moment: Callable[..., object]) -> None:
    scenarios = ast.parse((ROOT / "tests" / "test_hooks.py").read_text())
    names = {node.name for node in ast.walk(scenarios) if isinstance(node, ast.FunctionDef)}

    assert (moment.__doc__ or "").startswith("Called")
    assert any(name.startswith(f"test_{moment.__name__}_") for name in names)


@pytest.mark.row("PLUG-04")
def test_the_ten_moments_of_the_specification_are_there() -> None:
    ten = {
        *("before_plan", "after_plan", "before_execute", "after_execute", "before_evaluate", "after_evaluate"),
        *("on_learning", "on_pattern", "message_received", "message_sending"),
    }

    assert ten < {moment.__name__ for moment in MOMENTS}


def public_names() -> list[tuple[str, Any]]:
    return [(name, getattr(openkoi_hookspecs, name)) for name in vars(openkoi_hookspecs)["__all__"]]


def test_the_flat_namespace_is_what_it_says_it_is() -> None:
    assert sorted(vars(openkoi_hookspecs)["__all__"]) == list(vars(openkoi_hookspecs)["__all__"])
    assert len(set(vars(openkoi_hookspecs)["__all__"])) == len(vars(openkoi_hookspecs)["__all__"])


@pytest.mark.parametrize(("name", "thing"), public_names())
def test_everything_public_is_documented(name: str, thing: Any) -> None:
    if inspect.isclass(thing):
        assert (thing.__doc__ or "").strip(), name
        for member in vars(thing).values():
            if inspect.isfunction(member) and not member.__name__.startswith("_"):
                assert (member.__doc__ or "").strip(), f"{name}.{member.__name__}"


@pytest.mark.parametrize(("name", "thing"), public_names())
def test_facts_are_frozen_and_slotted(name: str, thing: Any) -> None:
    if dataclasses.is_dataclass(thing) and inspect.isclass(thing):
        assert thing.__dataclass_params__.frozen, name  # type: ignore[attr-defined]  # every dataclass has them
        assert "__dict__" not in dir(thing), name


def test_event_names_are_unique_and_dotted_or_plain_words() -> None:
    kinds = [kind for kind in vars(events).values() if inspect.isclass(kind) and issubclass(kind, events.Event)]
    names = [kind.name for kind in kinds if kind.name]

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z_]+(\.[a-z_]+)*", name) for name in names)


OURS = {
    *("Koi", "Run", "Handle", "OpenedKoi", "Launcher", "Reader", "InstalledPlugin", "Configuration"),  # which we give
    *("MemoryReader", "ShadowMemory"),  # made by a memory that supports it
    "SupportsConnect",  # asks the user of a service, which is different for each
}


def protocols() -> set[str]:
    """Return the names of the protocols that plugins implement."""
    modules = (ROOT / "hookspecs" / "src").rglob("*.py")
    nodes = [node for module in modules for node in ast.walk(ast.parse(module.read_text()))]
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    return {one.name for one in classes if "Protocol" in map(ast.unparse, one.bases)} - OURS


def test_every_protocol_has_a_suite() -> None:
    suites = (ROOT / "plugins" / "testing" / "src" / "openkoi_testing" / "contracts").glob("*.py")
    tested = set(re.findall(r"\w+", "".join(suite.read_text() for suite in suites)))

    assert set() == protocols() - tested


def test_every_kind_of_plugin_names_its_suite() -> None:
    page = (ROOT / "hookspecs" / "PLUGINS.md").read_text()
    suites = [name for name in vars(openkoi_testing)["__all__"] if name.endswith("Contract")]

    assert [] == [name for name in suites if f"`{name}`" not in page]


def test_the_page_of_facts_is_up_to_date() -> None:
    """Run .ci/facts after a change of a fact or an event."""
    page = runpy.run_path(str(ROOT / ".ci" / "facts"))["facts_page"]()

    assert page == (ROOT / "hookspecs" / "FACTS.md").read_text()


def test_every_event_of_the_contract_is_on_the_page_of_facts() -> None:
    page = (ROOT / "hookspecs" / "FACTS.md").read_text()
    classes = [one for one in vars(events).values() if inspect.isclass(one) and issubclass(one, events.Event)]

    assert [] == [one.name for one in classes if one.name and f"### {one.__name__} `{one.name}`" not in page]
