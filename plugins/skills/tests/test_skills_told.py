"""Test the message when a skill is followed."""

import pytest

from openkoi_base.skillfile.locations import SkillSource
from openkoi_hookspecs import Record
from openkoi_runlog.report import Progress
from openkoi_skills.events import SkillActivated

pytestmark = pytest.mark.unit


@pytest.mark.row("CLI-42")
@pytest.mark.parametrize(
    ("line", "event"),
    [
        (
            "[skill] deploy (learned, conf: 0.89)",
            SkillActivated("deploy", source=SkillSource.PROPOSED.value, score=0.89),
        ),
        ("[skill] deploy (conf: 1.00)", SkillActivated("deploy", source=SkillSource.USER.value, score=1.0)),
        ("[skill] deploy (the model read it)", SkillActivated("deploy", why="the model read it")),
    ],
)
def test_a_skill_is_named_with_what_spoke_for_it(line: str, event: SkillActivated) -> None:
    assert [line] == list(Progress().format_record(Record("1", "2026-01-01T00:00:00Z", "", event)))
