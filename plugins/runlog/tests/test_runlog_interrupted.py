"""An interruption, wherever it comes while lines are written, loses none of them and writes none twice."""

import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from openkoi_hookspecs.events import WarningIssued
from openkoi_runlog import RunLog, read_segment
from openkoi_runlog.select_records import iterate_needed, name_needed, select_lines

WORDS = [f"{number} {'x' * 9_000}" for number in range(3)]  # several blocks of the index


class Interruption:
    """Raises KeyboardInterrupt before the nth instruction of ``RunLog.write`` and of what it calls."""

    def __init__(self, after: int) -> None:
        self.left = after

    def enter(self, frame: FrameType, event: str, _: object) -> Any:
        """Trace what is called by ``RunLog.write``."""
        if not (frame.f_code is RunLog.write.__code__ or (frame.f_back and frame.f_back.f_trace)):
            return None
        frame.f_trace_opcodes = True
        return self.step

    def step(self, frame: FrameType, event: str, _: object) -> Any:
        """Count instructions."""
        self.left -= event == "opcode"
        if self.left == 0:
            sys.settrace(None)
            raise KeyboardInterrupt
        return self.step


def write_interrupted(log: RunLog, text: str, after: int) -> bool:
    """Log a warning; return whether so many instructions were needed that it was interrupted."""
    interruption, old = Interruption(after), sys.gettrace()
    sys.settrace(interruption.enter)
    try:
        with suppress(KeyboardInterrupt):
            log.append("run", [WarningIssued(text)])
    finally:
        sys.settrace(old)
    return interruption.left <= 0


def test_an_interruption_at_any_moment_writes_each_line_once(tmp_path: Path) -> None:
    after = 0
    interrupted = True
    while interrupted:
        after += 1
        log = RunLog(tmp_path / str(after), "s", str)
        for text in WORDS[:1]:
            log.append("run", [WarningIssued(text)])
        interrupted = write_interrupted(log, WORDS[1], after)
        log.append("run", [WarningIssued(WORDS[2])])

        whole = [record.event for record in read_segment(log.path)]
        lines = (line for _, line in iterate_needed(log.path, 0, name_needed([WarningIssued])))
        found = [*select_lines(lines, [WarningIssued])]
        log.close()
        assert [*map(WarningIssued, WORDS)] == whole, f"interrupted before instruction {after}"
        assert len(WORDS) == len(found)

    assert after > 50
