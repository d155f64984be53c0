"""What a described agent adds to a run: its instructions, and a person's word before what it names."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from openkoi_agents import AgentHook
from openkoi_agents.named_paths import named_paths
from openkoi_base.schema.protected_paths import first_protected
from openkoi_hookspecs import (
    Agent,
    Arguments,
    Ask,
    Json,
    Layer,
    Limits,
    Permission,
    Question,
    Record,
    Result,
    StopReason,
    Task,
    TextIncludes,
    Tool,
    ToolCall,
    ToolResult,
    events,
)
from openkoi_testing import FinishedRun, Scenario, make_run, run_scenario

ONCE = Limits(iterations=0)


def task(**agent: object) -> Task:
    return Task("Clean the pond", limits=ONCE, agent=Agent(name="carp", **agent))  # type: ignore[arg-type]  # fields of any kind


def write(path: str, id: str = "") -> ToolCall:
    return ToolCall(id, "write_file", {"path": path, "content": "wet"})


def answers(records: Sequence[Record]) -> list[str]:
    return [record.event.result.text for record in records if isinstance(record.event, events.ToolCallFinished)]


def asked_of(
    replies: dict[str, str], stage: Scenario, one: Task, workspace: Path
) -> tuple[Result, list[Record], list[str]]:
    """Do a task where a person answers each question by the file that it is about."""
    texts: list[str] = []

    async def answer(question: Question) -> str | None:
        texts.append(question.text)
        return next((reply for file, reply in replies.items() if file in question.text), None)

    async def live() -> tuple[Result, list[Record]]:
        koi = stage.build_app(workspace, workspace.parent / "home")
        koi.attend(answer)
        async with koi:
            result = await koi.solve(one)
            return result, list(koi.records(koi.session))

    return (*asyncio.run(live()), texts)


@pytest.fixture
def pond(tmp_path: Path) -> Path:
    workspace = tmp_path / "pond"
    workspace.mkdir()
    return workspace


def rehearsed(one: Task, *says: object, workspace: Path | None = None) -> FinishedRun:
    return run_scenario(one, Scenario(says=says, plugins={"agents": AgentHook()}), workspace)  # type: ignore[arg-type]  # lines of any kind


def test_its_instructions_are_in_the_steady_part_of_the_prompt_and_say_whose_they_are() -> None:
    ours, agent = rehearsed(task(instructions="You are kind."), "done").result.best.plan.sections

    assert "instructions" == ours.name
    assert ("agent", "You are kind.", Layer.SYSTEM, "agents") == (agent.name, agent.text, agent.layer, agent.source)


def test_a_task_without_an_agent_and_an_agent_without_instructions_add_nothing() -> None:
    for one in (Task("Clean it"), task()):
        assert ["instructions"] == [section.name for section in rehearsed(one, "done").result.best.plan.sections]


@pytest.mark.row("FLOW-09", "LOOP-18", "LOOP-19")
def test_of_two_gated_calls_at_once_one_is_approved_and_one_rejected(pond: Path) -> None:
    both = [write("clean.txt", "one"), write("dirty.txt", "two")]
    stage = Scenario(says=[both, "It is clean. OVER"], plugins={"agents": AgentHook()})
    agent = task(approvals=("write_*",), conditions=(TextIncludes("OVER"),))

    result, records, texts = asked_of({"clean.txt": "yes", "dirty.txt": "leave it"}, stage, agent, pond)

    assert 2 == len(texts)
    assert all("carp needs your approval to use write_file." in text for text in texts)
    assert ["clean.txt"] == [file.name for file in pond.iterdir()]
    assert any("leave it" in text for text in answers(records))
    assert (StopReason.DONE, "It is clean. OVER") == (result.best.work.ended, result.text)


@pytest.mark.row("LOOP-18")
def test_a_protected_path_is_written_to_only_when_a_person_allows_it_and_read_freely(pond: Path) -> None:
    (pond / "infra").mkdir()
    (pond / "infra" / "pump.txt").write_text("on")
    calls = [ToolCall("a", "read_file", {"path": "infra/pump.txt"}), write("infra/new.txt", "b"), write("ok.txt", "c")]
    stage = Scenario(says=[calls, "done"], plugins={"agents": AgentHook()})

    _, _, texts = asked_of({"infra": "no"}, stage, task(protected=("infra/**",)), pond)

    assert 1 == len(texts)
    assert texts[0].startswith("agents: infra/new.txt is protected by 'infra/**'")
    assert not (pond / "infra" / "new.txt").exists()
    assert (pond / "ok.txt").exists()


def test_what_a_tool_itself_says_that_it_writes_counts(pond: Path) -> None:
    async def patched(_: Arguments) -> ToolResult:
        return ToolResult("done")

    patch = Tool("patch", "Patch.", {"type": "object"}, patched, written_paths=lambda given: [str(given["hunk"])[4:]])
    call = ToolCall("a", "patch", {"hunk": "+++ infra/a.txt"})

    async def asked() -> Permission | None:
        async with make_run(pond, task=task(protected=("infra/**",))) as run:
            return AgentHook().before_tool(call, patch, run)

    assert isinstance(asyncio.run(asked()), Ask)


@pytest.mark.parametrize("tools", [("*",), ("read_file",), ("re*_file", "list_*")])
def test_approvals_are_patterns_and_hold_for_readers_too(tools: tuple[str, ...], pond: Path) -> None:
    (pond / "a.txt").write_text("wet")
    one = task(approvals=tools)

    run = rehearsed(one, ToolCall("", "read_file", {"path": "a.txt"}), "done", workspace=pond)

    assert StopReason.PERSON is run.result.best.work.ended


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "infra/a.txt"},
        {"path": "./x/../infra/a.txt"},
        {"path": "INFRA/a.txt"},
        {"path": "infra"},
        {"paths": ["ok.txt", "infra/deep/down/a.txt"]},
        {"edits": [{"filePath": "infra/a.txt"}]},
        {"target_file": "infra/a.txt"},
        {"uri": "file:///pond/infra/a%2Etxt"},
        {"command": "echo wet > infra/a.txt"},
        {"command": "echo wet >infra/a.txt"},
        {"command": "dd if=/dev/zero of=infra/a.txt"},
        {"command": "echo 'unfinished > infra/a.txt"},
        {"command": ["tee", "infra/a.txt"]},
        {"path": "linked/a.txt"},
        {"command": "sed -i s/p/q/ */a.*"},
        {"command": "cp other.txt in?ra/a.txt"},
        {"command": "echo wet > [i]nfra/a.txt"},
    ],
    ids=str,
)
def test_a_path_is_seen_however_it_is_written(arguments: dict[str, Json], pond: Path) -> None:
    (pond / "infra").mkdir()
    (pond / "infra" / "a.txt").write_text("dry\n")
    if sys.platform != "win32":
        (pond / "linked").symlink_to(pond / "infra")
    elif "linked" in str(arguments):
        pytest.skip("links need rights there")
    output = {
        name: value.replace("/pond", str(pond)) if isinstance(value, str) else value
        for name, value in arguments.items()
    }

    touched = first_protected(named_paths(output), ("infra/**",), pond)

    assert touched is not None
    assert "infra/**" == touched.glob


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "infrastructure.txt"},
        {"path": "a/infra.txt"},
        {"path": "ok.txt", "content": "infra/a.txt"},
        {"command": "echo infrared"},
        {"path": "bad\0path"},
        {"path": ""},
        {"path": 3},
    ],
    ids=str,
)
def test_what_is_not_protected_is_left_alone(arguments: dict[str, Json], pond: Path) -> None:
    assert first_protected(named_paths(arguments), ("infra/**",), pond) is None


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("*.lock", "uv.lock"),
        ("**/*.env", ".env"),
        ("**/*.env", "a/b/prod.env"),
        ("infra", "infra/deep/a.txt"),
        ("infra/", "infra/a.txt"),
        ("/etc/**", "/etc/hosts"),
        ("~/.ssh/**", "~/.ssh/id"),
        ("src/*/generated", "src/a/generated/b.py"),
    ],
)
def test_globs_mean_what_people_mean_by_them(glob: str, path: str, pond: Path) -> None:
    assert first_protected([path], (glob,), pond) is not None


def test_a_workspace_with_signs_of_globs_in_its_name_is_no_glob(tmp_path: Path) -> None:
    odd = tmp_path / "[a] pond"
    odd.mkdir()

    assert first_protected(["infra/a"], ("infra/**",), odd) is not None
