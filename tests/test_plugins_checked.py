"""``openkoi plugins`` imports plugins when something has changed, and shows what is broken as long as it is."""

import os
import re
from pathlib import Path

import pytest
from cli_process import Shell, shell, write_script

IMPORTED = "imported.txt"
COUNTS_IMPORTS = f"""\
from pathlib import Path

import openkoi_hookspecs

with Path(r"{{folder}}", "{IMPORTED}").open("a") as file:
    file.write("once\\n")
"""
RAISES = "raise ValueError('not today')\n"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A command line with a plugin that notes each of its imports, and files that OpenKoi keeps."""
    openkoi = shell(tmp_path)
    (openkoi.home / "data").mkdir(parents=True)
    return openkoi.with_plugin(COUNTS_IMPORTS.format(folder=tmp_path), hooks="acme")


def site(openkoi: Shell) -> Path:
    return openkoi.home.parent / "site"


def imports(openkoi: Shell) -> int:
    """Return how often the plugin has been imported."""
    noted = openkoi.home.parent / IMPORTED
    return len(noted.read_text().splitlines()) if noted.exists() else 0


def works(openkoi: Shell) -> bool:
    """Return whether the plugin is listed without a fault."""
    lines = openkoi("plugins").stdout.splitlines()
    line = lines[lines.index("acme 1.0") + 1]
    assert ["hooks", "acme"] == line.split()[:2]
    return " ! " not in line


def test_plugins_are_imported_again_only_when_something_has_changed(openkoi: Shell) -> None:
    assert (True, 1) == (works(openkoi), imports(openkoi))
    assert (True, 1) == (works(openkoi), imports(openkoi))

    os.utime(site(openkoi) / "acme.py")
    assert (True, 2) == (works(openkoi), imports(openkoi))

    (site(openkoi) / "other-1.0.dist-info").mkdir()
    assert (True, 3) == (works(openkoi), imports(openkoi))


def test_the_hooks_of_a_plugin_are_shown_with_when_they_were_called_last(openkoi: Shell) -> None:
    module = site(openkoi) / "acme.py"
    module.write_text(
        "from openkoi_hookspecs import hookimpl\n\n\n@hookimpl\ndef before_plan(task):\n    return None\n"
    )
    before = openkoi("plugins").stdout
    result = openkoi("-m", write_script(openkoi.folder, "  - {says: Hello.}\n"), "-i", "0", "Say hello")
    after = openkoi("plugins").stdout

    assert 0 == result.returncode, result.stderr
    assert "acme             no hook called yet" in before
    assert re.search(r"acme +before_plan \(last called \d+ seconds? ago\)", after), after


def test_a_plugin_that_breaks_later_is_shown_as_broken_until_it_works(openkoi: Shell) -> None:
    module = site(openkoi) / "acme.py"
    depends, info = site(openkoi) / "depends.py", site(openkoi) / "depends-1.0.dist-info"
    depends.touch()
    info.mkdir()
    working = f"import depends\n{module.read_text()}"
    module.write_text(working)
    assert works(openkoi)

    module.write_text(RAISES)
    assert not works(openkoi)
    assert not works(openkoi)
    module.write_text(working)
    assert works(openkoi)

    module.unlink()
    assert not works(openkoi)
    module.write_text(working)
    assert works(openkoi)

    depends.unlink()
    info.rmdir()
    assert not works(openkoi)
    depends.touch()
    assert works(openkoi)
