"""Late synchronous code is named after it returned; a program that embeds OpenKoi keeps its signals and timers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

PROGRAM = Path(__file__).with_name("embedding_run.py")
LATE = (
    "import time\nfrom openkoi_hookspecs import Section, hookimpl\n\n\n"
    "@hookimpl\ndef before_plan(task):\n    time.sleep(2.1)\n    return [Section('late', 'Better late than never.')]\n"
)
LATE_LOADING = "import time\ntime.sleep(5.1)\n\n\nclass Acme:\n    async def tools(self, run):\n        return []\n"


def run_embedded(openkoi: Shell, way: str) -> dict[str, object]:
    """Run the program that embeds OpenKoi; return what it printed last."""
    model = write_script(openkoi.folder, '  - when: {contains: ["never"]}\n    says: It is late.\n  - says: No idea.\n')
    result = subprocess.run(
        [sys.executable, str(PROGRAM), way, model],
        cwd=openkoi.folder,
        env=openkoi.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert 0 == result.returncode, result.stderr
    data: dict[str, object] = json.loads(result.stdout.splitlines()[-1])
    return {**data, "shown": result.stdout + result.stderr}


@pytest.mark.skipif(os.name != "posix", reason="timers are set as POSIX has them")
def test_a_program_that_embeds_the_library_keeps_its_timer_and_a_late_hook_is_named(tmp_path: Path) -> None:
    report = run_embedded(shell(tmp_path).with_plugin(LATE, hooks="acme"), "app")

    assert (True, "It is late.") == (report["own"], report["text"])
    assert int(str(report["rings"])) >= 20
    assert ["Plugin 'acme' took more than 2 s at before_plan"] == report["warnings"]


@pytest.mark.skipif(os.name != "posix", reason="timers are set as POSIX has them")
def test_a_program_that_embeds_the_command_line_keeps_its_timer_and_a_late_hook_is_named(tmp_path: Path) -> None:
    report = run_embedded(shell(tmp_path).with_plugin(LATE, hooks="acme"), "cli")

    assert (True, 0) == (report["own"], report["status"])
    assert int(str(report["rings"])) >= 20
    assert "It is late." in str(report["shown"])
    assert "Plugin 'acme' took more than 2 s at before_plan" in str(report["shown"])


def test_a_plugin_that_is_loaded_late_is_named_and_used(tmp_path: Path) -> None:
    openkoi = shell(tmp_path).with_plugin(LATE_LOADING, tools="acme:Acme")
    result = openkoi(
        "-m", write_script(openkoi.folder, "  - says: Done.\n"), "--no-judge", "--format", "json", "What is it?"
    )
    report = json.loads(result.stdout)

    assert (0, "Done.") == (result.returncode, report["output"])
    assert ["Plugin 'acme' took more than 5 s at loading"] == report["warnings"]
