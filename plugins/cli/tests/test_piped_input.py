"""Test how the bytes of piped input become text."""

import pytest

from openkoi_cli.run_task import decode_input


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-32"])
def test_piped_text_is_read_in_its_encoding(encoding: str) -> None:
    text = "Grüße aus Köln\r\nzweite Zeile"

    assert text == decode_input(f" {text}\n".encode(encoding))


@pytest.mark.parametrize(
    ("data", "text"), [(b"caf\xc3\xa9 \xc3\xa0 \xff", "café à \ufffd"), (b"a\x00b", "a\x00b"), (b"", "")]
)
def test_bytes_that_are_not_text_are_replaced(data: bytes, text: str) -> None:
    assert text == decode_input(data)
