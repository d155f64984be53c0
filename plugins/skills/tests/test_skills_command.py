"""Test ``openkoi skill`` in a real home and project."""

import json
import os
import zipfile
from pathlib import Path

import pytest
from skills_shop import TEXT, Shop

from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.digest import digest_path
from openkoi_base.skillfile.validation import validate
from openkoi_hookspecs import YES, KoiError, PluginNotFoundError, ToolError
from openkoi_skills.supplies import distinguish_titles, find_supplies
from openkoi_skills.template import create_file, report_write_errors


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return Shop(tmp_path)


def test_a_new_skill_is_valid_in_the_strict_sense_and_in_the_list(shop: Shop) -> None:
    results = [
        shop.openkoi("new", "feed-koi", "--description", "Feeds: koi"),
        shop.openkoi("new", "other", "--project"),
    ]
    results.append(shop.openkoi("new", "taste", "--kind", "evaluator"))

    files = [Path(one.stdout.strip()) for one in results]
    assert [[], [], []] == [validate(file, strict=True) for file in files]
    assert shop.data / "skills" / "user" / "feed-koi" / "SKILL.md" == files[0]
    output = shop.openkoi("list").stdout
    assert "feed-koi  Feeds: koi  [user]" in output
    assert "other  not used: its current content is not approved" in output
    assert "taste (evaluator)" in output
    with pytest.raises(KoiError, match="already exists"):
        shop.openkoi("new", "feed-koi")
    with pytest.raises(KoiError, match="lower-case letters"):
        shop.openkoi("new", "Feed Koi")


def test_the_list_says_for_programs_why_something_is_not_used(shop: Shop) -> None:
    shop.put("home/data/skills/user", "feed", "metadata: {os: plan9}\n")

    (row,) = json.loads(shop.openkoi("list", "--format", "json").stdout)

    assert ("feed", "user") == (row["name"], row["source"])
    assert row["unused"].startswith("it requires plan9")


@pytest.mark.row("EVAL-14")
def test_validate_names_file_and_line_of_skills_and_evaluators(shop: Shop) -> None:
    bad = shop.put("work/.agents/evaluators", "taste", "kind: evaluator\nmetadata: {method: guess}\n")
    good = shop.put("home/data/skills/user", "feed")

    found, fine = shop.openkoi("validate"), shop.openkoi("validate", str(good))

    assert (1, 0) == (found.exit_code, fine.exit_code)
    assert found.stdout.startswith(f"{bad}:5: unknown method 'guess'")
    assert "2 checked, 1 with errors." in found.stderr
    assert 1 == shop.openkoi("validate", "--strict", str(shop.put("x", "Feed Koi").parent.parent)).exit_code


def test_trust_is_given_and_taken_back(shop: Shop) -> None:
    shop.put("work/.agents/skills", "feed")
    (shop.folder / "work" / "AGENTS.md").write_text("Be kind.")

    with pytest.raises(KoiError, match="no terminal is attached"):
        shop.openkoi("trust")
    rules, feed = (f"{shop.folder}/work/{place}" for place in ("AGENTS.md", ".agents/skills/feed"))
    assert f"Trusted:\n  AGENTS.md  {rules}\n  skill feed  {feed}\n" == shop.openkoi("trust", "--yes").stdout
    assert "feed  It feeds.  [workspace]" in shop.openkoi("list").stdout
    assert "Nothing to decide.\n" == shop.openkoi("trust", "--yes").stdout
    assert f"No longer trusted:\n  skill feed  {feed}\n" == shop.openkoi("trust", "feed", "--revoke").stdout
    assert "feed  not used" in shop.openkoi("list").stdout


def test_a_skill_is_shown_as_it_is_written_without_what_steers_a_terminal(shop: Shop) -> None:
    file = shop.put("work/.agents/skills", "feed", text=TEXT + "\x1b[2J\u202e")
    (file.parent / "more.md").write_text("More.")

    assert "Do it.\n?[2J?\n" == shop.openkoi("show", "feed").stdout.partition("---\nDo")[2].join(["Do", ""])
    with pytest.raises(PluginNotFoundError, match="Did you mean 'feed'"):
        shop.openkoi("show", "fed")


def test_what_was_mended_in_reading_is_told_and_is_no_mistake(shop: Shop) -> None:
    file = shop.put("home/data/skills/user", "feed", text=TEXT.replace("It {name}s.", "Use when: koi are hungry"))

    output, result = shop.openkoi("validate"), shop.openkoi("list")

    assert (0, "") == (output.exit_code, output.stdout)
    assert all(f"warning: {file}:3: 'description' is not valid YAML" in one.stderr for one in (output, result))
    assert "feed  Use when: koi are hungry  [user]" in result.stdout
    assert 1 == shop.openkoi("validate", "--strict").exit_code
    assert "warning: line 3: 'description'" in shop.openkoi("install", str(file.parent), "--yes").stderr


def test_what_is_proposed_is_listed_with_the_command_that_decides(shop: Shop) -> None:
    shop.put("home/data/skills/proposed", "feed")
    shop.put("home/data/evaluators/proposed", "taste", "kind: evaluator\n")

    result = shop.openkoi("list")

    assert [
        "feed  not used: it is a proposal that is not approved; run `openkoi learn`",
        "taste (evaluator)  not used: it is a proposal that is not approved; run `openkoi learn`",
    ] == [line.partition("  (")[0] for line in result.stdout.splitlines()]
    assert (2, "") == (result.stdout.count("openkoi learn"), result.stderr)


def test_each_mistake_says_what_to_do(shop: Shop) -> None:
    (shop.folder / "cut.zip").write_bytes(zipped(shop).replace(b"Do it", b"Do at"))
    (shop.folder / "elsewhere" / "bad").mkdir(parents=True)
    (shop.folder / "elsewhere" / "bad" / "SKILL.md").write_text("---\nname: a\n")

    with pytest.raises(KoiError, match=r"^bad/SKILL\.md:1: the front matter has no end"):
        shop.openkoi("install", str(shop.folder / "elsewhere" / "bad"), "--yes")
    with pytest.raises(KoiError, match="Did you mean 'feed-koi'"):
        shop.openkoi("new", "Feed Koi!")
    with pytest.raises(PluginNotFoundError, match="Available: none"):
        shop.openkoi("trust", "nobody")
    with pytest.raises(KoiError, match="Check the URL"):
        shop.openkoi("install", f"file://{shop.folder / 'nowhere'}", "--yes")
    with pytest.raises(KoiError, match=": Bad CRC"):
        shop.openkoi("install", str(shop.folder / "cut.zip"), "--yes")


def test_a_file_in_the_way_of_a_new_skill_is_not_said_to_need_space(tmp_path: Path) -> None:
    (tmp_path / "skills").write_text("no folder can be made here")
    file = tmp_path / "skills" / "new" / "SKILL.md"

    with (
        pytest.raises(KoiError, match=r"Not a directory\. Move the file that is in the way\.$"),
        report_write_errors(file),
    ):
        create_file(file, "a skill")


def test_validate_looks_through_folders_however_deep(shop: Shop) -> None:
    bad = shop.put("all/birds/water", "heron", text="none")
    shop.put("all/fish", "koi")
    shop.put("all/fish/koi/examples", "inner", text="none")
    shop.put("all/node_modules/x", "other", text="none")

    found = shop.openkoi("validate", str(shop.folder / "all"))

    assert f"{bad}:1: it does not start with YAML between two lines of three dashes\n" == found.stdout
    assert "2 checked, 1 with errors." in found.stderr


def test_what_lies_beside_a_skill_can_be_read_before_it_is_trusted(shop: Shop) -> None:
    file = shop.put("work/.agents/skills", "feed")
    (file.parent / "run.sh").write_text("rm all")

    assert "rm all\n" == shop.openkoi("show", "feed", "--file", "run.sh").stdout
    for name in ("../feed", "\0", "none"):
        with pytest.raises(ToolError, match=r"Its files: run\.sh"):
            shop.openkoi("show", "feed", "--file", name)


@pytest.mark.row("SKILL-03", "C3")
def test_the_list_names_what_gives_way_to_another_of_its_name(shop: Shop) -> None:
    file = shop.put("home/data/skills/user", "feed")
    shop.put("home/data/skills/user", "other", text=TEXT.replace("{name}", "feed"))
    shop.put("home/data/skills/user", "quiet", "disable-model-invocation: true\n")

    lines = shop.openkoi("list").stdout.splitlines()

    assert ["feed  It feeds.  [user]", "quiet  It quiets.  [user, only when asked for by name]"] == lines[:2]
    assert lines[2].startswith(f"feed  not used: {file} has the same name and takes precedence")


@pytest.mark.row("SKILL-08")
def test_a_name_that_others_gave_as_they_liked_is_mended(shop: Shop) -> None:
    file = shop.put("elsewhere", "Pond Care")
    nameless = shop.put("elsewhere", "\u9ca4\u9c7c")

    target = shop.openkoi("install", str(file.parent), "--yes").stdout.strip()

    assert str(shop.data / "skills" / "managed" / "pond-care") == target
    assert "pond-care  It Pond Cares.  [managed]" in shop.openkoi("list").stdout
    assert "name: Pond Care" in shop.openkoi("show", "Pond Care").stdout
    with pytest.raises(KoiError, match="Invalid name"):
        shop.openkoi("install", str(nameless.parent), "--yes")


def test_two_of_one_name_are_told_apart_and_decided_about_by_their_folders(shop: Shop) -> None:
    one, other = (shop.put(f"work/{place}/skills", "feed").parent for place in (".agents", ".openkoi"))

    assert f"Trusted:\n  skill feed  {one}\n" == shop.openkoi("trust", str(one), "--yes").stdout
    assert f"Trusted:\n  skill feed  {other}\n" == shop.openkoi("trust", "feed", "--yes").stdout
    every = find_supplies(shop.data, shop.folder / "work")
    assert [f"skill feed ({one})", f"skill feed ({other})"] == distinguish_titles(every)
    assert ["skill feed"] == distinguish_titles(every[:1])


@pytest.mark.row("C3")
def test_what_was_generated_and_approved_is_listed_as_that(shop: Shop) -> None:
    folder = shop.put("home/data/skills/proposed", "feed").parent
    Approvals(shop.koi).keep(folder, digest_path(folder), YES)  # type: ignore[arg-type]  # as much of a Koi as it needs

    assert "feed  It feeds.  [generated, approved]\n" == shop.openkoi("list").stdout
    shop.put("home/data/skills/user", "feed")
    assert "feed  It feeds.  [user]" == shop.openkoi("list").stdout.splitlines()[0]


@pytest.mark.row("SKILL-01")
@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_what_is_no_file_is_named_with_its_reason(shop: Shop) -> None:
    mine = shop.data / "skills" / "user"
    made = {name: mine / name / "SKILL.md" for name in ("device", "folder", "gone")}
    made["folder"].mkdir(parents=True)
    for name, target in (("device", "/dev/zero"), ("gone", "nowhere")):
        made[name].parent.mkdir()
        made[name].symlink_to(target)
    shop.put("home/data/skills/user", "[", "name: [\n")
    reasons = {
        "device": "it is not a regular file",
        "folder": "it is a folder,",
        "gone": "it is a broken link to nowhere",
    }

    text, checked = shop.openkoi("list").stderr, shop.openkoi("validate")
    result = shop.openkoi("validate", *map(str, (made["device"], made["folder"])))

    for name, reason in reasons.items():
        assert f"{made[name]} is not used: line 1: it cannot be read: {reason}" in text
        assert f"{made[name]}:1: it cannot be read: {reason}" in checked.stdout
    assert f"{mine / '[' / 'SKILL.md'} is not used: line 4: invalid name '['" in text
    assert (1, 1, 2) == (checked.exit_code, result.exit_code, result.stdout.count("it cannot be read"))


def zipped(shop: Shop) -> bytes:
    """The bytes of an archive with a skill in it."""
    file = shop.folder / "whole.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("feed/SKILL.md", TEXT.format(name="feed", more=""))
    return file.read_bytes()
