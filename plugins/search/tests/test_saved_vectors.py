"""Test that vectors of texts are saved in a file, and known texts neither made nor embedded again."""

from collections.abc import Callable, Sequence
from pathlib import Path

from openkoi_search.lexical import Lexical
from openkoi_search.saved_vectors import embed_saved


def noting(made: list[str], *texts: str) -> Callable[[], Sequence[str]]:
    """Return a function that makes texts, and records its calls."""

    def make() -> Sequence[str]:
        made.extend(texts)
        return texts

    return make


def test_texts_are_only_made_in_a_state_that_is_not_saved(tmp_path: Path) -> None:
    made: list[str] = []
    first = embed_saved(Lexical(), "one", noting(made, "koi", "pond", "koi"), tmp_path / "some").matrix

    again = embed_saved(Lexical(), "one", noting(made, "never"), tmp_path / "some").matrix
    fewer = embed_saved(Lexical(), "two", noting(made, "pond"), tmp_path / "some").matrix

    assert ["koi", "pond", "koi", "pond"] == made
    assert first.tolist() == again.tolist()
    assert [first[1].tolist()] == fewer.tolist()


def test_embedders_in_turn_keep_their_vectors(tmp_path: Path) -> None:
    made: list[str] = []
    for embedder in (Lexical(), Lexical(dimensions=512)) * 2:
        embed_saved(embedder, "one", noting(made, "koi"), tmp_path / "some")

    assert ["koi", "koi"] == made


def test_a_folder_that_cannot_be_written_to_only_costs_time(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert 2 == len(embed_saved(Lexical(), "", lambda: ["koi", "pond"], tmp_path / "file" / "some").matrix)
