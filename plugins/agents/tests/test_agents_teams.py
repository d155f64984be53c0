"""Teams at work: who hears what, when they are done, and what a member that fails costs."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from openkoi_agents import AgentHook, TeamWork
from openkoi_agents.sub_agent import both_allow
from openkoi_hookspecs import (
    Agent,
    Evaluation,
    ExecutionResult,
    Finding,
    KoiError,
    Limits,
    NextAction,
    Record,
    Run,
    Score,
    StopReason,
    Strategy,
    Task,
    Team,
    TextIncludes,
    ToolReturned,
    events,
)
from openkoi_scripted import ScriptedProvider
from openkoi_testing import FinishedRun, Scenario, run_scenario

APPROVED = TextIncludes("APPROVED")


def member(name: str, **more: object) -> Agent:
    return Agent(name=name, instructions=f"You are {name}.", **more)  # type: ignore[arg-type]  # fields of any kind


def team(strategy: Strategy, *members: Agent, rounds: int = 3, **more: object) -> Agent:
    together = Team(strategy=strategy, members=members, rounds=rounds)
    return Agent(name="pond", worker="team", team=together, **more)  # type: ignore[arg-type]  # fields of any kind


def done(
    folder: Path,
    agent: Agent,
    turns: str,
    limits: Limits = Limits(iterations=0),
    evaluators: Mapping[str, object] | None = None,
) -> FinishedRun:
    """Let the team do a task; the model says these turns."""
    script = folder / "script.yaml"
    script.write_text(f"price: {{input: 3.0, output: 15.0}}\nturns:\n{turns}")
    stage = Scenario(
        model=ScriptedProvider(),
        plugins={"agents": AgentHook()},
        evaluators=evaluators or {},
        others={"workers": {"team": TeamWork()}},
        settings={"models.default": f"scripted/{script}"},
    )
    return run_scenario(Task("Clean the pond", limits=limits, agent=agent), stage)


def turn(name: str, says: str, *contains: str, more: str = "repeat: true") -> str:
    """A turn of one member, when its prompt holds these texts."""
    message = ", ".join(f'"{text}"' for text in (f"You are {name}.", *contains))
    return f'  - when: {{contains: [{message}]}}\n    says: "{says}"\n    {more}\n'


def speakers(records: Sequence[Record]) -> list[str]:
    """The members' sub-tasks, in the order in which they started."""
    started = [record.event.task for record in records if isinstance(record.event, events.TaskStarted)]
    return [task.agent.name for task in started if task.parent and task.agent]


def warnings(records: Sequence[Record]) -> list[str]:
    return [record.event.text for record in records if isinstance(record.event, events.WarningIssued)]


def closed_by(rehearsed: FinishedRun) -> list[str]:
    run = rehearsed.records[0].run
    return [r.event.reason for r in rehearsed.records if r.run == run and isinstance(r.event, events.InnerLoopEnded)]


def test_one_after_another_each_hears_the_one_before(tmp_path: Path) -> None:
    turns = turn("carp", "skimmed") + turn("heron", "skimmed and raked", "Answer from carp", "skimmed")

    run = done(tmp_path, team(Strategy.SEQUENTIAL, member("carp"), member("heron")), turns)

    assert "skimmed and raked" == run.result.text
    assert ["carp", "heron"] == speakers(run.records)
    assert ["answered"] == closed_by(run)


def test_all_at_once_their_answers_stand_below_their_names(tmp_path: Path) -> None:
    turns = turn("carp", "skimmed") + turn("heron", "raked")

    run = done(tmp_path, team(Strategy.PARALLEL, member("carp"), member("heron")), turns)

    assert "## carp\n\nskimmed\n\n## heron\n\nraked" == run.result.text


def test_a_debate_ends_when_the_moderator_says_that_they_agree(tmp_path: Path) -> None:
    turns = (
        turn("frog", "Both say net. AGREED", "carp\\n\\nnet", "heron\\n\\na net, too")
        + turn("frog", "They differ.")
        + turn("heron", "a net, too", "They differ.", "carp\\n\\nnet")
        + turn("heron", "a fence")
        + turn("carp", "net")
    )
    agent = team(
        Strategy.DEBATE, member("carp"), member("heron"), member("frog", conditions=(TextIncludes("AGREED"),)), rounds=5
    )

    run = done(tmp_path, agent, turns)

    assert "Both say net. AGREED" == run.result.text
    assert ["carp", "heron", "frog"] * 2 == speakers(run.records)
    assert ["text-includes"] == closed_by(run)


def test_a_debate_without_agreement_ends_with_its_rounds_and_a_summary(tmp_path: Path) -> None:
    turns = turn("frog", "All in all: a net.", "the last round") + turn("frog", "Go on.") + turn("carp", "net")
    agent = team(Strategy.DEBATE, member("carp"), member("frog", conditions=(APPROVED,)), rounds=2)

    run = done(tmp_path, agent, turns)

    assert "All in all: a net." == run.result.text
    assert ["rounds"] == closed_by(run)
    assert ["frog was not satisfied after the last round. The current result is used."] == warnings(run.records)


def test_work_is_mended_until_the_reviewer_is_content(tmp_path: Path) -> None:
    turns = (
        turn("carp", "raked, too", "Rake it, too.")
        + turn("carp", "skimmed")
        + turn("heron", "APPROVED", "raked, too")
        + turn("heron", "Rake it, too.", "carp\\n\\nskimmed")
    )
    agent = team(Strategy.ITERATIVE, member("carp"), member("heron", conditions=(APPROVED,)))

    run = done(tmp_path, agent, turns)

    assert "raked, too" == run.result.text
    assert ["carp", "heron", "carp", "heron"] == speakers(run.records)
    assert ["text-includes"] == closed_by(run)
    assert [] == warnings(run.records)


def test_a_reviewer_may_be_content_by_what_a_tool_brought(tmp_path: Path) -> None:
    looks = turn("heron", "I look.", more="calls: [{tool: list_files, arguments: {}}]")
    turns = turn("carp", "skimmed") + looks + turn("heron", "All is there.")
    agent = team(Strategy.ITERATIVE, member("carp"), member("heron", conditions=(ToolReturned(tool="list_files"),)))

    run = done(tmp_path, agent, turns)

    assert ["carp", "heron"] == speakers(run.records)
    assert ["tool-result"] == closed_by(run)


@pytest.mark.row("LOOP-23")
def test_a_member_of_a_repeating_team_may_itself_go_round_until_it_is_done(tmp_path: Path) -> None:
    turns = turn("heron", "APPROVED") + turn("carp", "DONE now", "the task is not done") + turn("carp", "I begin.")
    carp = member("carp", conditions=(TextIncludes("DONE"),), cycles=4)

    run = done(tmp_path, team(Strategy.ITERATIVE, carp, member("heron", conditions=(APPROVED,))), turns)

    assert "DONE now" == run.result.text


def test_a_member_that_fails_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    turns = turn("heron", "raked")

    run = done(tmp_path, team(Strategy.PARALLEL, member("carp"), member("heron")), turns)

    assert "## heron\n\nraked" == run.result.text
    assert any(text.startswith("carp failed: ") for text in warnings(run.records))


@pytest.mark.parametrize("strategy", [*Strategy])
def test_when_all_fail_the_error_flies(strategy: Strategy, tmp_path: Path) -> None:
    with pytest.raises(KoiError, match="no matching turn for this prompt"):
        done(tmp_path, team(strategy, member("carp"), member("heron")), turn("nobody", "…"))


REFUSES = "repeat: true\n    stop: refused"


@pytest.mark.parametrize("strategy", [*Strategy])
def test_a_team_whose_members_all_refuse_ends_as_a_refusal(strategy: Strategy, tmp_path: Path) -> None:
    turns = turn("carp", "I cannot.", more=REFUSES) + turn("heron", "Nor can I.", more=REFUSES)

    run = done(tmp_path, team(strategy, member("carp"), member("heron")), turns)

    assert (StopReason.REFUSED, NextAction.ACCEPT_BEST) == (run.result.best.work.ended, run.result.decision.action)
    assert run.result.decision.reason.startswith("the model refused: ")
    assert ["refused"] == closed_by(run)


@pytest.mark.parametrize(
    ("strategy", "refusing", "ended"),
    [
        (Strategy.SEQUENTIAL, "heron", StopReason.REFUSED),
        (Strategy.SEQUENTIAL, "carp", StopReason.DONE),
        (Strategy.PARALLEL, "carp", StopReason.DONE),
        (Strategy.PARALLEL, "heron", StopReason.DONE),
        (Strategy.DEBATE, "carp", StopReason.DONE),
        (Strategy.DEBATE, "heron", StopReason.DONE),
        (Strategy.ITERATIVE, "carp", StopReason.REFUSED),
        (Strategy.ITERATIVE, "heron", StopReason.DONE),
    ],
)
def test_a_refusal_ends_a_team_where_nothing_else_is_left(
    strategy: Strategy, refusing: str, ended: StopReason, tmp_path: Path
) -> None:
    reply = {"carp": "skimmed", "heron": "raked"}
    turns = "".join(
        turn(name, text, more=REFUSES if name == refusing else "repeat: true") for name, text in reply.items()
    )

    run = done(tmp_path, team(strategy, member("carp"), member("heron")), turns)

    assert ended is run.result.best.work.ended
    assert ended is StopReason.REFUSED or any(reply[name] in run.result.text for name in reply if name != refusing)


def test_a_member_is_bound_by_its_own_dollars_and_by_what_is_left(tmp_path: Path) -> None:
    turns = turn("carp", "skimmed") + turn("heron", "raked")
    agent = team(Strategy.SEQUENTIAL, member("carp", usd=0.000001), member("heron", cycles=2))

    run = done(tmp_path, agent, turns, Limits(iterations=0, usd=1.0))

    tasks = [r.event.task for r in run.records if isinstance(r.event, events.TaskStarted)]
    assert [(1.0, 30), (0.000001, 30), (1.0, 2)] == [
        (task.effective_limits.usd, task.effective_limits.cycles) for task in tasks
    ]
    assert "raked" == run.result.text
    assert any("carp failed" in text and "dollars" in text for text in warnings(run.records))


def test_what_binds_the_team_binds_its_members(tmp_path: Path) -> None:
    carp = member("carp", tools=("read_*", "write_file"), approvals=("run_command",))
    agent = team(
        Strategy.SEQUENTIAL, carp, instructions="Be kind.", model="", tools=("*_file",), protected=("infra/**",)
    )

    run = done(tmp_path, agent, turn("carp", "skimmed", "Be kind."))

    tasks = [r.event.task for r in run.records if isinstance(r.event, events.TaskStarted)]
    bound = tasks[1].agent
    assert bound is not None
    assert (("write_file",), ("run_command",), ("infra/**",)) == (bound.tools, bound.approvals, bound.protected)


def test_teams_may_be_members_of_teams(tmp_path: Path) -> None:
    inner = team(Strategy.PARALLEL, member("carp"), member("heron"))
    turns = turn("carp", "skimmed") + turn("heron", "raked") + turn("frog", "All done.", "Answer from pond")

    run = done(tmp_path, team(Strategy.SEQUENTIAL, inner, member("frog")), turns)

    assert "All done." == run.result.text


class Short:
    """A judge that wants few words."""

    judges = True

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        if len(work.text) < 12:
            return Evaluation(scores=(Score("short", 1.0),))
        return Evaluation(scores=(Score("short", 0.4),), findings=(Finding("too long", fix="Use one word."),))


def test_a_team_that_is_judged_hears_what_is_still_to_be_mended(tmp_path: Path) -> None:
    turns = turn("carp", "wet", "too long: Use one word.") + turn("carp", "very wet indeed")
    limits = Limits(iterations=2)

    run = done(tmp_path, team(Strategy.SEQUENTIAL, member("carp")), turns, limits, {"short": Short()})

    assert ("wet", True) == (run.result.text, run.result.accepted)


@pytest.mark.parametrize(
    ("ours", "theirs", "both"),
    [
        (("*",), ("read_*", "run"), {"read_*", "run"}),
        (("read_*",), ("read_file", "write_file"), {"read_file"}),
        (("read_*",), ("*_file",), set()),
        ((), ("*",), set()),
        (("?",), ("*",), {"?"}),
        (("a[!x]",), ("a?",), set()),
    ],
)
def test_of_the_tools_those_remain_that_both_allow(
    ours: tuple[str, ...], theirs: tuple[str, ...], both: set[str]
) -> None:
    assert both == {*both_allow(ours, theirs)} == {*both_allow(theirs, ours)}


def test_without_a_team_the_worker_says_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(KoiError, match="needs an agent with a team"):
        done(tmp_path, Agent(name="lonely", worker="team"), turn("nobody", "…"))
