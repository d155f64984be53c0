"""Which project a workspace belongs to, and that telling it runs nothing of the project's."""

import subprocess
from pathlib import Path

import pytest

from openkoi_base.files.project import find_workspace, hash_path, project_id


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
    output = subprocess.run(["git", "-C", str(folder), *who, *arguments], capture_output=True, text=True, check=True)
    return output.stdout.strip()


def repository(folder: Path) -> Path:
    folder.mkdir()
    git(folder, "init", "--quiet")
    return folder


def committed(folder: Path) -> str:
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "one")
    return git(folder, "rev-parse", "HEAD")


def test_the_first_commit_names_the_project_below_its_folder_too(tmp_path: Path) -> None:
    first = committed(repository(tmp_path / "here"))
    committed(tmp_path / "here")
    (tmp_path / "here" / "deep").mkdir()

    assert [first] * 2 == [project_id(tmp_path / "here"), project_id(tmp_path / "here" / "deep")]


def test_a_file_outranks_git(tmp_path: Path) -> None:
    committed(repository(tmp_path / "here"))
    (tmp_path / "here" / ".openkoi").mkdir()
    (tmp_path / "here" / ".openkoi" / "project").write_text("shop\n")

    assert "shop" == project_id(tmp_path / "here")


@pytest.mark.parametrize("link", [".openkoi/project", ".openkoi"])
def test_a_link_names_no_project(tmp_path: Path, link: str) -> None:
    secret = tmp_path / "elsewhere" / "project"
    secret.parent.mkdir()
    secret.write_text("a private key")
    place = tmp_path / "here" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(secret if link.endswith("project") else secret.parent)

    assert hash_path(tmp_path / "here") == project_id(tmp_path / "here")


@pytest.mark.parametrize(("reply", "name"), [("a b\n\x1b[2J", "a-b-2J"), ("x" * 100, "x" * 64), ("\0\n", "")])
def test_a_name_is_short_and_plain(tmp_path: Path, reply: str, name: str) -> None:
    (tmp_path / ".openkoi").mkdir()
    (tmp_path / ".openkoi" / "project").write_text(reply)

    assert (name or str(tmp_path)) == project_id(tmp_path)


def test_without_a_commit_or_git_the_path_names_it(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()

    assert hash_path(tmp_path / "empty") == project_id(repository(tmp_path / "empty"))
    assert hash_path(tmp_path / "plain") == project_id(tmp_path / "plain")


@pytest.mark.parametrize("line", ["protocol.file.allow", "protocol.allow"])
def test_a_hostile_repository_runs_nothing(tmp_path: Path, line: str) -> None:
    head, marker = committed(repository(tmp_path / "there")), tmp_path / "marker"
    hostile = repository(tmp_path / "here")
    branch = git(hostile, "symbolic-ref", "HEAD")
    (hostile / ".git" / branch).write_text(f"{head}\n")
    for key, value in {
        "core.repositoryformatversion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": str(tmp_path / "there"),
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": f"touch '{marker}'; git-upload-pack",
        line: "always",
    }.items():
        git(hostile, "config", key, value)

    assert hash_path(hostile) == project_id(hostile)
    assert not marker.exists()


def test_the_workspace_is_the_nearest_repository_or_project_and_never_a_home_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, deep = tmp_path / "home", tmp_path / "home" / "shop" / "src" / "deep"
    deep.mkdir(parents=True)
    (home / ".git").mkdir()
    (home / ".openkoi").mkdir()
    monkeypatch.setenv("HOME", str(home))
    without = find_workspace(deep)
    (home / "shop" / ".git").write_text("gitdir: elsewhere\n")
    with_git = find_workspace(deep)
    (home / "shop" / "src" / ".openkoi").mkdir()

    assert (deep, home / "shop", home / "shop" / "src") == (without, with_git, find_workspace(deep))
    assert home == find_workspace(home)
