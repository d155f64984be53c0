"""When each hook was last called is read from the log, whatever else its lines contain."""

from pathlib import Path

import pytest

from openkoi_hookspecs import HookActivity, events
from openkoi_runlog import RunLog
from openkoi_runlog.hook_times import read_hook_times

CALLED = HookActivity("before_plan", "acme", calls=1, last=7.0)
NEVER_CALLED = HookActivity("on_event", "acme")
DAMAGED = ('{"type":"hooks.called","data":[]}', '{"type":"hooks.called","data":{"activity":[7]}}', "\udcff")


def test_a_hook_that_was_never_called_has_no_time(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "s", str)
    log.append("run", [events.HooksCalled((NEVER_CALLED, CALLED))])
    log.close()

    assert {"acme": {"before_plan": 7.0}} == read_hook_times(tmp_path)


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_damaged_line_hides_no_other(tmp_path: Path, damaged: str) -> None:
    log = RunLog(tmp_path, "s", str)
    log.append("run", [events.HooksCalled((CALLED,))])
    log.close()
    with log.path.open("ab") as file:
        file.write(f"{damaged}\n".encode(errors="surrogateescape"))

    assert {"acme": {"before_plan": 7.0}} == read_hook_times(tmp_path)
