"""Scripts of a project that are links: what is outside the project is named and never read, before any approval."""

from collections.abc import Callable
from pathlib import Path

import pytest
from script_runs import scripts_shell, write_all

from openkoi_hookspecs import KoiError
from openkoi_scripts.script_files import ScriptFile, ScriptPlaces, find_scripts

SECRET = "password = hunter2 hunter2\n"
SCRIPT = "def before_plan():\n    return []\n"


def link_script(hooks: Path, outside: Path) -> Path:
    (hooks / "own.star").symlink_to(outside / "foreign.star")
    return hooks / "own.star"


def link_secret_as_python(hooks: Path, outside: Path) -> Path:
    (hooks / "own.py").symlink_to(outside / "secret")
    return hooks / "own.py"


def link_by_dots(hooks: Path, outside: Path) -> Path:
    (hooks / "own.star").symlink_to(Path("..", "..", "..", outside.name, "foreign.star"))
    return hooks / "own.star"


def link_twice(hooks: Path, outside: Path) -> Path:
    (hooks.parent / "between").symlink_to(outside / "foreign.star")
    (hooks / "own.star").symlink_to(Path("..", "between"))
    return hooks / "own.star"


def link_through_folder(hooks: Path, outside: Path) -> Path:
    (hooks.parent / "between").symlink_to(outside)
    (hooks / "own.star").symlink_to(Path("..", "between", "foreign.star"))
    return hooks / "own.star"


def link_manifest(hooks: Path, outside: Path) -> Path:
    (hooks / "own.star").write_text(SCRIPT)
    (hooks / "own.toml").symlink_to(outside / "secret")
    return hooks / "own.toml"


def link_folder(hooks: Path, outside: Path) -> Path:
    hooks.rmdir()
    hooks.symlink_to(outside)
    return hooks


def link_parent(hooks: Path, outside: Path) -> Path:
    hooks.rmdir()
    hooks.parent.rmdir()
    write_all(outside / hooks.name, {"foreign.star": SCRIPT})
    hooks.parent.symlink_to(outside)
    return hooks


def link_command(hooks: Path, outside: Path) -> Path:
    commands = write_all(hooks.with_name("commands"), {})
    (commands / "own.star").symlink_to(outside / "secret")
    return commands / "own.star"


LINKS = [
    link_script,
    link_secret_as_python,
    link_by_dots,
    link_twice,
    link_through_folder,
    link_manifest,
    link_folder,
    link_parent,
    link_command,
]


def make_outside(folder: Path) -> Path:
    return write_all(folder / "outside", {"foreign.star": SCRIPT, "secret": SECRET})


@pytest.mark.parametrize("link", LINKS)
def test_a_link_of_a_project_that_leads_outside_is_named_and_not_read(
    tmp_path: Path, link: Callable[[Path, Path], Path]
) -> None:
    outside, hooks = make_outside(tmp_path), write_all(tmp_path / "project" / ".openkoi" / "hooks", {})
    named = link(hooks, outside)

    found = [*find_scripts(ScriptPlaces((), tmp_path / "user", (), tmp_path / "project"))]

    (error,) = found
    assert isinstance(error, KoiError)
    assert f"{named} is not read, because a symbolic link leads outside the project." in str(error)


def test_links_within_a_project_and_all_links_of_the_user_are_read(tmp_path: Path) -> None:
    outside, project = make_outside(tmp_path), tmp_path / "project"
    hooks = write_all(project / ".openkoi" / "hooks", {})
    write_all(project / "tools", {"inner.star": SCRIPT})
    (hooks / "inner.star").symlink_to(Path("..", "..", "tools", "inner.star"))
    (write_all(tmp_path / "user", {}) / "own.star").symlink_to(outside / "foreign.star")
    (tmp_path / "door").symlink_to(project)

    found = [*find_scripts(ScriptPlaces((), tmp_path / "user", (), tmp_path / "door"))]

    assert ["own", "inner"] == [one.name for one in found if isinstance(one, ScriptFile)]


@pytest.mark.parametrize("name", ["leak.star", "leak.py"])
@pytest.mark.row("SEC-03")
def test_no_line_of_a_foreign_file_is_shown(tmp_path: Path, name: str) -> None:
    openkoi = scripts_shell(tmp_path)
    (write_all(openkoi.folder / ".openkoi" / "hooks", {}) / name).symlink_to(make_outside(tmp_path) / "secret")

    result = openkoi("Say hello")

    assert 0 == result.returncode
    assert "hunter2" not in result.stdout + result.stderr
    assert f"{name} is not read, because a symbolic link leads outside the project." in result.stderr


@pytest.mark.parametrize("sign", ["\nOpenKoi: it is harmless.\n", "\x1b[2K\x1b[1A", "\u202e", "\u3164"])
def test_a_script_whose_name_hides_something_is_not_used(tmp_path: Path, sign: str) -> None:
    openkoi = scripts_shell(tmp_path)
    write_all(openkoi.folder / ".openkoi" / "hooks", {f"x{sign}.star": SCRIPT})

    result = openkoi("script", "list")

    assert "has a script named 'x" in result.stderr
    assert sign not in result.stdout + result.stderr
    assert "OpenKoi: it is harmless." not in (result.stdout + result.stderr).splitlines()


def test_a_description_is_shown_in_one_line(tmp_path: Path) -> None:
    openkoi = scripts_shell(tmp_path)
    manifest = 'description = "Nice.\\nOpenKoi: it is harmless.\\u202e"\n'
    write_all(openkoi.folder / ".openkoi" / "hooks", {"x.star": SCRIPT, "x.toml": manifest})

    result = openkoi("script", "list")

    assert "Nice. OpenKoi: it is harmless." in result.stdout
    assert "\u202e" not in result.stdout
