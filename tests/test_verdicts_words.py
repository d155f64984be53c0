"""Test how runs that are not accepted end, and their messages, through the command line."""

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from cli_process import Shell, shell, write_script

TASK = "Write koi into the files"
DONE = "  - says: Done.\n    repeat: true\n"
REFUSES = "  - says: I cannot help with that.\n    stop: refused\n    repeat: true\n"
FAILS = "  - fails: {unavailable: overloaded}\n    repeat: true\n"
REFUSED = "  - fails: {refused: no longer offered}\n    repeat: true\n"
DIMENSIONS = (
    *("correctness", "safety", "style", "completeness", "relevance", "quality"),
    *("clarity", "accuracy", "tone", "structure"),
)


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    (openkoi.folder / "a.txt").write_text("old\n")
    configure(openkoi)
    return openkoi


def configure(openkoi: Shell, text: str = "") -> None:
    """Write a configuration; the example evaluator that a workspace installs is not among the default plugins."""
    openkoi.home.mkdir(exist_ok=True)
    (openkoi.home / "config.toml").write_text(f"[evaluators.word-count]\nenabled = false\n{text}")


def play(openkoi: Shell, turns: str, *options: str, task: str = TASK) -> CompletedProcess[str]:
    return openkoi(task, "--executor", model(openkoi, turns), *options)


def model(openkoi: Shell, turns: str, name: str = "script.yaml") -> str:
    """Return a scripted model, whose script is not in the folder that is worked in."""
    outside = openkoi.folder.parent
    write_script(outside, turns, name)
    return f"scripted/{outside / name}"


def writes(*files: str, after: int = 0) -> str:
    """Return a turn that overwrites these files."""
    calls = [
        {"tool": "write_file", "arguments": {"path": file, "content": "koi\n", "overwrite": True}} for file in files
    ]
    return f"  - when: {{after: {after}}}\n    says: Writing.\n    calls: {json.dumps(calls)}\n"


def judge(score: float) -> str:
    scores = {**dict.fromkeys(DIMENSIONS, score), "other_task": 0.0}
    reply = json.dumps({"scores": scores, "findings": [], "suggestion": ""})
    return f"  - says: |\n      {reply}\n    repeat: true\n    usage: {{input: 10, output: 10}}\n"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("strategy", ["sequential", "parallel", "debate", "iterative"])
def test_a_team_whose_members_refuse_exits_as_a_refusal_does(openkoi: Shell, strategy: str) -> None:
    refusing = model(openkoi, REFUSES, "refuses.yaml")
    agents = [{"identity": {"name": name}, "model_policy": {"model": refusing}} for name in ("carp", "heron")]
    team = {"identity": {"name": "pond"}, "composite": {"strategy": strategy, "agents": agents}}
    (openkoi.folder / "pond.yaml").write_text(json.dumps(team))

    result = openkoi("run", "pond.yaml", TASK, "--format", "json")

    output = json.loads(result.stdout)
    assert (3, False) == (result.returncode, output["accepted"]), result.stderr
    assert output["stop_reason"].startswith("the model refused: ")
    assert "I cannot help with that." in output["stop_reason"]


@pytest.mark.parametrize(
    ("files", "named"),
    [(["a.txt"], "a.txt"), (["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"], "a.txt, b.txt, c.txt and 2 more")],
)
def test_a_provider_that_fails_leaves_files_that_are_named_and_can_be_undone(
    openkoi: Shell, files: list[str], named: str
) -> None:
    result = play(openkoi, writes(*files) + FAILS, "--format", "json")

    output = json.loads(result.stdout)
    assert (75, files) == (result.returncode, output["changed_files"]), result.stderr
    assert f"Changed: {named}. To undo this, run `openkoi undo`." in result.stderr
    assert any(named in warning for warning in output["warnings"])
    assert 0 == openkoi("undo").returncode
    assert ("old\n", ["a.txt"]) == (
        (openkoi.folder / "a.txt").read_text(),
        [file.name for file in openkoi.folder.iterdir()],
    )


def test_a_provider_that_fails_before_any_change_names_no_file(openkoi: Shell) -> None:
    result = play(openkoi, FAILS, "--format", "json")

    assert (75, []) == (result.returncode, json.loads(result.stdout)["changed_files"])
    assert "openkoi undo" not in result.stderr


def test_a_provider_that_fails_in_a_later_iteration_names_what_the_first_one_changed(openkoi: Shell) -> None:
    evaluator = model(openkoi, judge(0.2), "judge.yaml")
    turns = writes("a.txt") + "  - when: {after: 1}\n    says: Done.\n" + FAILS
    result = play(openkoi, turns, "--evaluator", evaluator, "--format", "json")

    assert (75, ["a.txt"]) == (result.returncode, json.loads(result.stdout)["changed_files"]), result.stderr
    assert "Changed: a.txt. To undo this, run `openkoi undo`." in result.stderr


def test_a_score_just_below_the_threshold_is_not_printed_as_the_threshold(openkoi: Shell) -> None:
    evaluator = model(openkoi, judge(0.795), "judge.yaml")
    result = play(openkoi, writes("a.txt") + DONE, "--evaluator", evaluator, "-i", "1", "--format", "json")

    assert "score 0.795 is below the threshold 0.800 after 1 iteration" == json.loads(result.stdout)["stop_reason"]


def test_a_run_that_did_nothing_says_so(openkoi: Shell) -> None:
    result = play(openkoi, '  - says: ""\n    repeat: true\n', "-i", "5", "--format", "json")

    assert (3, "nothing was done") == (result.returncode, json.loads(result.stdout)["stop_reason"]), result.stderr


def test_a_run_that_waits_for_approval_names_the_next_step(openkoi: Shell) -> None:
    calls = [{"tool": "run_command", "arguments": {"command": "git push --force origin main"}}]
    turns = f"  - when: {{after: 0}}\n    says: Pushing.\n    calls: {json.dumps(calls)}\n" + DONE

    result = play(openkoi, turns)

    assert 8 == result.returncode, result.stderr
    assert "To allow it, run `openkoi approve`, then `openkoi resume`." in result.stderr


FALLS_SILENT = """
from openkoi_hookspecs import Evaluation, Score

class Judge:
    judges = True

    async def evaluate(self, work, run):
        if len(run.iterations) < {judged}:
            return Evaluation(scores=(Score("taste", 0.2),))
        return Evaluation(unavailable_reason="no answer")
"""


@pytest.mark.parametrize(("judged", "last"), [(1, False), (0, True)], ids=["earlier", "last"])
def test_resume_is_named_only_where_it_judges_the_files_that_are_there(openkoi: Shell, judged: int, last: bool) -> None:
    """An earlier iteration that was judged is restored; resume would judge the one after it."""
    configure(openkoi, "[evaluators.judge]\nenabled = false\n")
    there = openkoi.with_plugin(FALLS_SILENT.format(judged=judged), evaluators="acme:Judge")
    finished = "  - when: {{after: {}}}\n    says: Finished.\n"
    turns = writes("a.txt") + finished.format(1) + writes("b.txt", after=2) + finished.format(3)

    result = play(there, turns)

    assert (3, last) == (result.returncode, "run `openkoi resume`" in result.stderr), result.stderr
    assert "Not judged: no answer." in result.stderr
    assert not (openkoi.folder / "b.txt").exists()


JUDGE = """
from openkoi_hookspecs import LimitExceededError

class Judge:
    judges = True

    async def evaluate(self, work, run):
        raise LimitExceededError("tokens")
"""


def test_why_a_limit_silenced_a_judge_is_said_once(openkoi: Shell) -> None:
    configure(openkoi, "[evaluators.judge]\nenabled = false\n")
    there = openkoi.with_plugin(JUDGE, evaluators="acme:Judge")

    result = play(there, writes("a.txt") + DONE)

    assert 4 == result.returncode, result.stderr
    assert "  ! acme could not evaluate: The task's limit was reached: tokens.\n" in result.stderr


def test_a_model_that_cannot_be_asked_what_was_learned_is_reported_plainly(openkoi: Shell) -> None:
    configure(openkoi, f'[models]\nsmall = "{model(openkoi, REFUSED, "small.yaml")}"\n')
    evaluator = model(openkoi, judge(0.2), "judge.yaml")

    result = play(openkoi, writes("a.txt") + DONE, "--evaluator", evaluator, "-i", "1")

    assert 3 == result.returncode, result.stderr
    assert "Could not ask a model what to learn from this run: no longer offered" in result.stderr
