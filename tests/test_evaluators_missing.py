"""An evaluator that cannot be built is missed: a wrong setting refuses the run, any other fault leaves it unjudged."""

from pathlib import Path
from subprocess import CompletedProcess

import pytest
from cli_process import Shell, write_script
from verdict_runs import DONE, EDIT, TASK, configure, folder_with_test, judge_of, play, result

from openkoi_testing.servers import OpenAIServer

BAD = judge_of(0.2)
NO_JUDGE = "[evaluators.judge]\nenabled = false\n"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A folder with a file and a passing test, and a home of its own."""
    return folder_with_test(tmp_path)


# Settings that an evaluator refuses.

REFUSED = {
    "[evaluators.judge]\nvotes = 0": "[evaluators.judge] votes is 0. It must be at least 1.",
    "[evaluators.judge]\nvotes = 'x'": "[evaluators.judge] votes in {file}",
    "[evaluators.judge]\nskip_eval_confidence = 0.0": "skip_eval_confidence is 0.0. It must be at least 0.9.",
    "[evaluators.judge]\ncertificates = 3": "[evaluators.judge] certificates in {file}",
    "[evaluators.testrunner]\nseconds = 'x'": "[evaluators.testrunner] seconds in {file}",
    "[evaluators.testrunner]\nseconds = 0": "[evaluators.testrunner] seconds is 0.0. It must be above 0.",
    "[evaluators.testrunner]\ntotal = -1.5": "[evaluators.testrunner] total is -1.5. It must be above 0.",
    "[evaluators.lint]\nseconds = 0": "[evaluators.lint] seconds is 0.0. It must be above 0.",
    "[evaluators.lint]\nseconds = []": "[evaluators.lint] seconds in {file}",
    "[evaluators.lint]\nenabled = 3": "evaluators.lint.enabled in {file}",
    "[evaluation]\nrequire = 'judge'": "evaluation.require in {file}",
    "[evaluation]\norder = 3": "evaluation.order in {file}",
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("command", [(TASK,), ("evaluate",)], ids=["task", "evaluate"])
@pytest.mark.parametrize("text", REFUSED)
def test_a_setting_that_an_evaluator_refuses_refuses_the_run(openkoi: Shell, text: str, command: tuple[str]) -> None:
    configure(openkoi, text)
    with OpenAIServer("Done.") as server:
        there = openkoi.with_environment(
            OPENAI_BASE_URL=server.url, OPENAI_API_KEY="sk-test", OPENKOI_MODEL="openai/gpt-fake"
        )
        result = there(*command)

    assert (2, []) == (result.returncode, list(server.asked)), result.stderr
    assert REFUSED[text].format(file=openkoi.home / "config.toml") in result.stderr
    assert "Traceback" not in result.stderr
    assert "x = 0\n" == (openkoi.folder / "a.py").read_text()


def test_a_fork_is_refused_before_files_are_restored(openkoi: Shell) -> None:
    model = write_script(openkoi.folder, EDIT + DONE)
    first = result(openkoi(TASK, "--executor", model, "--no-judge", "--format", "json"))
    forked = ("fork", str(first["task_id"])[:8], "--at", "1", "--set", "evaluators.judge.votes=0")
    process = openkoi(*forked)

    assert 2 == process.returncode, process.stderr
    assert "votes is 0" in process.stderr
    assert "x = 3\n" == (openkoi.folder / "a.py").read_text()


@pytest.mark.parametrize("text", ["[evaluators.judge]\nvotes = 0", "[evaluators.testrunner]\nseconds = 'x'"])
def test_doctor_names_a_refused_setting_and_goes_on(openkoi: Shell, text: str) -> None:
    configure(openkoi, text)
    result = openkoi("doctor")

    assert 1 == result.returncode, result.stderr
    assert REFUSED[text].format(file=openkoi.home / "config.toml") in result.stdout + result.stderr
    assert "Tools" in result.stdout + result.stderr


# Evaluators that cannot be loaded.

RAISES = """
class Broken:
    {judges}

    def __init__(self) -> None:
        raise RuntimeError("out of order")

    async def evaluate(self, work, run):
        return None
"""
JUDGE = RAISES.format(judges="judges = True")
CHECK = RAISES.format(judges="judges = False")
UNLOADABLE = "raise ImportError('a wheel is missing')\n"
EXITS = "raise SystemExit(0)\n"
UNFIT = "class Broken:\n    judges = True\n"
REQUIRE = "[evaluation]\nrequire = ['acme']\n"


def run_with_broken(openkoi: Shell, code: str, text: str, *, judge: str = "") -> CompletedProcess[str]:
    """Do the task with a plugin evaluator ``acme`` that cannot be loaded."""
    configure(openkoi, text)
    return play(openkoi.with_plugin(code, evaluators="acme:Broken"), EDIT + DONE, judge=judge)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("code", "text", "why"),
    [
        (JUDGE, "", "out of order"),
        (UNFIT, "", "it lacks evaluate()"),
        (UNLOADABLE, REQUIRE, "a wheel is missing"),
        (EXITS, REQUIRE, "SystemExit"),
    ],
    ids=["raises", "unfit", "import", "exit"],
)
def test_a_judge_that_cannot_be_loaded_accepts_nothing(openkoi: Shell, code: str, text: str, why: str) -> None:
    process = run_with_broken(openkoi, code, NO_JUDGE + text)

    output = result(process)
    assert (3, False, None) == (process.returncode, output["accepted"], output["score"]), process.stderr
    assert str(output["stop_reason"]).startswith("not judged: ")
    assert why in str(output["stop_reason"])
    assert ["a.py"] == output["changed_files"]


def test_one_that_cannot_be_imported_is_a_judge_by_its_name(openkoi: Shell) -> None:
    configure(openkoi, NO_JUDGE)
    with_judge = openkoi.with_plugin(UNLOADABLE, evaluators="acme:Broken")
    points = openkoi.home.parent / "site" / "acme-1.0.dist-info" / "entry_points.txt"
    points.write_text(points.read_text().replace("acme =", "acme-judge ="))
    process = play(with_judge, EDIT + DONE)

    assert 3 == process.returncode, process.stderr
    assert str(result(process)["stop_reason"]).startswith("not judged: Plugin 'acme-judge' failed at loading: ")


def test_a_good_judge_does_not_speak_for_one_that_cannot_be_loaded(openkoi: Shell) -> None:
    process = run_with_broken(openkoi, JUDGE, "", judge=judge_of(1.0))

    assert (3, False) == (process.returncode, result(process)["accepted"]), process.stderr


@pytest.mark.parametrize("code", [CHECK, UNLOADABLE, EXITS], ids=["raises", "import", "exit"])
def test_checks_that_cannot_be_loaded_are_missing(openkoi: Shell, code: str) -> None:
    process = run_with_broken(openkoi, code, NO_JUDGE)

    output = result(process)
    assert (3, False, None) == (process.returncode, output["accepted"], output["score"]), process.stderr
    assert 1 == str(output).count("acme could not evaluate: Plugin 'acme' failed at loading: "), output


def test_required_checks_that_cannot_be_loaded_outweigh_a_judge(openkoi: Shell) -> None:
    assert 0 == run_with_broken(openkoi, CHECK, "", judge=judge_of(1.0)).returncode

    configure(openkoi, REQUIRE)
    (openkoi.folder / "a.py").write_text("x = 0\n")
    again = openkoi.seeing(openkoi.home.parent / "site")
    process = play(again, EDIT + DONE, judge=judge_of(1.0))

    assert (3, False) == (process.returncode, result(process)["accepted"]), process.stderr
    assert "out of order" in str(result(process)["stop_reason"])


def test_an_evaluator_that_is_switched_off_is_not_missed(openkoi: Shell) -> None:
    result = run_with_broken(openkoi, JUDGE, NO_JUDGE + "[evaluators.acme]\nenabled = false\n")

    assert 0 == result.returncode, result.stderr


def test_without_a_judge_by_request_a_missing_one_is_not_missed(openkoi: Shell) -> None:
    configure(openkoi, "")
    result = play(openkoi.with_plugin(JUDGE, evaluators="acme:Broken"), EDIT + DONE, "--no-judge")

    assert 0 == result.returncode, result.stderr


def test_another_plugin_that_cannot_be_loaded_costs_a_warning(openkoi: Shell) -> None:
    configure(openkoi, NO_JUDGE)
    process = play(openkoi.with_plugin(UNLOADABLE, tools="acme:Broken"), EDIT + DONE)

    assert 0 == process.returncode, process.stderr
    assert "a wheel is missing" in str(result(process))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("code", "status"), [(JUDGE, 3), (CHECK, 3), (UNLOADABLE, 3), (EXITS, 3)])
def test_evaluate_misses_an_evaluator_too(openkoi: Shell, code: str, status: int) -> None:
    configure(openkoi, NO_JUDGE + "[models]\ndefault = 'scripted/judge.yaml'\n")
    write_script(openkoi.folder, judge_of(1.0), "judge.yaml")
    result = openkoi.with_plugin(code, evaluators="acme:Broken")("evaluate")

    assert status == result.returncode, result.stdout + result.stderr
    assert "acme" in result.stdout + result.stderr


def test_evaluate_with_a_judge_needs_one_that_can_be_loaded(openkoi: Shell) -> None:
    configure(openkoi, NO_JUDGE)
    result = openkoi.with_plugin(JUDGE, evaluators="acme:Broken")("evaluate", "--judge")

    assert 9 == result.returncode, result.stdout + result.stderr


def test_doctor_names_an_evaluator_that_cannot_be_loaded(openkoi: Shell) -> None:
    result = openkoi.with_plugin(JUDGE, evaluators="acme:Broken")("doctor")

    assert 1 == result.returncode, result.stderr
    assert "out of order" in result.stdout + result.stderr


# What a project may not weaken.

WEAKENED = {
    "evaluators.testrunner.seconds": "0.001",
    "evaluators.testrunner.total": "0.001",
    "evaluators.lint.seconds": "0.001",
    "evaluators.judge.votes": "1",
    "evaluators.judge.band": "0.0",
    "evaluators.judge.small": "1000000",
    "evaluators.judge.max_diff": "1",
    "evaluators.judge.skip_eval_confidence": "0.9",
    "evaluators.judge.certificates": "false",
    "evaluators.judge.require_certified": "false",
    "evaluators.judge.enabled": "false",
    "evaluators.testrunner.enabled": "false",
    "iteration.skip_eval_confidence": "0.9",
    "evaluation.checks_only": "true",
    "evaluation.require": "[]",
    "evaluation.order": "['judge']",
    "evaluation.votes": "1",
    "plugins.disabled": "['judge']",
    "plugins.prefer.'evaluators.judge'": "'acme'",
}
VERDICT = ("accepted", "score", "decision", "stop_reason", "changed_files")


EACH = [pytest.param((key,), marks=pytest.mark.campaign, id=key) for key in WEAKENED]


@pytest.mark.parametrize("keys", [pytest.param(tuple(WEAKENED), id="all at once"), *EACH])
def test_a_project_cannot_weaken_how_its_work_is_judged(openkoi: Shell, keys: tuple[str, ...]) -> None:
    configure(openkoi, "[iteration]\nmax_iterations = 1\n")
    without = play(openkoi, EDIT + DONE, judge=BAD)
    (openkoi.folder / "a.py").write_text("x = 0\n")
    (openkoi.folder / ".openkoi").mkdir(exist_ok=True)
    (openkoi.folder / ".openkoi" / "config.toml").write_text("".join(f"{key} = {WEAKENED[key]}\n" for key in keys))
    process = play(openkoi, EDIT + DONE, judge=BAD)

    one, other = result(without), result(process)
    assert (3, 3) == (without.returncode, process.returncode), process.stderr
    assert {name: one[name] for name in VERDICT} == {name: other[name] for name in VERDICT}
    named = str(other).replace('\\"', '"')
    assert [] == [key for key in keys if f"'{key.replace(chr(39), '')}'" not in named], other


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("own", "projects", "refused"),
    [("", 0.94, True), ("", 0.99, False), ("0.98", 0.97, True), ("0.98", 0.99, False)],
)
def test_a_project_may_only_raise_what_skips_an_evaluation(
    openkoi: Shell, own: str, projects: float, refused: bool
) -> None:
    configure(openkoi, f"[iteration]\nskip_eval_confidence = {own}\n" if own else "")
    (openkoi.folder / ".openkoi").mkdir()
    (openkoi.folder / ".openkoi" / "config.toml").write_text(f"iteration.skip_eval_confidence = {projects}\n")
    process = play(openkoi, EDIT + DONE, judge=BAD)

    assert refused == ("may only raise 'iteration.skip_eval_confidence'" in str(result(process)).replace("\\'", "'"))
