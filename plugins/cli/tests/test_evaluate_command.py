"""The command as a process: what a job in CI sees."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

OFF = {"word-count": "enabled = false", "judge": 'rubric = "general"'}
JUDGELESS = {**OFF, "judge": "enabled = false"}
GREEN = {
    "pond.py": "def depth(n: int) -> int:\n    return n + 1\n",
    "test_pond.py": "from pond import depth\n\n\ndef test_depth() -> None:\n    assert depth(1) == 2\n",
}
WORDS = {"pond.txt": "deep\n"}
VERDICT = '{"scores": {"relevance": 1, "quality": 1, "completeness": 1, "other_task": 0}, "findings": []}'
SCRIPT = f"turns:\n  - says: '{VERDICT}'\n    repeat: true\n"


def job(
    folder: Path, files: Mapping[str, str], evaluators: Mapping[str, str], *words: str, model: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run it on a folder with these files, in a home where these evaluators are configured."""
    for name, text in {
        "pond/.keep": "",
        "home/.keep": "",
        **{f"pond/{name}": text for name, text in files.items()},
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    tables = "".join(f"[evaluators.{name}]\n{line}\n" for name, line in evaluators.items())
    (folder / "home" / "config.toml").write_text(tables, encoding="utf-8")
    (folder / "script.yaml").write_text(SCRIPT, encoding="utf-8")
    env = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_BASE_URL"))}
    env["PYTHONPATH"] = str(folder / "site")
    env |= {"OPENKOI_HOME": str(folder / "home"), "OLLAMA_HOST": "127.0.0.1:1", "OPENKOI_MODEL": model}
    command = [sys.executable, "-P", "-m", "openkoi", "evaluate", "pond", *words]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.row("C80")
def test_a_job_gets_a_report_on_stdout_and_a_status(tmp_path: Path) -> None:
    result = job(tmp_path, {"broken.py": "def depth(:\n"}, JUDGELESS, "--format", "sarif")

    assert 3 == result.returncode, result.stderr
    (run,) = json.loads(result.stdout)["runs"]
    assert run["results"], result.stderr + result.stdout
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert ("pond/broken.py", 1) == (place["artifactLocation"]["uri"], place["region"]["startLine"])


MODEL = "scripted/script.yaml"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("files", "evaluators", "words", "model", "status", "reply"),
    [
        (GREEN, JUDGELESS, (), "", 0, "accepted: pond: not judged: "),
        (GREEN, OFF, (), "", 0, "No judge was used; the checks decide."),
        (GREEN, OFF, ("--no-judge",), MODEL, 0, "No judge was used because of --no-judge; the checks decide."),
        (WORDS, OFF, ("--no-judge",), MODEL, 3, "not judged, and no check ran"),
        (WORDS, JUDGELESS, (), "", 3, "not judged, and no check ran"),
        (GREEN, OFF, ("--judge",), MODEL, 0, "score 1.00 of 0.80"),
        (WORDS, OFF, (), MODEL, 0, "score 1.00 of 0.80"),
        (GREEN, JUDGELESS, ("--judge",), MODEL, 9, "--judge needs an evaluator that judges, and none is enabled"),
        (GREEN, OFF, ("--judge",), "", 9, "No model is configured"),
    ],
    ids=[
        "green without a judge",
        "green without a model",
        "green, judge left out",
        "nothing to check, judge left out",
        "nothing to check without a judge",
        "judge asked for",
        "judge alone",
        "no judge is enabled",
        "no model",
    ],
)
def test_the_status_says_on_what_it_rests(
    tmp_path: Path,
    files: Mapping[str, str],
    evaluators: Mapping[str, str],
    words: tuple[str, ...],
    model: str,
    status: int,
    reply: str,
) -> None:
    result = job(tmp_path, files, evaluators, *words, model=model)

    assert status == result.returncode, result.stderr + result.stdout
    assert reply in result.stderr + result.stdout


def test_an_evaluator_that_cannot_be_loaded_is_named_and_missed(tmp_path: Path) -> None:
    site = tmp_path / "site" / "broken-1.dist-info"
    site.mkdir(parents=True)
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (site / "entry_points.txt").write_text("[openkoi.evaluators]\nbroken = no_such_module:Broken\n")

    result = job(tmp_path, GREEN, JUDGELESS)

    assert 3 == result.returncode, result.stderr
    assert "no_such_module" in result.stderr
