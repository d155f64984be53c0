"""Test the samples for judges: sound work, and one defect planted by code."""

import ast

import pytest

from openkoi_base.skillfile.evaluator import Rubric
from openkoi_certify import GoldenSet, SampleKind, find_golden_set, make_samples
from openkoi_certify.golden_set import FOLDER, read_set
from openkoi_certify.mutations import plant_defect
from openkoi_certify.sample import hash_samples

SETS = [read_set(file) for file in sorted(FOLDER.glob("*.toml"))]
NAMES = ("one", "two")


@pytest.mark.parametrize("golden", SETS, ids=lambda golden: golden.name)
def test_each_defect_finds_a_place_in_each_work_and_changes_one_file(golden: GoldenSet) -> None:
    for work in (*golden.works, *golden.reserve):
        for name in golden.defects:
            damaged = plant_defect(work.draft, name)

            assert damaged is not None, f"{name} in {work.name}"
            changed = [file for file, text in damaged.files.items() if work.draft.files.get(file) != text]
            assert 1 == len(changed)


@pytest.mark.parametrize("golden", SETS, ids=lambda golden: golden.name)
def test_what_is_python_stays_python(golden: GoldenSet) -> None:
    drafts = [plant_defect(work.draft, name) for work in (*golden.works, *golden.reserve) for name in golden.defects]
    sources = [text for draft in drafts if draft for file, text in draft.files.items() if file.endswith(".py")]

    for text in sources:
        ast.parse(text)


@pytest.mark.parametrize("golden", SETS, ids=lambda golden: golden.name)
def test_there_are_clean_controls_and_twins_of_every_kind(golden: GoldenSet) -> None:
    samples = make_samples(golden, NAMES)
    ids = {sample.id for sample in samples}

    assert set(SampleKind) == {sample.kind for sample in samples}
    assert len(ids) == len(samples)
    assert all(sample.twin in ids for sample in samples if sample.twin)


@pytest.mark.parametrize(
    ("rubric", "expected"),
    [
        (Rubric("code-review"), "code-review"),
        (Rubric("haiku", categories=("writing",)), "prose-quality"),
        (Rubric("ledgers", categories=("finance",)), "general"),
    ],
)
def test_a_rubric_is_tried_with_the_set_of_its_kind(rubric: Rubric, expected: str) -> None:
    assert expected == find_golden_set(rubric).name


def test_the_set_has_another_version_when_a_sample_is_another() -> None:
    one, other = (make_samples(golden, NAMES) for golden in SETS[:2])

    assert hash_samples(one) == hash_samples(make_samples(SETS[0], NAMES))
    assert hash_samples(one) != hash_samples(other)
