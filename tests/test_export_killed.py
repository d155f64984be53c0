"""An export that is killed leaves nothing under its name, or all of it; the next one works and tidies up.

A process of its own exports again and again, each time in a fork of itself that is killed before another of the things
that it does to files: so every step is met, and no clock decides which.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from openkoi_cli.archive.audit import audit_log
from openkoi_cli.archive.importer import import_export
from openkoi_cli.archive.segments import Log
from openkoi_runlog import RunLog
from openkoi_testing.contracts.memory_log import run_records

STEPS = ("open", "os.mkdir", "os.rename", "os.rmdir", "os.remove", "tempfile.mkdtemp")
KILLED = """
import json, os, shutil, signal, sys
from pathlib import Path
from openkoi_cli.archive.exporter import ExportOptions, export_tasks
from openkoi_cli.archive.json_export import UserFiles
from openkoi_cli.archive.task_selection import TaskSelection

format, folder, most, steps = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4].split()
order = ExportOptions(format, folder / "out", TaskSelection())
own = UserFiles(folder / "data", folder / "data" / "config.toml")
happened, last, counting = 0, -1, False

def step(event, _):
    global happened
    if counting and event in steps:
        happened += 1
        if happened > last >= 0:
            os.kill(os.getpid(), signal.SIGKILL)

def names():
    return sorted(str(path.relative_to(order.output)) for path in order.output.rglob("*"))

sys.addaudithook(step)
export_tasks(order, own, str)
shutil.rmtree(order.output)
counting = True
export_tasks(order, own, str)
counting, all_steps, whole = False, happened, names()
for last in range(0, all_steps, max(1, all_steps // most)):
    shutil.rmtree(order.output)
    child = os.fork()
    if not child:
        happened, counting = 0, True
        export_tasks(order, own, str)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    half = order.output.exists() and names() != whole
    if not order.output.exists():
        export_tasks(order, own, str)
    left = [path.name for path in folder.iterdir() if path.name not in ("data", "out")]
    print(json.dumps([status, half, names() == whole, left]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="forks, signals and locks of POSIX")
@pytest.mark.parametrize("most", [5, pytest.param(500, marks=pytest.mark.campaign)])
@pytest.mark.parametrize(
    "format", ["json", *(pytest.param(one, marks=pytest.mark.campaign) for one in ("parquet", "markdown"))]
)
def test_a_killed_export_leaves_no_half_under_its_name_and_the_next_one_works(
    tmp_path: Path, format: str, most: int
) -> None:
    log = RunLog(tmp_path / "data" / "sessions", "20260302T090000-aaaaaaaa", str)
    log.append("r1", [record.event for record in run_records("r1", "Mend the parser")])
    log.close()

    result = subprocess.run(
        [sys.executable, "-c", KILLED, format, str(tmp_path), str(most), " ".join(STEPS)],
        capture_output=True,
        text=True,
        check=False,
    )

    outcomes = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(outcomes) >= 5, result.stderr
    assert [] == [one for one in outcomes if one != [9, False, True, []]]
    if format == "json":
        assert [] == audit_log(Log(tmp_path / "out")).errors
        assert 14 == import_export(tmp_path / "out", Log(tmp_path / "other"), str).records
