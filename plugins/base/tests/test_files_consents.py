"""Test that consent is stored once for all processes, bound to its content, listed and revoked in one place."""

import subprocess
import sys
from pathlib import Path

import pytest

from openkoi_base.files import ConsentStore
from openkoi_hookspecs import KoiError, PluginNotFoundError, Question

KEEP = """
import sys
from pathlib import Path
from openkoi_base.files import ConsentStore
from openkoi_hookspecs import Question

for number in range(20):
    name = f"{sys.argv[2]}-{number}"
    ConsentStore(Path(sys.argv[1])).add(Question(f"Trust {name}?", keep=True, digest=name), "yes")
"""
FORGED = '[{"id": "x", "text": "", "answer": "yes", "at": "", "digest": "one"}]'


def trust(digest: str) -> Question:
    return Question(f"Trust {digest}?", keep=True, digest=digest)


@pytest.fixture
def consents(tmp_path: Path) -> ConsentStore:
    return ConsentStore(tmp_path / "data" / "consents.json")


def test_an_answer_is_kept_for_its_digest_alone(consents: ConsentStore) -> None:
    consents.add(trust("one"), " yes ")
    consents.add(trust("two"), "no")

    assert ("yes", "no", None) == tuple(consents.get(digest) for digest in ("one", "two", "three"))
    assert [("Trust one?", "yes"), ("Trust two?", "no")] == [(one.text, one.answer) for one in consents.list_all()]
    assert 0o600 == consents.file.stat().st_mode & 0o777


def test_the_last_answer_holds(consents: ConsentStore) -> None:
    consents.add(trust("one"), "no")
    consents.add(trust("one"), "yes")

    assert ("yes", 1) == (consents.get("one"), len(consents.list_all()))


def test_what_is_revoked_is_asked_again(consents: ConsentStore) -> None:
    consents.add(trust("one"), "yes")
    consents.add(trust("two"), "yes")
    removed = consents.remove(consents.list_all()[0].id[:6])

    assert ("one", None, "yes") == (removed.digest, consents.get("one"), consents.get("two"))
    with pytest.raises(PluginNotFoundError, match=consents.list_all()[0].id[:8]):
        consents.remove("nonsense")


def test_one_that_is_not_clear_is_not_revoked(consents: ConsentStore) -> None:
    for number in range(30):
        consents.add(trust(str(number)), "yes")

    with pytest.raises(KoiError, match="Several stored answers start with ''"):
        consents.remove("")
    assert 30 == len(consents.list_all())


@pytest.mark.parametrize("content", ["", "{", "{}", '[{"id": 1}]', FORGED])
def test_a_damaged_or_forged_file_only_means_that_you_are_asked_again(consents: ConsentStore, content: str) -> None:
    consents.file.parent.mkdir()
    consents.file.write_text(content)

    assert (None, []) == (consents.get("one"), consents.list_all())
    consents.add(trust("two"), "no")
    assert "no" == consents.get("two")


def test_processes_that_keep_answers_at_the_same_time_lose_none(consents: ConsentStore) -> None:
    line = [sys.executable, "-c", KEEP, str(consents.file)]
    children = [subprocess.Popen([*line, name]) for name in ("a", "b", "c")]

    assert [0, 0, 0] == [child.wait(60) for child in children]
    assert {f"{name}-{number}" for name in "abc" for number in range(20)} == {one.digest for one in consents.list_all()}


def test_what_cannot_be_written_says_so(consents: ConsentStore) -> None:
    (consents.file / "full").mkdir(parents=True)

    with pytest.raises(KoiError, match="which stores your answers"):
        consents.add(trust("one"), "yes")
