"""Exit status 0 means that the work was done and that evidence supports it: through the command line, as it ships."""

from pathlib import Path

import pytest
from cli_process import Shell, write_script
from verdict_runs import (
    ANSWER_TURN,
    DONE,
    EDIT,
    TASK,
    WAITING,
    configure,
    folder_with_test,
    judge_of,
    play,
    result,
    verdict,
    write_script_outside,
)

from openkoi_hookspecs import Usage
from openkoi_testing.servers import OpenAIServer, Say


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder with a file and a passing test, and a home without memory of anything."""
    return folder_with_test(tmp_path)


# The seen cases, by name.


def test_a_budget_that_allows_no_request_is_not_an_acceptance(openkoi: Shell) -> None:
    with OpenAIServer("Done.") as server:
        there = openkoi.with_environment(OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-test")
        process = there(TASK, "-m", "openai/gpt-fake", "--budget", "0.0001", "--format", "json")

    report = result(process)
    assert (4, []) == (process.returncode, list(server.asked)), process.stderr
    assert (False, None, "abort_budget") == (report["accepted"], report["score"], report["decision"])


def test_a_refused_call_does_not_discard_the_best_work(openkoi: Shell) -> None:
    step = """\
  - when: {{last: "{last}", tools: true}}
    says: Step {n}.
    calls: [{{tool: write_file, arguments: {{path: a.py, content: "x = {n}  # step {n}\\n", overwrite: true}}}}]
    usage: {{input: 100, output: 10}}
  - when: {{last: "a.py", tools: true, contains: "Step {n}."}}
    says: Wrote {n}.
    usage: {{input: {used}, output: 10}}
"""
    turns = [("so that x is 3", 1, 1000), ("score 1", 2, 1000), ("score 2", 3, 17_000)]
    executor = "".join(step.format(last=last, n=n, used=used) for last, n, used in turns)
    scores = ((1, 0.4), (2, 0.5), (3, 0.6))
    judge = "".join(judge_of(score, f"+x = {n}", finding=f"score {n}") for n, score in scores)
    configure(openkoi, "[iteration]\nmax_iterations = 5\ntoken_budget = 20000\n")
    process = play(openkoi, executor, judge=judge)

    report = result(process)
    assert (4, 0.6, False) == (process.returncode, report["score"], report["accepted"]), process.stderr
    assert (["a.py"], "Wrote 3.") == (report["changed_files"], report["output"])
    assert "x = 3" in (openkoi.folder / "a.py").read_text()


@pytest.mark.parametrize(
    "judge",
    [
        "  - says: It is fine.\n    repeat: true\n",
        '  - says: ""\n    repeat: true\n',
        "  - fails: {refused: no longer offered}\n    repeat: true\n",
    ],
    ids=["garbage", "silence", "refusal"],
)
def test_a_judge_that_does_not_judge_accepts_nothing(openkoi: Shell, judge: str) -> None:
    process = play(openkoi, EDIT + DONE, judge=judge)

    report = result(process)
    assert (3, False, None) == (process.returncode, report["accepted"], report["score"]), process.stderr
    assert str(report["stop_reason"]).startswith("not judged: ")
    assert ["a.py"] == report["changed_files"]


def test_a_judge_that_is_late_accepts_nothing(openkoi: Shell) -> None:
    configure(openkoi, "[evaluators.testrunner]\nenabled = false\n[iteration]\ntimeout_seconds = 8\n")
    process = play(openkoi, EDIT + DONE, judge="  - says: too late\n    delay: 60\n    repeat: true\n")

    report = result(process)
    assert (5, False, None) == (process.returncode, report["accepted"], report["score"]), process.stderr
    assert "reached the limit of 8 seconds" == report["stop_reason"]
    assert ["a.py"] == report["changed_files"]


def test_a_judge_without_a_valid_key_accepts_nothing(openkoi: Shell) -> None:
    with OpenAIServer(models=("gpt-fake",), key="sk-other") as server:
        there = openkoi.with_environment(OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-wrong")
        model = write_script(openkoi.folder, EDIT + DONE)
        result = there(TASK, "--executor", model, "--evaluator", "openai/gpt-fake")

    assert 3 == result.returncode
    assert "Not judged: " in result.stderr
    assert "401" in result.stderr
    assert "Changed: a.py. To undo this, run `openkoi undo`." in result.stderr
    assert "run `openkoi resume`" in result.stderr


def test_a_refusal_by_the_content_filter_is_not_an_answer(openkoi: Shell) -> None:
    refused = "  - says: I cannot help with that.\n    stop: refused\n    repeat: true\n"
    process = play(openkoi, refused, judge=judge_of(1.0))

    report = result(process)
    assert (3, False, None) == (process.returncode, report["accepted"], report["score"]), process.stderr
    assert "the model refused: I cannot help with that." == report["stop_reason"]


def test_a_model_that_only_looks_for_tools_until_the_money_is_gone_has_done_nothing(openkoi: Shell) -> None:
    looks = "".join(
        f"  - when: {{after: {n}}}\n    says: Hm {n}.\n    usage: {{input: 3000, output: 100}}\n"
        f"    calls: [{{tool: find_tool, arguments: {{query: word{n}}}}}]\n"
        for n in range(25)
    )
    configure(openkoi, "[iteration]\ntoken_budget = 20000\n")
    process = play(openkoi, looks, judge=judge_of(1.0))

    assert process.returncode in (4, 7)
    assert result(process)["accepted"] is False


def test_a_model_that_says_nothing_is_told_so_and_has_done_nothing(openkoi: Shell) -> None:
    process = play(openkoi, '  - says: ""\n    repeat: true\n', judge=judge_of(1.0))

    report = result(process)
    assert (3, False) == (process.returncode, report["accepted"]), process.stderr
    assert 2 == len(list(report["iterations"]))  # type: ignore[call-overload]  # a list in the JSON


# What is accepted, and on what evidence.


@pytest.mark.parametrize(("score", "status"), [(0.9, 0), (0.4, 3)])
def test_with_a_judge_its_score_decides(openkoi: Shell, score: float, status: int) -> None:
    configure(openkoi, "[iteration]\nmax_iterations = 1\n")
    process = play(openkoi, EDIT + DONE, judge=judge_of(score))

    assert (status, score, status == 0) == (process.returncode, result(process)["score"], result(process)["accepted"])


def test_without_a_judge_a_check_that_turned_green_accepts(openkoi: Shell) -> None:
    (openkoi.folder / "test_x.py").write_text(WAITING)
    process = play(openkoi, EDIT + DONE, "--no-judge", "--category", "bugfix")

    report = result(process)
    assert (0, True, None) == (process.returncode, report["accepted"], report["score"]), process.stderr
    assert "not judged: 1 check turned green" == report["stop_reason"]


@pytest.mark.parametrize(
    ("file", "text"),
    [("test_x.py", "def test_x() -> None:\\n    pass"), ("conftest.py", "import a\\na.x = 3")],
)
def test_a_check_whose_own_file_was_changed_accepts_nothing(openkoi: Shell, file: str, text: str) -> None:
    (openkoi.folder / "test_x.py").write_text("import a\n\n\ndef test_x() -> None:\n    assert a.x == 3\n")
    cheat = EDIT.replace("a.py", file).replace("x = 3", text)
    process = play(openkoi, cheat + DONE, "--no-judge", "--category", "bugfix")

    assert (3, False) == (process.returncode, result(process)["accepted"]), process.stderr
    assert "failed before and passes now, but this work changed the file" in str(result(process)["stop_reason"])


LOOK = """\
  - when: {after: 0}
    says: Let me look first.
    calls: [{tool: search, arguments: {pattern: x}}]
    usage: {input: 10, output: 10}
"""


@pytest.mark.parametrize("options", [("--iterate", "0"), ("--no-judge",)])
@pytest.mark.parametrize("task", [TASK, "What is x?"])
def test_words_beside_a_call_are_no_answer(openkoi: Shell, task: str, options: tuple[str, ...]) -> None:
    process = play(openkoi, LOOK + ANSWER_TURN.format('""'), *options, task=task)

    assert 3 == process.returncode, process.stderr
    assert str(result(process)["stop_reason"]).startswith("nothing was done"), result(process)["stop_reason"]


def test_an_answer_that_is_cut_off_each_time_is_not_done(openkoi: Shell) -> None:
    process = play(openkoi, DONE + "    stop: length\n", "--iterate", "1", task="What is x?")

    assert (3, False) == (process.returncode, result(process)["accepted"]), process.stderr
    assert "cut off at the model's length limit" in str(result(process)["stop_reason"])


def test_without_a_judge_checks_that_still_pass_accept_a_change(openkoi: Shell) -> None:
    process = play(openkoi, EDIT + DONE, "--no-judge")

    assert (0, "not judged: 2 checks still pass") == (process.returncode, result(process)["stop_reason"]), (
        process.stderr
    )


def test_without_a_judge_passing_checks_accept_no_words(openkoi: Shell) -> None:
    process = play(openkoi, DONE, "--no-judge")

    assert (3, False) == (process.returncode, result(process)["accepted"]), process.stderr


def test_without_a_judge_and_without_checks_nothing_is_accepted(openkoi: Shell) -> None:
    for file in openkoi.folder.glob("*.py"):
        file.unlink()
    process = play(openkoi, EDIT.replace("a.py", "a.txt") + DONE, "--no-judge")

    report = result(process)
    assert (3, "not judged, and no check ran") == (process.returncode, report["stop_reason"]), process.stderr
    assert 1 == len(list(report["iterations"]))  # type: ignore[call-overload]  # a list in the JSON


@pytest.mark.parametrize(
    ("reply", "status", "accepted"), [("Done.", 0, None), ('""', 3, False)], ids=["an answer", "nothing"]
)
def test_without_evaluation_an_answer_is_enough_and_nothing_is_not(
    openkoi: Shell, reply: str, status: int, accepted: bool | None
) -> None:
    process = play(openkoi, ANSWER_TURN.format(reply), "--iterate", "0")

    assert (status, accepted) == (process.returncode, result(process)["accepted"]), process.stderr


def test_a_question_is_answered_and_not_judged(openkoi: Shell) -> None:
    process = play(
        openkoi, ANSWER_TURN.format("It is 0."), judge="  - fails: {refused: nobody asks me}\n", task="What is x?"
    )

    report = result(process)
    assert (0, True, "not judged, because the task is a question") == (
        process.returncode,
        report["accepted"],
        report["stop_reason"],
    ), process.stderr


def test_what_looked_like_a_question_and_changed_a_file_is_judged(openkoi: Shell) -> None:
    process = play(openkoi, EDIT + DONE, "--iterate", "1", judge=judge_of(0.2), task="What is x?")

    assert (3, 0.2) == (process.returncode, result(process)["score"]), process.stderr


def test_a_commit_is_a_change_that_the_judge_sees(openkoi: Shell) -> None:
    commit = "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm one"
    executor = f"""\
  - when: {{after: 0}}
    says: Committing.
    calls: [{{tool: run_command, arguments: {{command: "{commit}"}}}}]
"""
    judge = judge_of(0.9, "git add -A", "exit code 0")
    process = play(openkoi, executor + DONE, judge=judge, task="Commit this")

    assert (0, 0.9) == (process.returncode, result(process)["score"]), process.stderr


def test_of_work_that_changed_nothing_the_judge_is_told_so_and_votes_three_times(openkoi: Shell) -> None:
    judge = judge_of(0.95, "Nothing changed")
    process = play(
        openkoi, ANSWER_TURN.format("Carp in the pond"), "--why", judge=judge, task="Write a haiku about carp"
    )

    assert (0, True) == (process.returncode, result(process)["accepted"]), process.stderr
    report = openkoi("status", "--why")
    assert "vote 3" in report.stdout


def test_a_judge_has_a_call_left_where_calls_are_limited(openkoi: Shell) -> None:
    configure(openkoi, "[safety]\nmax_calls = 3\n")
    process = play(openkoi, EDIT + DONE, judge=judge_of(0.95))

    assert (0, 0.95) == (process.returncode, result(process)["score"]), process.stderr


def test_a_judge_that_could_vote_only_once_has_judged(openkoi: Shell) -> None:
    configure(openkoi, "[safety]\nmax_calls = 2\n")
    process = play(
        openkoi, ANSWER_TURN.format("Carp in the pond"), judge=judge_of(0.95), task="Write a haiku about carp"
    )

    assert (0, 0.95) == (process.returncode, result(process)["score"]), process.stderr


def test_good_work_done_with_the_last_money_is_still_judged(openkoi: Shell) -> None:
    reads = "".join(
        f"  - when: {{after: {n}}}\n    says: Looking {n}.\n    usage: {{input: 5000, output: 200}}\n"
        f"    calls: [{{tool: search, arguments: {{pattern: word{n}}}}}]\n"
        for n in range(1, 30)
    )
    configure(openkoi, "[iteration]\ntoken_budget = 60000\n")
    process = play(openkoi, EDIT + reads, judge=judge_of(0.9))

    report = result(process)
    assert (0, 0.9, True) == (process.returncode, report["score"], report["accepted"]), process.stderr


# Resume and fork.


def test_resuming_unjudged_work_judges_it_without_another_execution(openkoi: Shell) -> None:
    with OpenAIServer(Say(verdict(0.9), usage=Usage(input=9, output=9)), key="sk-right") as server:
        there = openkoi.with_environment(OPENAI_BASE_URL=server.url)
        model = write_script_outside(openkoi, EDIT + DONE)
        first = there.with_environment(OPENAI_API_KEY="sk-wrong")(
            TASK, "--executor", model, "--evaluator", "openai/gpt-fake"
        )
        write_script_outside(openkoi, "  - fails: {refused: not to be asked again}\n")
        configure(openkoi, f'[models]\nexecutor = "{model}"\nevaluator = "openai/gpt-fake"\n')
        again = there.with_environment(OPENAI_API_KEY="sk-right")("resume", "--format", "json")

    assert (3, 0) == (first.returncode, again.returncode), again.stderr
    assert (True, 0.9) == (result(again)["accepted"], result(again)["score"])
    assert "x = 3\n" == (openkoi.folder / "a.py").read_text()


@pytest.mark.parametrize("reply", ["It is fine.", '""'], ids=["garbage", "silence"])
def test_a_judge_that_could_not_be_read_is_asked_again_on_resume(openkoi: Shell, reply: str) -> None:
    first = play(openkoi, EDIT + DONE, judge=f"  - says: {reply}\n    repeat: true\n")
    write_script_outside(openkoi, judge_of(0.9), "judge.yaml")
    again = openkoi("resume", "--format", "json")
    rows = openkoi("export", "--format", "json", "--output", str(openkoi.folder.parent / "out"))

    report = result(again)
    assert (3, 0, 0) == (first.returncode, again.returncode, rows.returncode), again.stderr
    assert (True, 0.9, "Done.", ["a.py"]) == tuple(
        report[key] for key in ("accepted", "score", "output", "changed_files")
    )


def test_what_is_accepted_on_resume_is_what_is_on_the_disk(openkoi: Shell) -> None:
    """An earlier iteration, judged .60, had been restored because the last one could not be judged."""
    executor = EDIT.replace("x = 3", "x = 2") + "  - when: {after: 1}\n    says: One.\n"
    executor += EDIT.replace("after: 0", "after: 2") + ANSWER_TURN.format("Two.")
    low, unread = judge_of(0.6, "+x = 2"), "  - says: It is fine.\n    repeat: true\n"
    first = play(openkoi, executor, judge=low + unread)
    assert (3, "x = 2\n") == (first.returncode, (openkoi.folder / "a.py").read_text()), first.stderr

    write_script_outside(openkoi, low + judge_of(0.9), "judge.yaml")
    again = openkoi("resume", "--format", "json")

    assert (0, "Two.", 0.9) == (again.returncode, result(again)["output"], result(again)["score"]), again.stderr
    assert "x = 3\n" == (openkoi.folder / "a.py").read_text()


def test_a_resumed_run_knows_its_baseline_of_checks(openkoi: Shell) -> None:
    (openkoi.folder / "test_x.py").write_text(WAITING)
    with OpenAIServer(Say(verdict(0.9), usage=Usage(input=9, output=9)), key="sk-right") as server:
        there = openkoi.with_environment(OPENAI_BASE_URL=server.url)
        model = write_script(openkoi.folder, EDIT.replace("x = 3", "x = 4") + DONE)
        configure(openkoi, f'[models]\nexecutor = "{model}"\nevaluator = "openai/gpt-fake"\n')
        first = there.with_environment(OPENAI_API_KEY="sk-wrong")(TASK, "--category", "code")
        again = there.with_environment(OPENAI_API_KEY="sk-right")("resume", "--format", "json")

    assert (3, 0) == (first.returncode, again.returncode), again.stderr
    assert "baseline" not in again.stderr


def test_a_fork_knows_the_baseline_of_checks_of_the_run_it_comes_from(openkoi: Shell) -> None:
    (openkoi.folder / "test_x.py").write_text(WAITING)
    executor = EDIT.replace("x = 3", "x = 4") + ANSWER_TURN.format("Done.")
    first = play(openkoi, executor, "--iterate", "2", "--category", "code", judge=judge_of(0.5))
    task = str(result(first)["task_id"])[:8]
    forked = openkoi("fork", task, "--at", "2", "--set", "iteration.quality_threshold=0.4", "--format", "json")

    assert (3, 0) == (first.returncode, forked.returncode), forked.stderr
    assert (True, 0.5) == (result(forked)["accepted"], result(forked)["score"])
    assert "baseline" not in forked.stderr
