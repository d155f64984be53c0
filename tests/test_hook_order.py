"""The implementations of a hook are called in the order that the contract states and a setting may change."""

from pathlib import Path

import pytest
from cli_process import shell, write_script
from documented_plugins import configure, events_of
from hostile_distributions import HOOK, install

from openkoi_hookspecs import events

OPTIONS = {"zebra": "(tryfirst=True)", "koi": "", "carp": "", "ant": "(trylast=True)"}
BODY = "@hookimpl{}\ndef before_plan():\n    return [Section('{}', 'Be.')]\n"


@pytest.mark.row("C33")
@pytest.mark.parametrize(
    ("order", "expected"),
    [([], ["zebra", "carp", "koi", "ant"]), (["koi", "ant"], ["koi", "ant", "zebra", "carp"])],
)
def test_tryfirst_then_names_then_trylast_unless_the_settings_say_otherwise(
    order: list[str], expected: list[str], tmp_path: Path
) -> None:
    openkoi, site = shell(tmp_path), tmp_path / "site"
    site.mkdir()
    for name, options in OPTIONS.items():
        install(site, name, HOOK + BODY.format(options, name))
    configure(openkoi, {"hooks": {"order": order}})
    model = write_script(openkoi.folder, "  - says: Done.\n")

    result = openkoi.seeing(site)("-m", model, "-i", "0", "Do it")
    called = [one.plugin for one in events_of(openkoi, events.HookReturned) if one.plugin in OPTIONS]

    assert 0 == result.returncode, result.stderr
    assert expected == called
