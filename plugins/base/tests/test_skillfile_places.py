"""Where skills are found, which outranks which, and what is not read without a person's word."""

import asyncio
import os
from pathlib import Path

import pytest

from openkoi_base.skillfile.approvals import Approvals
from openkoi_base.skillfile.digest import digest_path
from openkoi_base.skillfile.locations import (
    SkillLocation,
    SkillSource,
    collect_skills,
    list_locations,
    list_parents,
    plugin_locations,
    resolve_shadowing,
)
from openkoi_base.skillfile.skill import EVALUATOR, TASK
from openkoi_base.skillfile.validation import find_skill_file
from openkoi_hookspecs import NO, YES
from openkoi_testing import GivenPlugins, Scenario

TEXT = "---\nname: {name}\ndescription: It.\n---\nDo it.\n"


def put(folder: Path, name: str, text: str = TEXT) -> Path:
    file = folder / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(text.format(name=name), encoding="utf-8")
    return file


@pytest.mark.row("C2", "C3", "EVAL-21")
def test_there_are_eight_sources_in_this_order() -> None:
    assert ["user", "workspace", "proposed", "managed", "extra", "openclaw", "plugin", "bundled"] == list(SkillSource)


@pytest.mark.row("C3", "EVAL-21", "MEM-01")
def test_folders_are_looked_into_in_the_order_of_their_sources(tmp_path: Path) -> None:
    found = list_locations(EVALUATOR, tmp_path / "koi", tmp_path / "work", [tmp_path / "more"])

    order = list(SkillSource)
    assert sorted(found, key=lambda place: order.index(place.source)) == found
    assert {
        "koi/skills/evaluators",
        "koi/evaluators/user",
        "koi/evaluators/proposed",
        "koi/evaluators/managed",
        "work/.agents/evaluators",
        "work/.openkoi/evaluators",
        "more",
    } == {place.folder.relative_to(tmp_path).as_posix() for place in found}


@pytest.mark.row("SKILL-02", "MEM-01")
def test_skills_for_tasks_have_folders_of_their_own(tmp_path: Path) -> None:
    found = list_locations(TASK, tmp_path / "koi", tmp_path / "work")

    assert [
        *("koi/skills/user", "work/.agents/skills", "work/.openkoi/skills"),
        *("koi/skills/proposed", "koi/skills/managed"),
    ] == [place.folder.relative_to(tmp_path).as_posix() for place in found]


@pytest.mark.row("C4")
def test_a_person_s_other_folders_are_read_with_a_word_about_where_they_belong(tmp_path: Path) -> None:
    data = tmp_path / "home" / "data"
    put(data / "evaluators" / "user", "right")
    old = put(data / "skills" / "evaluators", "old")
    older = put(tmp_path / "home" / "evaluators" / "user", "older")

    library = collect_skills(list_locations(EVALUATOR, data, None))

    assert ["right", "old", "older"] == [one.skill.name for one in library.found]
    assert [
        f"{file.parent} is in an outdated location. Move it to {data / 'evaluators' / 'user'}." for file in (old, older)
    ] == list(library.complaints)


@pytest.mark.row("C4")
def test_skills_beside_the_settings_are_read_with_a_word_about_where_they_belong(tmp_path: Path) -> None:
    data = tmp_path / "home" / "data"
    put(data / "skills" / "user", "right")
    old = put(tmp_path / "home" / "skills" / "user", "old")

    library = collect_skills(list_locations(TASK, data, None), TASK)

    assert ["right", "old"] == [one.skill.name for one in library.found]
    assert (f"{old.parent} is in an outdated location. Move it to {data / 'skills' / 'user'}.",) == library.complaints


@pytest.mark.row("EVAL-23", "SKILL-05")
def test_what_we_proposed_waits_in_silence(tmp_path: Path) -> None:
    file = put(tmp_path / "evaluators" / "proposed", "draft")

    library = collect_skills(list_locations(EVALUATOR, tmp_path, None))

    assert ((), (), (), (file,)) == (library.found, library.waiting, library.complaints, library.proposed)


@pytest.mark.row("C73", "SKILL-05")
@pytest.mark.parametrize("source", [SkillSource.WORKSPACE, SkillSource.PROPOSED])
def test_what_a_person_has_not_approved_is_not_read(tmp_path: Path, source: SkillSource) -> None:
    file = put(tmp_path, "strange")
    place = SkillLocation(tmp_path, source)
    before = digest_path(file.parent)
    (file.parent / "run.sh").write_text("true")

    assert () == collect_skills([place]).found
    assert () == collect_skills([place], trust=lambda _, stamp: stamp == before).found
    assert 1 == len(
        collect_skills([place], trust=lambda folder, stamp: (folder, stamp) == (file.parent, digest_path(folder))).found
    )


def test_a_folder_that_holds_too_much_is_never_approved(tmp_path: Path) -> None:
    file = put(tmp_path, "vast")
    for number in range(501):
        (file.parent / str(number)).touch()

    assert () == collect_skills([SkillLocation(tmp_path, SkillSource.WORKSPACE)], trust=lambda *_: True).found


def test_the_digest_tells_names_and_contents_apart(tmp_path: Path) -> None:
    stamps = set()
    for number, (name, text) in enumerate([("a", "b c"), ("a b", "c"), ("ab", "c"), ("a", "bc")]):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / name).write_text(text)
        stamps.add(digest_path(folder))

    assert 4 == len(stamps)


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
@pytest.mark.row("C73")
def test_a_folder_with_a_link_out_of_it_is_never_approved(tmp_path: Path) -> None:
    file = put(tmp_path / "skills", "leads")
    (tmp_path / "elsewhere").mkdir()
    (file.parent / "more").symlink_to(tmp_path / "elsewhere")

    library = collect_skills([SkillLocation(tmp_path / "skills", SkillSource.WORKSPACE)], trust=lambda *_: True)

    assert ((), (file,)) == (library.found, library.waiting)


@pytest.mark.row("C73")
def test_an_approval_holds_for_one_place_with_one_content(tmp_path: Path) -> None:
    approved, file = Approvals(Scenario().build_app(tmp_path, tmp_path / "home")), put(tmp_path, "mine")
    approved.keep(file.parent, digest_path(file.parent), YES)

    assert approved(file.parent, digest_path(file.parent))
    assert not approved(tmp_path, digest_path(file.parent))
    assert not approved(file.parent, "")
    file.write_text("other")
    assert not approved(file.parent, digest_path(file.parent))


def test_a_refusal_is_kept_too(tmp_path: Path) -> None:
    approved = Approvals(Scenario().build_app(tmp_path, tmp_path / "home"))
    approved.keep(tmp_path, "d", NO)

    assert (False, NO, None) == (
        approved(tmp_path, "d"),
        approved.answer(tmp_path, "d"),
        approved.answer(tmp_path, "e"),
    )


def test_a_project_is_looked_at_up_to_the_root_of_its_repository(tmp_path: Path) -> None:
    inner = tmp_path / "repo" / "a" / "b"
    inner.mkdir(parents=True)

    assert [inner] == list_parents(inner)
    (tmp_path / "repo" / ".git").mkdir()
    assert [inner, inner.parent, tmp_path / "repo"] == list_parents(inner)


@pytest.mark.parametrize("name", ["SKILL.md", "skill.md", "Skill.MD"])
def test_the_file_is_found_however_its_name_is_spelled(tmp_path: Path, name: str) -> None:
    file = tmp_path / "mine" / name
    file.parent.mkdir()
    file.write_text(TEXT.format(name="mine"))

    assert [file] == [one.file for one in collect_skills([SkillLocation(tmp_path, SkillSource.USER)]).found]
    assert file == find_skill_file(file.parent)


@pytest.mark.row("C3")
def test_what_was_proposed_by_us_shadows_nobody(tmp_path: Path) -> None:
    proposed, managed = put(tmp_path / "proposed", "same"), put(tmp_path / "managed", "same")
    put(tmp_path / "proposed", "own")
    wanted = [
        SkillLocation(tmp_path / "proposed", SkillSource.PROPOSED),
        SkillLocation(tmp_path / "managed", SkillSource.MANAGED),
    ]

    library = resolve_shadowing(collect_skills(wanted, trust=lambda *_: True).found)

    assert [("own", "proposed"), ("same", "managed")] == [(one.skill.name, one.source) for one in library.found]
    complaint = f"{proposed} is not used, because another skill is named 'same'. Rename one of the two."
    assert (complaint,) == library.complaints
    assert managed in [one.file for one in library.found]


def test_of_one_name_the_higher_source_holds(tmp_path: Path) -> None:
    put(tmp_path / "user", "same")
    put(tmp_path / "extra", "same")
    wanted = [SkillLocation(tmp_path / "user", SkillSource.USER), SkillLocation(tmp_path / "extra", SkillSource.EXTRA)]

    assert [SkillSource.USER] == [one.source for one in resolve_shadowing(collect_skills(wanted).found).found]


@pytest.mark.row("EVAL-26")
def test_one_broken_file_costs_a_sentence(tmp_path: Path) -> None:
    put(tmp_path, "good")
    broken = put(tmp_path, "broken", "no front matter")

    library = collect_skills(
        [SkillLocation(tmp_path, SkillSource.USER), SkillLocation(tmp_path / "absent", SkillSource.EXTRA)]
    )

    assert ["good"] == [one.skill.name for one in library.found]
    assert [f"{broken} is not used"] == [complaint.partition(":")[0] for complaint in library.complaints]


def test_a_package_brings_a_folder(tmp_path: Path) -> None:
    put(tmp_path, "good", TEXT.replace("---\n", "---\nkind: evaluator\n", 1))
    put(tmp_path, "task")

    found, complaints = asyncio.run(plugin_locations(GivenPlugins({"skills": {"acme": tmp_path}}).plugins("skills")))

    assert ([(tmp_path, SkillSource.PLUGIN)], []) == ([(place.folder, place.source) for place in found], complaints)
    assert ["good"] == [one.skill.name for one in collect_skills(found).found]
    assert ["task"] == [one.skill.name for one in collect_skills(found, TASK).found]


def test_a_skill_in_the_folder_of_another_kind_is_left_out_and_named(tmp_path: Path) -> None:
    file = put(tmp_path, "odd", TEXT.replace("---\n", "---\nkind: task\n", 1))

    library = collect_skills([SkillLocation(tmp_path, SkillSource.USER)])

    assert ((), (f"{file} is not used: its kind is 'task', not 'evaluator'.",)) == (library.found, library.complaints)
