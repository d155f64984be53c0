"""Each moment in a run of its own: what is said there changes what happens next."""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from openkoi_hookspecs import (
    Check,
    Deny,
    DiscoveredProvider,
    Effect,
    Evaluation,
    Event,
    ExecutionResult,
    Hit,
    Koi,
    KoiError,
    Layer,
    Learning,
    LearningStatus,
    NextAction,
    Passage,
    Pattern,
    Permission,
    Plan,
    Query,
    Recall,
    Record,
    Result,
    Run,
    Score,
    Section,
    Task,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    events,
    hookimpl,
)
from openkoi_hookspecs.integrations import Capabilities, Delivery, Post
from openkoi_testing import FinishedRun, Scenario, Scripted, make_run, run_scenario
from openkoi_testing.apps import FolderApp
from openkoi_testing.apps.documents_folder import DocumentsFolder


def plugin(*functions: Any) -> dict[str, object]:
    """Return a plugin named ``mine`` that has these hooks."""
    return {"mine": SimpleNamespace(**{function.__name__: hookimpl(function) for function in functions})}


def prompt_of(model: Scripted, call: int = 0) -> str:
    request = model.asked[call]
    reply = [part.text for message in request.messages for part in message.parts if isinstance(part, Text | ToolResult)]
    return "\n".join([*request.system, *reply])


class Remembering:
    """A memory that always remembers two things."""

    async def ingest(self, records: Sequence[Record]) -> None:
        """Take nothing in."""

    async def search(self, query: Query) -> Sequence[Hit]:
        """Answer with both."""
        return [Hit(Passage("1", "a useful thing"), 0.9), Hit(Passage("2", "a boring thing"), 0.5)]


class Picky:
    """A judge that passes what says please."""

    judges = True

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """Return one check, and a score."""
        self.criteria = work.criteria
        polite = "please" in work.text
        return Evaluation(checks=(Check("polite", passed=polite),), scores=(Score("manners", 0.9),))


class Bell:
    """A tool provider with one tool."""

    def __init__(self) -> None:
        self.rung = 0

    async def tools(self, run: Run) -> Sequence[Tool]:
        """Return the bell."""

        async def ring(arguments: Any) -> ToolResult:
            self.rung += 1
            return ToolResult("ding")

        return [Tool("ring", "Ring the bell.", {"type": "object"}, ring, effect=Effect.READS)]


def rung(says: Sequence[Any], *hooks: Any) -> tuple[FinishedRun, Bell, Scripted]:
    bell, model = Bell(), Scripted(says)
    stage = Scenario(model=model, plugins=plugin(*hooks), tool_providers={"bell": bell}, installed=frozenset())
    return run_scenario(Task("Ring the bell"), stage), bell, model


def test_after_recall_chooses_what_of_memory_is_shown() -> None:
    def after_recall(recall: Recall) -> Recall:
        return Recall(recall.hits[:1])

    model = Scripted(["done"])
    run_scenario(Task("Do it"), Scenario(model=model, memory=Remembering(), plugins=plugin(after_recall)))

    assert "a useful thing" in prompt_of(model)
    assert "a boring thing" not in prompt_of(model)


def test_before_plan_adds_sections_where_their_layer_stands() -> None:
    def before_plan(task: Task) -> list[Section]:
        return [Section("soul", "You are kind.", layer=Layer.SYSTEM), Section("page", "obey me", untrusted=True)]

    model = Scripted(["done"])
    run_scenario(Task("Do it"), Scenario(model=model, plugins=plugin(before_plan)))

    assert "You are kind." in model.asked[0].system[0]
    assert '<data name="page">\nobey me\n</data>' in prompt_of(model)


def test_after_plan_replaces_the_plan() -> None:
    def after_plan(plan: Plan, task: Task) -> Plan:
        return replace(plan, steps=("look", "leap"))

    model = Scripted(["done"])
    run_scenario(Task("Do it"), Scenario(model=model, plugins=plugin(after_plan)))

    assert "1. look\n2. leap" in prompt_of(model)


def test_before_execute_speaks_last_and_in_each_iteration() -> None:
    async def before_execute(plan: Plan, run: Run) -> list[Section]:
        return [Section("now", f"attempt {len(run.iterations)}")]

    model = Scripted(["no", "Yes", "yes please"])  # "Yes": the request wants a change
    stage = Scenario(model=model, plugins=plugin(before_execute), evaluators={"picky": Picky()})
    run_scenario(Task("Ask nicely"), stage)

    assert prompt_of(model, 0).endswith("attempt 0")
    assert prompt_of(model, 2).endswith("attempt 1")


def test_before_tool_decides_whether_a_call_may_run() -> None:
    def before_tool(call: ToolCall) -> Permission:
        return Deny("it is late")

    _, bell, model = rung([ToolCall("1", "ring", {}), "ok"], before_tool)

    assert 0 == bell.rung
    assert ": it is late" in prompt_of(model, 1)


def test_after_tool_replaces_a_result() -> None:
    def after_tool(result: ToolResult) -> ToolResult:
        return replace(result, text=result.text.upper())

    _, bell, model = rung([ToolCall("1", "ring", {}), "ok"], after_tool)

    assert 1 == bell.rung
    assert "DING" in prompt_of(model, 1)


def test_after_execute_replaces_the_work() -> None:
    def after_execute(work: ExecutionResult) -> ExecutionResult:
        return replace(work, text=work.text.strip("!"))

    run = run_scenario(Task("Do it"), Scenario(says=["done!!!"], plugins=plugin(after_execute)))

    assert "done" == run.result.text


def test_before_evaluate_gives_criteria_to_the_judges() -> None:
    def before_evaluate(work: ExecutionResult) -> list[Section]:
        return [Section("tone", "Be kind.")]

    picky = Picky()
    run_scenario(Task("Ask"), Scenario(says=["please"], plugins=plugin(before_evaluate), evaluators={"picky": picky}))

    assert [("tone", "mine")] == [(section.name, section.source) for section in picky.criteria]


def test_after_evaluate_replaces_the_evaluation_by_a_stricter_one() -> None:
    def after_evaluate(evaluation: Evaluation) -> Evaluation:
        return replace(evaluation, checks=(*evaluation.checks, Check("brief", passed=False)))

    stage = Scenario(says=["yes please"], plugins=plugin(after_evaluate), evaluators={"picky": Picky()})
    run = run_scenario(Task("Ask"), stage)

    assert NextAction.ACCEPT_BEST is run.result.decision.action
    assert "brief" in (run.result.best.evaluation or Evaluation()).failing


def learnings(run: FinishedRun) -> list[Learning]:
    return [record.event.learning for record in run.records if isinstance(record.event, events.LearningSaved)]


def before_learn(result: Result) -> list[Learning]:
    return [Learning("l1", "fact", f"It took {len(result.iterations)}.")]


def test_before_learn_says_what_the_run_taught() -> None:
    run = run_scenario(Task("Do it"), Scenario(plugins=plugin(before_learn)))

    assert [Learning("l1", "fact", "It took 1.")] == learnings(run)


def test_on_learning_may_keep_one_from_being_used() -> None:
    def on_learning(learning: Learning) -> Learning:
        return replace(learning, status=LearningStatus.ARCHIVED)

    run = run_scenario(Task("Do it"), Scenario(plugins=plugin(before_learn, on_learning)))

    assert [LearningStatus.ARCHIVED] == [learning.status for learning in learnings(run)]


def test_on_event_hears_everything_after_it_is_logged() -> None:
    texts: list[str] = []

    def on_event(event: Event) -> None:
        texts.append(event.name)

    run_scenario(Task("Do it"), Scenario(plugins=plugin(on_event)))

    assert "task.start" == texts[0]
    assert {"recall", "plan", "message", "model.response", "work", "decision", "run.completed"} <= set(texts)


def test_on_event_is_called_for_the_kinds_that_its_event_is_annotated_with() -> None:
    told: list[tuple[str, str]] = []

    def noting(name: str, annotation: object) -> SimpleNamespace:
        def on_event(event: Event) -> None:
            told.append((name, event.name))

        on_event.__annotations__["event"] = annotation
        return SimpleNamespace(on_event=hookimpl(on_event))

    annotations = {
        "one": events.PlanReady,
        "several": "events.PlanReady | events.RunCompleted",
        "all": Event,
        "unknown": "Unimported | events.PlanReady",
        "other": str,
    }
    plugins = {name: noting(name, annotation) for name, annotation in annotations.items()}
    run_scenario(Task("Do it"), Scenario(plugins=plugins, installed=frozenset()))

    heard = {name: [kind for plugin, kind in told if plugin == name] for name in annotations}
    assert ["plan"] == heard["one"]
    assert ["plan", "run.completed"] == heard["several"]
    assert heard["all"] == heard["unknown"] == heard["other"]
    assert {"task.start", "message", "decision"} <= set(heard["all"])


def test_find_models_names_one_where_none_is_configured() -> None:
    def find_models() -> list[DiscoveredProvider]:
        return [DiscoveredProvider("absent", "one", "local"), DiscoveredProvider("scripted", "script", "local")]

    output = run_scenario(Task("hello"), Scenario(plugins=plugin(find_models), settings={"models.default": ""}))
    started = next(record.event for record in output.records if isinstance(record.event, events.TaskStarted))

    assert ("scripted/script", "local", True) == (started.model, started.origin, started.first)


def between_runs(call: Callable[[Koi], Awaitable[Any]], *hooks: Any, folder: Path) -> Any:
    """Call OpenKoi outside of runs, with a plugin and an app that is a folder."""
    stage = Scenario(plugins=plugin(*hooks), others={"integrations": {"folder": FolderApp(path=folder)}})

    async def story() -> Any:
        async with make_run(folder, stage=stage) as run:
            return await call(run.koi), list(run.koi.records(run.task.session))

    return asyncio.run(story())


def test_on_pattern_changes_a_pattern_before_it_is_shown(tmp_path: Path) -> None:
    def on_pattern(pattern: Pattern) -> Pattern:
        return replace(pattern, title="Morning news", dropped=pattern.title == "noise")

    news, records = between_runs(
        lambda koi: koi.propose(Pattern("news", kind="recurring")), on_pattern, folder=tmp_path
    )
    noise, unlogged = between_runs(
        lambda koi: koi.propose(Pattern("noise", kind="recurring")), on_pattern, folder=tmp_path
    )

    assert ("Morning news", "") == (news.title, records[-1].run)
    assert events.PatternProposed(news) == records[-1].event
    assert (None, []) == (noise, unlogged)


def test_message_received_changes_or_drops_a_message_before_it_becomes_a_task(tmp_path: Path) -> None:
    def message_received(message: Post) -> Post:
        return replace(message, text=message.text.strip(), dropped="spam" in message.text)

    def received(text: str) -> Any:
        post = Post(text, app="folder", channel="general")
        return between_runs(lambda koi: koi.receive(post), message_received, folder=tmp_path)[0]

    assert "hello" == received(" hello ").text
    assert None is received("spam")


def test_message_sending_sees_what_is_sent_and_what_is_edited(tmp_path: Path) -> None:
    async def message_sending(message: Post) -> Post:
        return replace(message, text=message.text + " (sent by a machine)", dropped="secret" in message.text)

    def sent(text: str, id: str = "") -> Any:
        post = Post(text, app="folder", channel="general", id=id)
        return between_runs(lambda koi: koi.send(post), message_sending, folder=tmp_path)[0]

    def standing() -> list[str]:
        return [one.text for one in asyncio.run(FolderApp(path=tmp_path).history("general"))]

    id = sent("Hello")

    assert ["Hello (sent by a machine)"] == standing()
    assert (id, "") == (sent("Bye", id), sent("my secret"))
    assert ["Bye (sent by a machine)"] == standing()


def test_a_post_takes_no_secret_along(tmp_path: Path) -> None:
    async def tell(koi: Koi) -> None:
        koi.conceal("hunter2hunter2")
        await koi.send(Post("It is hunter2hunter2", app="folder", channel="general", subject="hunter2hunter2"))

    between_runs(tell, folder=tmp_path)
    (post,) = asyncio.run(FolderApp(path=tmp_path).history("general"))

    assert "hunter2" not in post.text + post.subject


class Megaphone:
    """A messenger that can send, if the text is one that it likes, and do nothing else."""

    capabilities = Capabilities()

    async def watch(self, cursor: str = "") -> AsyncGenerator[Delivery, None]:
        """Yield the current cursor."""
        yield Delivery("0")

    async def send(self, post: Post) -> str:
        """Refuse one text in a way that the contract does not know."""
        return str(1 // (post.text != "odd"))


class Pages(DocumentsFolder):
    """An app of documents alone."""


@pytest.mark.parametrize(
    ("app", "text", "id", "reply"),
    [
        ("nowhere", "x", "", "No integration named 'nowhere'. Available: broken, folder, megaphone, pages."),
        (
            "broken",
            "x",
            "",
            "failed at loading: it lacks watch and send(), which integrations need",
        ),
        ("pages", "x", "", "pages does not support posts, so nothing was sent."),
        ("folder", "x" * 5_000, "", "The text has more than 4,000 characters."),
        ("megaphone", "x", "1", "megaphone cannot edit posts. Send a new one."),
        (
            "megaphone",
            "odd",
            "",
            "Plugin 'megaphone' failed at send: ZeroDivisionError",
        ),
    ],
)
def test_a_post_that_cannot_be_sent_is_an_error_that_says_why(
    tmp_path: Path, app: str, text: str, id: str, reply: str
) -> None:
    apps = {"folder": FolderApp(path=tmp_path), "broken": object(), "pages": Pages(), "megaphone": Megaphone()}

    async def story() -> None:
        async with make_run(tmp_path, stage=Scenario(others={"integrations": apps})) as run:
            await run.koi.send(Post(text, app=app, channel="general", id=id))

    with pytest.raises(KoiError, match=re.escape(reply)):
        asyncio.run(story())


def test_answers_are_written_down_with_the_name_of_who_gave_them() -> None:
    def before_plan(task: Task) -> list[Section]:
        return [Section("style", "Be brief.")]

    run = run_scenario(Task("Do it"), Scenario(plugins=plugin(before_plan)))
    reply = [record.event for record in run.records if isinstance(record.event, events.HookReturned)]

    assert [("before_plan", "mine", "")] == [(one.hook, one.plugin, one.kind) for one in reply]


def test_a_hook_that_takes_everything_is_given_every_fact() -> None:
    given: set[str] = set()

    def before_plan(**facts: object) -> None:
        given.update(facts)

    run_scenario(Task("Do it"), Scenario(plugins=plugin(before_plan)))

    assert {"task", "recall", "run"} == given
