"""Test how much of an output is kept."""

import stat
from base64 import b64encode
from pathlib import Path

import pytest

from openkoi_base.redact import MASK, Redactor
from openkoi_sandbox.output_capture import MAX_END_BYTES, OutputCapture


def captured(folder: Path, *pieces: bytes, most: int = 10_000_000) -> OutputCapture:
    capture = OutputCapture(folder, most, Redactor(["s3cr3t-of-the-db-99"]))
    for piece in pieces:
        capture.add(piece)
    capture.close()
    return capture


def test_a_short_output_is_kept_as_it_is_and_leaves_no_file(tmp_path: Path) -> None:
    capture = captured(tmp_path / "outputs", b"one\r\n", b"", b"two")

    assert ("one\r\ntwo", "") == (capture.text, capture.output_file)
    assert not (tmp_path / "outputs").exists()


@pytest.mark.parametrize("size", [MAX_END_BYTES - 1, MAX_END_BYTES, MAX_END_BYTES + 1, 2 * MAX_END_BYTES])
def test_up_to_both_ends_nothing_is_left_out(tmp_path: Path, size: int) -> None:
    data = bytes(n % 26 + 97 for n in range(size))

    assert data.decode() == captured(tmp_path, *(data[n : n + 1000] for n in range(0, size, 1000))).text


def test_of_a_long_output_the_middle_is_in_the_file(tmp_path: Path) -> None:
    data = b"".join(b"%07d\n" % n for n in range(40_000))

    capture = captured(tmp_path, *(data[n : n + 7001] for n in range(0, len(data), 7001)))

    assert data == Path(capture.output_file).read_bytes()
    assert data[:MAX_END_BYTES].decode() == capture.text[:MAX_END_BYTES]
    assert data[-MAX_END_BYTES:].decode() == capture.text[-MAX_END_BYTES:]
    assert (
        f"\n[... {len(data) - 2 * MAX_END_BYTES:,} bytes omitted; full output in {capture.output_file} ...]\n"
        in capture.text
    )


def test_only_the_owner_may_read_it(tmp_path: Path) -> None:
    capture = captured(tmp_path / "outputs", bytes(3 * MAX_END_BYTES))

    assert 0o600 == stat.S_IMODE(Path(capture.output_file).stat().st_mode)
    assert 0o700 == stat.S_IMODE((tmp_path / "outputs").stat().st_mode)


def test_letters_are_not_cut(tmp_path: Path) -> None:
    for shift in range(4):
        text = captured(tmp_path, b"." * shift + "\U0001f41f".encode() * MAX_END_BYTES).text

        assert "\ufffd" not in text


def test_more_than_the_most_is_counted_and_let_go(tmp_path: Path) -> None:
    capture = captured(tmp_path, b"a" * 100_000, b"b" * 100_000, most=150_000)

    assert capture.is_full
    assert b"a" * 100_000 + b"b" * 50_000 == Path(capture.output_file).read_bytes()


def test_a_place_that_cannot_be_written_loses_the_middle_only(tmp_path: Path) -> None:
    (tmp_path / "outputs").write_text("in the way")

    capture = captured(tmp_path / "outputs", b"x" * 4 * MAX_END_BYTES)

    assert "" == capture.output_file
    assert "the full output could not be saved" in capture.text
    assert capture.text.startswith("x" * MAX_END_BYTES)


@pytest.mark.parametrize("size", [777, 4096, 65_536])
def test_no_secret_is_kept_wherever_it_is_cut(tmp_path: Path, size: int) -> None:
    secret = b"s3cr3t-of-the-db-99"
    forms = [secret, secret.hex().encode(), b"\n".join([b64encode(secret)[:12], b64encode(secret)[12:]])]
    data = b"".join(b"%06d %s and\n" % (n, forms[n % 3]) for n in range(9000))

    capture = captured(tmp_path, *(data[n : n + size] for n in range(0, len(data), size)))
    content = Path(capture.output_file).read_bytes() + capture.text.encode()

    assert [] == [form for form in (secret[:8], forms[1][:16], forms[2][:12], forms[2][-8:]) if form in content]
    assert 9000 == Path(capture.output_file).read_text().count(MASK)


def test_a_short_output_is_masked_by_those_who_write_it(tmp_path: Path) -> None:
    assert "s3cr3t-of-the-db-99" == captured(tmp_path, b"s3cr3t-of-the-db-99").text
