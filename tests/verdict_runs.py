"""Tasks with scripted models through the command line, and the folders they are done in."""

import json
from pathlib import Path
from subprocess import CompletedProcess

from cli_process import Shell, shell, write_script

TASK = "Edit a.py so that x is 3"
CASE = "class Case(unittest.TestCase):\n    def "
GREEN = f"import unittest\n\n\n{CASE}test_there(self):\n        pass\n"  # unittest starts faster than pytest
WAITING = f"import unittest\n\nimport a\n\n\n{CASE}test_x(self):\n        self.assertTrue(a.x == 3)\n"
DIMENSIONS = (
    *("correctness", "safety", "style", "completeness", "relevance", "quality"),
    *("clarity", "accuracy", "tone", "structure"),
)
EDIT = """\
  - when: {after: 0}
    says: I will edit it.
    calls: [{tool: write_file, arguments: {path: a.py, content: "x = 3\\n", overwrite: true}}]
    usage: {input: 10, output: 10}
"""
ANSWER_TURN = "  - says: {}\n    repeat: true\n    usage: {{input: 10, output: 10}}\n"
DONE = ANSWER_TURN.format("Done.")


def folder_with_test(tmp_path: Path) -> Shell:
    """Return a folder with a file and a passing test, and a home without memory of anything."""
    openkoi = shell(tmp_path)
    (openkoi.folder / "a.py").write_text("x = 0\n")
    (openkoi.folder / "test_there.py").write_text(GREEN)
    configure(openkoi, "")
    return openkoi


def write_script_outside(openkoi: Shell, turns: str, name: str = "script.yaml") -> str:
    """Write a script outside the workspace; return the model that plays it."""
    write_script(openkoi.folder.parent, turns, name)
    return f"scripted/{openkoi.folder.parent / name}"


def configure(openkoi: Shell, text: str) -> None:
    """Write a configuration; the example evaluator that a workspace installs is not among the default plugins."""
    openkoi.home.mkdir(exist_ok=True)
    (openkoi.home / "config.toml").write_text(f"[evaluators.word-count]\nenabled = false\n{text}")


def play(openkoi: Shell, executor: str, *options: str, judge: str = "", task: str = TASK) -> CompletedProcess[str]:
    """Do a task with scripted models, as JSON."""
    evaluator = ["--evaluator", write_script_outside(openkoi, judge, "judge.yaml")] if judge else []
    model = ["--executor", write_script_outside(openkoi, executor, "executor.yaml")]
    return openkoi(task, *model, *evaluator, "--format", "json", *options)


def verdict(score: float, finding: str = "") -> str:
    """Return a judge's answer by whatever rubric, in one line."""
    found = [{"severity": "important", "dimension": "quality", "title": finding, "fix": finding}] if finding else []
    scores = {**dict.fromkeys(DIMENSIONS, score), "other_task": 0.0}
    return json.dumps({"scores": scores, "findings": found, "suggestion": ""})


def judge_of(score: float, *contains: str, finding: str = "") -> str:
    """Return a judge that always gives this score, where the prompt contains these texts."""
    when = f"{{tools: false, contains: {json.dumps(contains)}}}"
    reply = verdict(score, finding)
    return f"  - when: {when}\n    repeat: true\n    says: |\n      {reply}\n    usage: {{input: 100, output: 10}}\n"


def result(done: CompletedProcess[str]) -> dict[str, object]:
    found: dict[str, object] = json.loads(done.stdout)
    return found
