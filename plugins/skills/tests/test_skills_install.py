"""Test that skills are installed from any source, unchanged or not at all."""

import os
import subprocess
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from skills_shop import TEXT, Shop

from openkoi_hookspecs import KoiError
from openkoi_learning.command import learn
from openkoi_skills.command import skill
from openkoi_skills.template import create_file


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return Shop(tmp_path)


@pytest.mark.row("SKILL-08", "C73")
def test_what_is_installed_is_pinned_to_what_it_was(shop: Shop) -> None:
    file = shop.put("elsewhere", "feed", "allowed-tools: Read\n")
    with pytest.raises(KoiError, match="no terminal is attached"):
        shop.openkoi("install", str(file.parent))

    target = shop.openkoi("install", str(file.parent), "--yes").stdout.strip()

    assert str(shop.data / "skills" / "managed" / "feed") == target
    assert "feed  It feeds.  [managed]" in shop.openkoi("list").stdout
    assert "already installed" in shop.openkoi("install", str(file.parent)).stdout
    (Path(target) / "more.md").write_text("More.")
    assert "feed  not used: its current content is not approved" in shop.openkoi("list").stdout


@pytest.mark.row("SKILL-08")
def test_skills_come_from_folders_files_archives_and_repositories(shop: Shop) -> None:
    several = shop.put("repo/skills", "feed").parent.parent.parent
    shop.put("repo/skills", "clean")
    shop.put("repo/rubrics", "taste", "kind: evaluator\nmetadata: {method: contains, expect: koi}\n")
    with zipfile.ZipFile(shop.folder / "some.zip", "w") as archive:
        archive.write(several / "skills" / "feed" / "SKILL.md", "feed/SKILL.md")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=several, check=True)

    managed = shop.data / "skills" / "managed"
    origins = {str(shop.folder / "some.zip"): managed / "feed", f"file://{several}#clean": managed / "clean"}
    origins[f"{several}#taste"] = shop.data / "evaluators" / "managed" / "taste"

    for origin, target in origins.items():
        assert str(target) == shop.openkoi("install", origin, "--yes").stdout.strip()
    with pytest.raises(KoiError, match=r"(?s)several skills.*clean, feed, taste"):
        shop.openkoi("install", str(several))
    with pytest.raises(KoiError, match=r"(?s)has no skill 'swim'\..*clean, feed, taste"):
        shop.openkoi("install", f"{several}#swim")


def test_a_repository_needs_git(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(KoiError, match=r"Failed to clone https://example\.com/a: git is not installed"):
        shop.openkoi("install", "https://example.com/a")


@pytest.mark.row("SKILL-08")
def test_learn_installs_too(shop: Shop) -> None:
    file = shop.put("elsewhere", "feed")
    learning = Shop(shop.folder, {"commands": {"skill": skill}}).koi

    result = CliRunner().invoke(learn, ["--install", str(file.parent)], obj=learning)
    with pytest.raises(KoiError, match="no terminal is attached"):
        raise result.exception or AssertionError(result.output)
    shop.openkoi("install", str(file.parent), "--yes")
    again = CliRunner().invoke(learn, ["--install", str(file.parent)], obj=learning)

    assert "feed is already installed.\n" == again.stdout
    assert (shop.data / "skills" / "managed" / "feed" / "SKILL.md").is_file()


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("no front matter", "SKILL.md:1: it does not start"),
        (TEXT.replace("{name}", "../up", 1), "SKILL.md:2: invalid name '../up'"),
    ],
)
def test_what_is_unfit_is_not_installed(shop: Shop, text: str, reply: str) -> None:
    file = shop.put("elsewhere", "feed", text=text)

    with pytest.raises(KoiError, match=reply):
        shop.openkoi("install", str(file.parent), "--yes")
    assert not (shop.data / "skills" / "managed").exists()


def test_an_archive_that_leads_elsewhere_is_refused(shop: Shop) -> None:
    with zipfile.ZipFile(shop.folder / "bad.zip", "w") as archive:
        archive.writestr("../../SKILL.md", TEXT.format(name="feed", more=""))

    with pytest.raises(KoiError, match="points outside of it"):
        shop.openkoi("install", str(shop.folder / "bad.zip"), "--yes")


@pytest.mark.row("SKILL-08")
def test_a_repository_that_is_a_skill_is_installed_without_its_history(shop: Shop) -> None:
    file = shop.put("elsewhere", "feed")
    for number in range(600):
        place = file.parent / ".git" / str(number)
        place.parent.mkdir(exist_ok=True)
        place.touch()

    target = Path(shop.openkoi("install", str(file.parent), "--yes").stdout.strip())

    assert [target / "SKILL.md"] == list(target.rglob("*"))


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_a_link_out_of_a_skill_is_not_followed(shop: Shop) -> None:
    file = shop.put("elsewhere", "feed")
    (file.parent / "keys").symlink_to(shop.folder)

    with pytest.raises(KoiError, match="links that point outside it"):
        shop.openkoi("install", str(file.parent), "--yes")


def test_a_disk_that_takes_no_skill_is_said_and_nothing_left_behind(shop: Shop) -> None:
    shop.data.mkdir(parents=True)
    with pytest.raises(OSError, match="name too long"):
        create_file(shop.data / "feed" / ("x" * 300), "Do it.")
    assert [] == list(shop.data.iterdir())
    (shop.data / "skills").write_text("no folder")

    with pytest.raises(KoiError, match=r"user/feed/SKILL\.md: Not a directory\. Move the file"):
        shop.openkoi("new", "feed")
