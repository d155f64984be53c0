"""Test that every ending of a run is reported once, in the requested format, and the same at every replay."""

import json
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

FORMATS = ("text", "json", "jsonl")
ACME = """
import asyncio, os, signal
from openkoi_hookspecs import Evaluation, Learning, Score, hookimpl

class Judge:
    judges = True

    def __init__(self, *, score: float = 1.0, interrupts: int = 0) -> None:
        self.score, self.interrupts = score, interrupts

    async def evaluate(self, work, run):
        if len(run.iterations) + 1 == self.interrupts:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(30)
        return Evaluation(scores=(Score("taste", self.score),))

class Learner:
    def __init__(self, *, interrupts: bool = False) -> None:
        self.interrupts = interrupts

    @hookimpl
    async def before_learn(self, result):
        if self.interrupts:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(30)
        return [Learning("l1", "fact", "Paris is large.")]
"""
TWO = "".join(f'  - says: "Draft {n}."\n    usage: {{input: 1000, output: 40}}\n' for n in (1, 2))
ONE = TWO[: TWO.index("  - says", 5)]
POOR = "[evaluators.acme]\nscore = 0.4\n"
ENDINGS = {
    "accepted": ("", TWO, 0, "Draft 1.\n"),
    "failed": (POOR, ONE, 1, ""),
    "interrupted": (POOR + "interrupts = 2\n", TWO, 130, ""),
    "budget": (POOR + "[iteration]\ntoken_budget = 2400\n", TWO, 4, "Draft 1.\n"),
    "learning": ("[hooks.acme]\ninterrupts = true\n", TWO, 130, "Draft 1.\n"),
}


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    return shell(tmp_path)


def configure(openkoi: Shell, text: str) -> None:
    openkoi.home.mkdir()
    (openkoi.home / "config.toml").write_text(f"[evaluators.judge]\nenabled = false\n{text}")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_replay_prints_what_was_printed_byte_for_byte(openkoi: Shell, ending: str, format: str) -> None:
    text, turns, status, words = ENDINGS[ending]
    acme = openkoi.with_plugin(ACME, evaluators="acme:Judge", hooks="acme:Learner")
    configure(acme, text)

    live = acme("-m", write_script(acme.folder, turns), "--format", format, "Write a letter about Paris")

    assert status == live.returncode, live.stderr
    assert live.stdout == acme("replay", "--format", format).stdout
    if format == "text":
        assert words == live.stdout
    else:
        assert bool(words) == json.loads(live.stdout.splitlines()[-1])["ok"]


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_the_object_holds_what_was_learned_and_comes_last(openkoi: Shell, format: str) -> None:
    acme = openkoi.with_plugin(ACME, evaluators="acme:Judge", hooks="acme:Learner")
    configure(acme, "")

    result = acme("-m", write_script(acme.folder, TWO), "--format", format, "Write a letter about Paris")

    assert ["Paris is large."] == json.loads(result.stdout.splitlines()[-1])["learnings"]


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        (["do it"], 9, "No model is configured"),
        (["do it", "--format", "jsonl"], 9, "No model is configured"),
        (["-m", "scriptd/x", "do it"], 2, "Did you mean 'scripted'?"),
        (["--iterate", "2"], 2, "No task given"),
        (["--config", "none.toml", "do it"], 2, "none.toml"),
        (["replay", "nosuch"], 2, "nosuch"),
    ],
)
def test_a_failure_is_an_object_and_a_sentence(openkoi: Shell, line: list[str], status: int, words: str) -> None:
    expect_json_error(openkoi, ["--format", "json", *line], status, words)


@pytest.mark.parametrize(
    ("file", "text", "status", "words"),
    [("data", "This is no folder.", 1, "so the task cannot run"), ("config.toml", "[models\n", 2, "config.toml")],
)
def test_so_is_a_file_that_stands_in_the_way(openkoi: Shell, file: str, text: str, status: int, words: str) -> None:
    openkoi.home.mkdir()
    (openkoi.home / file).write_text(text)

    expect_json_error(openkoi, ["-m", write_script(openkoi.folder, TWO), "--format", "json", "do it"], status, words)


def expect_json_error(openkoi: Shell, line: list[str], status: int, words: str) -> None:
    process = openkoi(*line)
    result = json.loads(process.stdout)

    assert status == process.returncode
    assert ("openkoi.result/1", False, False, None) == tuple(
        result[key] for key in ("schema", "ok", "accepted", "decision")
    )
    assert words in result["stop_reason"]
    assert 1 == process.stderr.count(result["stop_reason"])


RAISES = """
from openkoi_hookspecs import Model

class Acme:
    async def models(self):
        return [Model("one", context=1000, output=100)]

    async def chat(self, request):
        raise ValueError("the wheel came off")
        yield
"""


@pytest.mark.parametrize("format", FORMATS)
def test_what_went_wrong_is_said_once(openkoi: Shell, format: str) -> None:
    model = write_script(openkoi.folder, '  - when: {contains: "the moon"}\n    says: "Cheese."\n')
    unfit = openkoi("-m", model, "--format", format, "do it")
    broken = openkoi.with_plugin(RAISES, providers="acme:Acme")("-m", "acme/one", "--format", format, "do it")

    assert (1, 1) == (unfit.returncode, unfit.stderr.count("has no matching turn for this prompt"))
    assert (1, 1) == (broken.returncode, broken.stderr.count("the wheel came off"))
