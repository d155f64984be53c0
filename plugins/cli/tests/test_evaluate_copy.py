"""The copy begins as it was and becomes as it is; the project is only read."""

import subprocess
from pathlib import Path

import pytest

from openkoi_cli.evaluate.git import find_repository, require_repository
from openkoi_cli.evaluate.workspace_copy import WorkspaceCopy
from openkoi_hookspecs import ConfigError

AUTHOR = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")


def git(folder: Path, *words: str) -> str:
    """Run git, as a person would."""
    result = subprocess.run(["git", "-C", str(folder), *AUTHOR, *words], capture_output=True, text=True, check=True)
    return result.stdout


def written(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def tree(folder: Path) -> dict[str, str]:
    """Every file in a folder, with what is in it."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(errors="replace") for path in paths}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository: one file was changed, one removed, one is new, one is hidden."""
    folder = written(tmp_path / "pond", {"a.py": "old", "gone/b.py": "b", ".gitignore": "*.env\n", "sub/c.py": "c"})
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    (folder / "gone/b.py").unlink()
    return written(folder, {"a.py": "new", "d.py": "d", "x.env": "secretless"})


def copy_of(folder: Path, to: Path, revision: str = "") -> WorkspaceCopy:
    repository = find_repository(folder)
    commit = repository.resolve_commit(revision) if repository and revision else ""
    return WorkspaceCopy(folder=folder, to=to / "copies" / folder.name, repository=repository, commit=commit)


def test_a_copy_begins_as_the_revision_was_with_what_the_machine_has(project: Path, tmp_path: Path) -> None:
    copy = copy_of(project, tmp_path, "HEAD")

    copy.lay_out_base()

    begun = {"a.py": "old", "gone/b.py": "b", ".gitignore": "*.env\n", "sub/c.py": "c", "x.env": "secretless"}
    assert begun == tree(copy.to)


def test_the_work_arrives_with_new_files_and_without_those_that_are_gone(project: Path, tmp_path: Path) -> None:
    copy = copy_of(project, tmp_path, "HEAD")
    copy.lay_out_base()

    copy.bring_up_to_date()

    now = {"a.py": "new", "d.py": "d", ".gitignore": "*.env\n", "sub/c.py": "c", "x.env": "secretless"}
    assert now == tree(copy.to)
    assert not (copy.to / "gone").exists()


def test_what_is_the_same_is_not_touched_so_that_builders_do_not_build_it_again(project: Path, tmp_path: Path) -> None:
    copy = copy_of(project, tmp_path, "HEAD")
    copy.lay_out_base()
    before = (copy.to / "sub/c.py").stat()

    copy.bring_up_to_date()

    assert (before.st_mtime_ns, before.st_ino) == (
        (copy.to / "sub/c.py").stat().st_mtime_ns,
        (copy.to / "sub/c.py").stat().st_ino,
    )


def test_the_repository_and_its_index_are_left_alone(project: Path, tmp_path: Path) -> None:
    git(project, "add", "a.py")
    before = (tree(project), (project / ".git/index").read_bytes())

    copy = copy_of(project, tmp_path, "HEAD")
    copy.lay_out_base()
    copy.bring_up_to_date()

    assert before == (tree(project), (project / ".git/index").read_bytes())


def test_a_folder_further_down_is_copied_alone_with_what_is_installed_above(project: Path, tmp_path: Path) -> None:
    written(project, {"node_modules/pad/index.js": "pad"})
    copy = copy_of(project / "sub", tmp_path, "HEAD")

    copy.lay_out_base()

    assert {"c.py": "c", "node_modules/pad/index.js": "pad"} == tree(copy.to)


def test_without_a_revision_a_copy_begins_empty(tmp_path: Path) -> None:
    folder = written(tmp_path / "plain", {"a.txt": "a", "__pycache__/a.pyc": "x", "deep/b.txt": "b"})
    copy = copy_of(folder, tmp_path)

    copy.lay_out_base()
    begun = tree(copy.to)
    copy.bring_up_to_date()

    assert ({}, {"a.txt": "a", "deep/b.txt": "b"}) == (begun, tree(copy.to))


def test_a_virtual_environment_is_linked_to_and_a_build_cache_left_out(tmp_path: Path) -> None:
    files = {"a.py": "a", ".venv/pyvenv.cfg": "", ".venv/bin/x": "x", "target/CACHEDIR.TAG": "", "target/big": "big"}
    copy = copy_of(written(tmp_path / "plain", files), tmp_path)

    copy.lay_out_base()
    copy.bring_up_to_date()

    assert {".venv", "a.py"} == {path.name for path in copy.to.iterdir()}
    assert (copy.to / ".venv").is_symlink()


def test_a_copy_is_known_by_its_place_alone(project: Path, tmp_path: Path) -> None:
    copy = copy_of(project, tmp_path, "HEAD")
    copy.lay_out_base()

    found = WorkspaceCopy.open_at(copy.to)

    assert copy == found
    assert WorkspaceCopy.open_at(project) is None


def test_nothing_changed_is_told_from_something_changed(project: Path, tmp_path: Path) -> None:
    copy = copy_of(project, tmp_path, "HEAD")
    copy.lay_out_base()
    changed = copy.is_changed()
    git(project, "checkout", "-q", ".")
    (project / "d.py").unlink()

    assert (True, False) == (changed, copy.is_changed())


def test_an_unknown_revision_and_a_folder_without_a_repository_are_said(project: Path, tmp_path: Path) -> None:
    plain = written(tmp_path / "plain", {"a": "a"})

    with pytest.raises(ConfigError, match="Unknown revision 'nowhere'"):
        require_repository(project, "nowhere").resolve_commit("nowhere")
    with pytest.raises(ConfigError, match="Omit --diff"):
        require_repository(plain, "HEAD")
