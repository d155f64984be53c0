"""Our signs on a terminal whose encoding does not have them."""

import pytest

from openkoi_cli.lookalikes import register


@pytest.mark.parametrize(
    ("text", "encoding", "written"),
    [
        ("• a → b… · \u2713", "latin-1", b"* a -> b... \xb7 +"),
        ("─── py", "ascii", b"--- py"),
        ("\u6f22 \U0001f680", "latin-1", b"\\u6f22 \\U0001f680"),
        ("\udc80", "utf-8", b"\\udc80"),
        ("• →", "utf-8", "• →".encode()),
    ],
)
def test_similar_signs_are_written(text: str, encoding: str, written: bytes) -> None:
    assert written == text.encode(encoding, register())
