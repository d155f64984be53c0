"""Convert the facts of a call to JSON for a script, and the script's answer to the hook's result."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from openkoi_base.plain_facts import answer_from_plain, answer_type, to_plain
from openkoi_hookspecs import Cost, Koi, KoiError, Limits, Run, Section, Task
from openkoi_hookspecs.lazy_dataclass import dataclass

from .process import ScriptError

MAPPING = "=mapping"  # marks what a script sees as a dictionary; a fact is a struct


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The facts about a run for a script."""

    id: str
    outermost: str
    task: Task
    workspace: Path
    limits: Limits
    cost: Cost
    iterations: int


@dataclass(frozen=True, slots=True)
class KoiFacts:
    """The facts about OpenKoi for a script between runs."""

    workspace: Path
    session: str


def encode_facts(facts: Mapping[str, Any]) -> str:
    """Return the facts of a call as JSON; of a run and of OpenKoi, the fields without the methods."""
    return json.dumps({name: to_plain(visible_fact(name, value), mark=MAPPING) for name, value in facts.items()})


def visible_fact(name: str, value: Any) -> Any:
    """Return a fact in the form for scripts."""
    if name == "run":
        run: Run = value
        counted = len(run.iterations)
        return RunFacts(run.id, run.outermost, run.task, run.workspace, run.limits, run.cost, counted)
    if name == "koi":
        koi: Koi = value
        return KoiFacts(koi.workspace, koi.session)
    return value


def refuse_other_items(items: list[Any], kind: str) -> None:
    """Raise ScriptError for an item that is neither a text nor an object of fields."""
    if wrong := [one for one in items if not isinstance(one, (str, dict))]:
        shape = "a text, section(name, text)" if kind == "Section" else f"an object with the fields of a {kind}"
        raise ScriptError(f"returned {wrong[0]!r:.40}. Return {shape}, a list of these, or None")


def build_answer(answer: Any, hook: str, first: object, script: str) -> Any:
    """Return the answer of a hook; a single item becomes a list, and a text a section named after the script."""
    kind = answer_type(hook)
    if answer is not None and get_args(kind):
        listed = answer if isinstance(answer, list) else [answer]
        refuse_other_items(listed, get_args(kind)[0].__name__)
        answer = [{"name": script, "text": one} if isinstance(one, str) else one for one in listed]
        if get_args(kind)[0] is not Section and any(one is not two for one, two in zip(answer, listed, strict=True)):
            raise ScriptError(f"{hook} returned a string, not a {get_args(kind)[0].__name__}")
    try:
        return answer_from_plain(answer, hook, first)
    except KoiError as error:
        raise ScriptError(str(error)) from None
