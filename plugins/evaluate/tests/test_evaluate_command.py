"""The command as a process: what a job in CI sees."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.row("C80")
def test_a_job_gets_a_verdict_on_stdout_and_a_status(tmp_path: Path) -> None:
    (tmp_path / "pond").mkdir()
    (tmp_path / "pond" / "broken.py").write_text("def depth(:\n")
    (tmp_path / "home").mkdir()
    config = "[evaluators.judge]\nenabled = false\n[evaluators.word-count]\nenabled = false\n"
    (tmp_path / "home" / "config.toml").write_text(config)
    env = {**os.environ, "OPENKOI_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-P", "-m", "openkoi", "evaluate", "pond", "--format", "sarif"]

    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    assert 3 == done.returncode, done.stderr
    (run,) = json.loads(done.stdout)["runs"]
    assert run["results"], done.stderr + done.stdout
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert ("pond/broken.py", 1) == (place["artifactLocation"]["uri"], place["region"]["startLine"])
