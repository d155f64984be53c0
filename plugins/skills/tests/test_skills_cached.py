"""Test that front matter is parsed only once while a file is unchanged."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from openkoi_base.skillfile.locations import FoundSkill, SkillSource, load_skill
from openkoi_base.skillfile.problem import InvalidSkillError
from openkoi_base.skillfile.skill import TASK
from openkoi_skills.front_matter_cache import FrontMatterCache
from openkoi_skills.hook import with_bodies
from openkoi_skills.library import SkillFinder, SuppliedSkills
from openkoi_skills.library_cache import LibraryCache
from openkoi_skills.skill_ranking import RankedSkill, Signals

POND = """\
---
name: pond
description: Cares for ponds.
when_to_use: When fish look sad.
allowed-tools: Read, Write
disable-model-invocation: true
metadata: {openkoi: {deterministic: true}}
---
Feed them.
"""


def write_pond(folder: Path, text: str = POND) -> Path:
    file = folder / "pond" / "SKILL.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return file


def open_cache(folder: Path) -> FrontMatterCache:
    return FrontMatterCache(folder / "cache", settled_seconds=-1.0)


def test_a_skill_from_the_cache_is_the_one_of_its_file_without_its_body(tmp_path: Path) -> None:
    file = write_pond(tmp_path)
    whole, first = load_skill(file, TASK), open_cache(tmp_path)
    skill = first.read(file, TASK)
    first.save()

    kept = open_cache(tmp_path).read(file, TASK)

    assert skill == kept
    assert ("", whole.purpose, whole.by_name, whole.tools) == (kept.body, kept.purpose, kept.by_name, kept.tools)
    assert (whole.name, whole.requires) == (kept.name, kept.requires)
    assert whole.metadata_value("deterministic") == kept.metadata_value("deterministic")


def test_an_unchanged_file_is_not_parsed_and_a_changed_one_is(tmp_path: Path) -> None:
    file, cache = write_pond(tmp_path), open_cache(tmp_path)
    cache.read(file, TASK)
    cache.save()
    cache.file.write_text(cache.file.read_text().replace("Cares for ponds.", "From the cache."))

    assert open_cache(tmp_path).read(file, TASK).purpose.startswith("From the cache.")
    write_pond(tmp_path, POND.replace("ponds", "lakes"))
    assert open_cache(tmp_path).read(file, TASK).purpose.startswith("Cares for lakes.")


def test_a_file_that_may_still_be_written_is_read_again(tmp_path: Path) -> None:
    file, cache = write_pond(tmp_path), FrontMatterCache(tmp_path / "cache")

    cache.read(file, TASK)
    cache.save()

    assert not cache.file.exists()


@pytest.mark.parametrize("content", ["", "[]", "[1]", "[1, []]", "{", '[0, {"task x": 1}]', "[" * 100_000])
def test_a_broken_cache_is_as_none(tmp_path: Path, content: str) -> None:
    file, cache = write_pond(tmp_path), open_cache(tmp_path)
    cache.file.parent.mkdir()
    cache.file.write_text(content)

    assert "pond" == open_cache(tmp_path).read(file, TASK).name


@pytest.mark.parametrize("entry", [1, [], [[]], None, {}])
def test_a_broken_entry_is_read_again(tmp_path: Path, entry: object) -> None:
    file, cache = write_pond(tmp_path), open_cache(tmp_path)
    cache.file.parent.mkdir()
    cache.file.write_text(json.dumps([1, {f"{TASK} {file}": entry}]))

    assert "pond" == open_cache(tmp_path).read(file, TASK).name


def test_a_date_is_kept_as_a_text_and_a_wrong_file_refused(tmp_path: Path) -> None:
    file = write_pond(tmp_path, "---\nname: pond\nmetadata: {made: 2026-01-02}\n---\nFeed.\n")
    cache = open_cache(tmp_path)
    first = cache.read(file, TASK)
    cache.save()
    again = open_cache(tmp_path)

    assert ("Feed.", {"made": "2026-01-02"}) == (first.purpose, first.metadata)
    assert first == again.read(file, TASK)
    assert not again.changed
    with pytest.raises(InvalidSkillError):
        cache.read(write_pond(tmp_path, "no front matter"), TASK)


class Calls:
    """Counts the calls of functions of the system by their names."""

    def __init__(self, *names: str) -> None:
        self.counts = dict.fromkeys(names, 0)

    def __call__(self, _frame: object, event: str, called: object) -> None:
        name = getattr(called, "__name__", "")
        if event == "c_call" and name in self.counts:
            self.counts[name] += 1

    def __enter__(self) -> "Calls":
        sys.setprofile(self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)


def make_skills(folder: Path, *numbers: int) -> None:
    for number in numbers:
        file = folder / f"pond-{number:03}" / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(POND.replace("name: pond", f"name: pond-{number:03}"))


@pytest.mark.skipif(os.name != "posix", reason="files are opened and listed by other functions elsewhere")
@pytest.mark.parametrize("kept", [True, False])
def test_a_task_lists_a_folder_once_asks_for_each_file_once_and_opens_none(tmp_path: Path, kept: bool) -> None:
    make_skills(tmp_path / "data" / "skills" / "user", *range(50))
    cache, finder = LibraryCache(tmp_path / "data" / "cache", settled_seconds=-1.0), SkillFinder(tmp_path / "data")
    first = cache.load_index(finder, tmp_path, SuppliedSkills())
    cache = cache if kept else LibraryCache(tmp_path / "data" / "cache", settled_seconds=-1.0)

    with Calls("stat", "open", "scandir", "loads") as calls:
        again = cache.load_index(finder, tmp_path, SuppliedSkills())

    roots = len(finder.list_places(tmp_path, SuppliedSkills()))
    assert first == again
    assert kept == (first is again)
    assert 50 == len(again.skills)
    assert calls.counts["stat"] <= 50 + 2 * roots
    assert calls.counts["scandir"] <= roots
    assert (not kept) == calls.counts["open"]  # a new process reads the cache


def test_a_change_in_place_a_new_skill_and_one_that_is_gone_are_seen(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "skills" / "user"
    make_skills(folder, *range(3))
    cache, finder = LibraryCache(tmp_path / "data" / "cache", settled_seconds=-1.0), SkillFinder(tmp_path / "data")
    libraries = [cache.load_index(finder, tmp_path, SuppliedSkills())]
    changes: tuple[Callable[[], object], ...] = (
        lambda: (folder / "pond-000" / "SKILL.md").write_text(POND.replace("ponds", "lakes")),
        lambda: make_skills(folder, 9),
        lambda: (folder / "pond-001" / "SKILL.md").unlink(),
    )
    for change in changes:
        change()
        libraries.append(cache.load_index(finder, tmp_path, SuppliedSkills()))

    assert [3, 3, 4, 3] == [len(one.skills) for one in libraries]
    assert 4 == len({one.digest for one in libraries})
    assert "Cares for lakes." in libraries[1].skills["pond"].skill.purpose


@pytest.mark.row("SKILL-08")
@pytest.mark.parametrize(
    ("source", "approved", "bodies"),
    [
        (SkillSource.USER, False, ["Feed them."]),
        (SkillSource.MANAGED, True, ["Feed them."]),
        (SkillSource.MANAGED, False, []),
    ],
)
def test_a_body_is_read_as_the_file_is_now_and_only_if_that_is_approved(
    tmp_path: Path, source: SkillSource, approved: bool, bodies: list[str]
) -> None:
    file = write_pond(tmp_path)
    skill = FoundSkill(open_cache(tmp_path).read(file, TASK), source, file)
    gone = FoundSkill(skill.skill, source, tmp_path / "none" / "SKILL.md")
    ranked = [RankedSkill(one, signals=Signals()) for one in (skill, gone)]

    found = with_bodies(ranked, lambda _folder, _digest: approved)

    assert bodies == [one.found.skill.body for one in found]


def test_a_listed_skill_is_shown_without_parsing_its_front_matter_again(tmp_path: Path) -> None:
    listed = FoundSkill(open_cache(tmp_path).read(write_pond(tmp_path), TASK), SkillSource.USER, write_pond(tmp_path))
    called = []
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        [shown] = with_bodies([RankedSkill(listed, signals=Signals())], lambda _folder, _digest: True)
    finally:
        sys.setprofile(None)

    assert "Feed them." == shown.found.skill.body
    assert "split_file" in called
    assert "parse_yaml" not in called
