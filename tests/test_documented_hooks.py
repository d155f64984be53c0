"""Every example of HOOKS.md is installed and does in a real run what the page says."""

import inspect
import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from cli_process import shell, write_script
from documented_plugins import Example, configure, example_of, examples, logged
from test_contract import MOMENTS

from openkoi_hookspecs import Event, Learning, LearningStatus, Part, Record, Text, events

E = TypeVar("E", bound=Event)
PAGE = "HOOKS.md"
BASE = {
    "evaluators": {"judge": {"enabled": False}},
    "hooks": {
        "acme-many-calls": {"limit": 2},
        "acme-team-only": {"team": ["ann"]},
        "guard": {"enabled": False},
        "learning": {"withheld": 0.0},  # one run in ten is not shown similar tasks, for comparison
    },
    "use": {"sandbox": "plain"},
    "iteration": {"max_iterations": 2},
}
PROGRAM = '''
import json
from dataclasses import asdict

import click
from openkoi_hookspecs import Koi, Pattern, Task, events
from openkoi_hookspecs.integrations import Post, Sender


@click.command()
@click.pass_obj
async def drive(koi: Koi) -> None:
    """Do a task twice, so that the second run recalls the first, and call every verb between runs."""
    heard, texts = [], []
    koi.listen(lambda record: heard.append(record.event))
    for _ in range(2):
        texts.append((await koi.solve(Task("Change the schema", channel="chat"))).text)
        await koi.drain()  # else the second run may begin before the first has learned
    patterns = [await koi.propose(Pattern(f"{days} days", kind="recurring", days=days)) for days in (2, 5)]
    senders = [Sender("ann", authenticated=True), Sender("ann"), Sender("bob", authenticated=True)]
    posts = [await koi.receive(Post(one.id, app="folder", channel="general", sender=one)) for one in senders]
    await koi.send(Post("Hello", app="folder", channel="general"))
    app = await koi.load("integrations", "folder")
    print(json.dumps({
        "texts": texts,
        "patterns": [one and one.title for one in patterns],
        "received": [one and one.text for one in posts],
        "sent": [one.text for one in await app.history("general")],
        "warned": [one.text for one in heard if isinstance(one, events.WarningIssued)],
    }))
'''
AUTHOR = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
WRITE = "{tool: write_file, arguments: {path: %s, content: %s}}"
FIRST = ", ".join(
    (
        WRITE % ("schema.sql", "one"),
        WRITE % ("customers/list.txt", "one"),
        WRITE % ("generated/code.py", "one"),
        "{tool: read_file, arguments: {path: contacts.txt}}",
    )
)
TURNS = (
    f"  - when: {{contains: Change the schema, after: 0}}\n    calls: [{FIRST}]\n    repeat: true\n"
    f"  - when: {{last: without a migration}}\n    calls: [{WRITE % ('migrations/1.sql', 'one')}, "
    f"{WRITE % ('notes.md', 'one')}]\n    repeat: true\n"
    '  - says: "Done.\\nLet me know if you need more."\n    repeat: true\n'
)


@dataclass(frozen=True, slots=True)
class Driven:
    """The program's output and the log."""

    facts: Mapping[str, Any]
    records: Sequence[Record]

    def of(self, kind: type[E]) -> list[E]:
        """All events of a class."""
        return [record.event for record in self.records if isinstance(record.event, kind)]

    @property
    def sections(self) -> str:
        """The texts of all sections in the plans."""
        return "\n".join(section.text for one in self.of(events.PlanReady) for section in one.plan.sections)

    @property
    def prompts(self) -> str:
        """What the runs added to their conversations."""
        return "\n".join(part.text for part in parts(self.of(events.MessageAdded)) if isinstance(part, Text))

    @property
    def results(self) -> str:
        """The results of tools."""
        return "\n".join(one.result.text for one in self.of(events.ToolCallFinished))

    @property
    def learnings(self) -> list[Learning]:
        """What was saved."""
        return [one.learning for one in self.of(events.LearningSaved)]

    @property
    def answered(self) -> Mapping[str, str]:
        """The last answers of the examples, by hook."""
        return {one.hook: repr(one.answer) for one in self.of(events.HookReturned) if one.plugin.startswith("acme-")}


def parts(added: Sequence[events.MessageAdded]) -> list[Part]:
    return [part for one in added for part in one.message.parts]


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> Driven:
    """All examples of the page are installed at once, and a program does a task twice."""
    folder = tmp_path_factory.mktemp("hooks")
    openkoi = shell(folder)
    shown = [one for one in examples() if one.page == PAGE]
    configure(openkoi, *(one.settings for one in shown), BASE, app_settings(folder))
    openkoi = openkoi.with_plugin(PROGRAM, commands="acme:drive")
    for one in shown:
        openkoi = one.installed(openkoi)
    (openkoi.folder / "GLOSSARY.md").write_text("A koi is a fish.")
    (openkoi.folder / "contacts.txt").write_text("Ask ann@example.org about it.")
    for command in (["init", "-q"], [*AUTHOR, "commit", "-q", "--allow-empty", "-m", "The first commit"]):
        subprocess.run(["git", *command], cwd=openkoi.folder, check=True)
    write_script(folder, TURNS)
    result = openkoi.with_environment(ACME_MODEL=f"scripted/{folder / 'script.yaml'}")("acme")
    assert 0 == result.returncode, result.stderr
    return Driven(json.loads(result.stdout), logged(openkoi))


def app_settings(folder: Path) -> Mapping[str, Any]:
    (folder / "app").mkdir()
    return {"integrations": {"folder": {"path": str(folder / "app")}}}


def relevances(driven: Driven) -> list[float]:
    return [hit.relevance for one in driven.of(events.RecallFinished) for hit in one.recall.hits]


def standings(driven: Driven, key: str) -> set[LearningStatus]:
    """The status of the learnings about a path."""
    return {one.status for one in driven.learnings if key in one.keys}


EFFECTS: Mapping[str, Callable[[Driven], bool]] = {
    "after_recall": lambda driven: min(relevances(driven)) >= 0.5 and "after_recall" in driven.answered,
    "before_plan": lambda driven: "A koi is a fish." in driven.sections,
    "after_plan": lambda driven: "End with one sentence" in repr(driven.of(events.PlanReady)),
    "before_execute": lambda driven: "are left for this task." in driven.prompts,
    "before_tool": lambda driven: "made by `make code`" in driven.results,
    "after_tool": lambda driven: "Ask [e-mail address] about it." in driven.results,
    "after_execute": lambda driven: ["Done."] * 2 == driven.facts["texts"],
    "before_evaluate": lambda driven: "it can be pasted and run" in driven.answered["before_evaluate"],
    "after_evaluate": lambda driven: "without a migration" in repr(driven.of(events.EvaluationFinished)),
    "before_learn": lambda driven: any("needed 2 iterations" in one.text for one in driven.learnings),
    "on_learning": lambda driven: {LearningStatus.ARCHIVED} == standings(driven, "customers/list.txt"),
    "on_event": lambda driven: "This task has made 2 tool calls. Consider splitting it." in driven.facts["warned"],
    "find_models": lambda driven: {"from ACME_MODEL"} == {one.origin for one in driven.of(events.TaskStarted)},
    "on_pattern": lambda driven: [None, "5 days"] == driven.facts["patterns"],
    "message_received": lambda driven: ["ann", None, None] == driven.facts["received"],
    "message_sending": lambda driven: ["Hello\n(written by a machine)"] == driven.facts["sent"],
}


@pytest.mark.parametrize("hook", MOMENTS, ids=lambda hook: hook.__name__)
def test_the_example_of_a_hook_does_in_a_run_what_the_page_says(hook: Callable[..., object], driven: Driven) -> None:
    assert EFFECTS[hook.__name__](driven), driven.facts


def test_the_first_plugin_and_the_one_with_settings_are_in_the_prompt(driven: Driven) -> None:
    assert "Use no exclamation marks." in driven.sections
    assert "Write for beginners. (reminder 2)" in driven.prompts


def test_a_hook_calls_a_tool_and_shows_its_result(driven: Driven) -> None:
    assert " The first commit" in driven.prompts


def test_no_example_of_the_page_is_warned_of(driven: Driven) -> None:
    names = {name for one in examples() if one.page == PAGE for points in one.entry_points.values() for name in points}

    assert [] == [text for text in driven.facts["warned"] for name in names if f"'{name}'" in text]


@pytest.mark.parametrize("hook", MOMENTS, ids=lambda hook: hook.__name__)
def test_every_parameter_is_listed_with_its_type(hook: Callable[..., object]) -> None:
    page = (Path(__file__).parent.parent / "hookspecs" / PAGE).read_text()
    section = page.partition(f"### {hook.__name__}(")[2].partition("\n### ")[0]
    lines = [line for line in section.splitlines() if line.startswith("- `")]

    wanted = [f"- `{name}: {one.annotation.__name__}`" for name, one in inspect.signature(hook).parameters.items()]
    assert wanted == [line[: line.index("`", 3) + 1] for line in lines]


def test_the_example_of_each_hook_is_a_plugin_of_its_own() -> None:
    examples: Sequence[Example] = [example_of(hook.__name__) for hook in MOMENTS]

    assert all(f"def {one.heading.partition('(')[0]}(" in "".join(one.modules.values()) for one in examples)
