"""Test that the texts of skills are indexed in files, which are rebuilt after changes or damage."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from openkoi_base.skillfile.locations import FoundSkill, SkillSource
from openkoi_base.skillfile.skill import Skill
from openkoi_hookspecs import Embedding
from openkoi_search.lexical import Lexical
from openkoi_search.saved_index import open_saved_index
from openkoi_skills.library import SkillLibrary
from openkoi_skills.similarity import EVERYDAY, SHAPE, Meaning, embed_purposes, index_words, rate_fit
from openkoi_skills.skill_ranking import weigh_parts


def found(name: str, body: str = "Do it.") -> FoundSkill:
    return FoundSkill(Skill(name, f"About {name}", body), SkillSource.USER, Path(name) / "SKILL.md")


def library(skills: Sequence[FoundSkill], digest: str = "") -> SkillLibrary:
    return SkillLibrary({one.skill.name: one for one in skills}, digest=digest)


class Counting(Lexical):
    """An embedder that counts the texts that it embeds."""

    embedded = 0

    async def embed(self, texts: Sequence[str]) -> Embedding:
        self.embedded += len(texts)
        return await super().embed(texts)


def test_a_skill_is_found_by_how_its_text_begins_and_its_name_counts_more(tmp_path: Path) -> None:
    text = "# Terrapins\n\nA terrapin eats leaves.\n```\nprint(herons)\n```\n"
    skills = [found(name) for name in ("herons", "newts")] + [found("pets", text)]
    names = [one.skill.name for one in skills]

    search = open_saved_index(names, "", lambda: [weigh_parts(one.skill) for one in skills], tmp_path / "skills")

    assert ["pets"] == search("Is the terrapin well?", 2)
    assert ["herons"] == search("Is the heron well?", 2)


def test_what_a_text_says_later_is_found_and_what_it_begins_with_counts_more(tmp_path: Path) -> None:
    late = found("ponds", "water " * 400 + "Then feed the terrapin.")
    early = found("pets", "Feed the terrapin. " + "water " * 400)
    names = [one.skill.name for one in (late, early)]

    search = open_saved_index(
        names, "", lambda: [weigh_parts(one.skill) for one in (late, early)], tmp_path / "skills", SHAPE
    )

    assert ["pets", "ponds"] == search("Is the terrapin well?", 2)


def test_texts_are_read_once_for_as_long_as_the_digest_of_their_files_stays(tmp_path: Path) -> None:
    file = tmp_path / "pets" / "SKILL.md"
    file.parent.mkdir()
    file.write_text("---\nname: pets\ndescription: Cares.\n---\nFeed the terrapin.\n")
    pets = [FoundSkill(Skill("pets", "Cares.", ""), SkillSource.USER, file)]
    first = index_words(library(pets, "1"), tmp_path)
    file.write_text(file.read_text().replace("terrapin", "heron"))

    same, changed = index_words(library(pets, "1"), tmp_path), index_words(library(pets, "2"), tmp_path)

    assert ["pets"] == first("terrapin", 1) == same("terrapin", 1) == changed("heron", 1)
    assert [] == same("heron", 1)


def best(task: str, skills: Sequence[FoundSkill], embedder: Counting, folder: Path) -> str:
    """Return the skill that fits a task best by words and meaning."""
    [vector] = asyncio.run(Lexical().embed([task])).vectors
    there = library(skills, str(len(skills)))
    meaning = Meaning(vector, *embed_purposes(there, embedder, folder))
    return next(iter(rate_fit(task, index_words(there, folder), (), meaning).shares))


def test_only_new_purposes_are_embedded_and_a_damaged_file_is_made_again(tmp_path: Path) -> None:
    skills, embedder = [found(name) for name in ("koi", "ponds", "herons")], Counting()
    more = [*skills, found("newts")]

    assert "ponds" == best("the pond", skills, embedder, tmp_path) == best("the pond", skills, embedder, tmp_path)
    assert "newts" == best("the newt", more, embedder, tmp_path)
    assert len(EVERYDAY) + 4 == embedder.embedded  # each purpose and everyday subject once
    [file] = tmp_path.glob("*.vectors")
    file.write_bytes(file.read_bytes()[:90])
    assert "newts" == best("the newt", more, embedder, tmp_path)
    assert 2 * (len(EVERYDAY) + 4) == embedder.embedded
