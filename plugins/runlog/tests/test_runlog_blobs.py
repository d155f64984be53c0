"""Images and files lie beside the log: each in one file, whole, before the record that refers to it."""

from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from openkoi_base.redact import Redactor
from openkoi_hookspecs import Blob, File, Image, KoiError, Message, Record, Task, ToolCall, ToolResult, events
from openkoi_runlog import LogWriteError, RunLog, blob_folder, find_digests, read_segment

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
SECRET = "sk-ant-REDACTED"


@pytest.fixture
def log(tmp_path: Path) -> RunLog:
    """A log in a data folder of its own, which knows a secret."""
    return RunLog(tmp_path / "sessions", "s", Redactor([SECRET]))


def write_and_read(log: RunLog, *happened: events.Event) -> list[Record]:
    """What is read back of what was written."""
    log.append("run-1", happened)
    return list(read_segment(log.path))


def files(log: RunLog) -> list[Path]:
    return sorted(path for path in blob_folder(log.path).rglob("*") if path.is_file())


def shot(content: bytes = PNG) -> events.ToolCallFinished:
    return events.ToolCallFinished(ToolResult("A screenshot.", parts=(Image(content, "image/png"),), call="1"))


def image_of(record: Record) -> Image:
    assert isinstance(record.event, events.ToolCallFinished)
    (image,) = record.event.result.parts
    assert isinstance(image, Image)
    return image


def test_an_image_is_read_back_from_a_file_of_its_own(log: RunLog) -> None:
    (record,) = write_and_read(log, shot())
    image = image_of(record)

    assert isinstance(image.content, Blob)
    assert (PNG, len(PNG), "image/png") == (image.data, image.size, image.media_type)
    assert len(log.path.read_bytes()) < 400
    assert [image.content.digest] == find_digests(log.path.read_bytes())


def test_the_same_bytes_are_kept_once_and_privately(log: RunLog) -> None:
    write_and_read(log, shot(), shot(), events.TaskStarted(Task("Look", parts=(Image(PNG, "image/png"),)), "m"))
    (path,) = files(log)

    assert sha256(PNG).hexdigest() == path.name
    assert 0o600 == path.stat().st_mode & 0o777


def test_what_was_read_is_written_again_without_its_bytes(log: RunLog) -> None:
    (record,) = write_and_read(log, shot())
    files(log)[0].unlink()
    log.append("run-2", [record.event])

    assert [] == files(log)
    assert 2 == len(find_digests(log.path.read_bytes()))


def test_a_file_that_is_there_in_part_is_written_again(log: RunLog) -> None:
    write_and_read(log, shot())
    files(log)[0].write_bytes(PNG[:9])

    *_, record = write_and_read(log, shot())
    assert PNG == image_of(record).data


def test_no_record_is_written_if_its_bytes_cannot_be(log: RunLog, tmp_path: Path) -> None:
    log.append("run-1", [events.ModelDelta("before")])
    (tmp_path / "blobs").write_text("in the way")

    with pytest.raises(LogWriteError, match="cannot be written"):
        log.append("run-1", [shot()])
    assert ["before"] == [getattr(one.event, "text", "") for one in read_segment(log.path)]


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_bytes(PNG[::-1])], ids=["missing", "damaged"])
def test_bytes_that_are_gone_cost_only_themselves(log: RunLog, harm: object) -> None:
    first, second = write_and_read(log, shot(), shot(PNG + b"another"))
    assert callable(harm)
    harm(blob_folder(log.path) / sha256(PNG).hexdigest()[:2] / sha256(PNG).hexdigest())

    with pytest.raises(KoiError, match="which the run log refers to"):
        assert image_of(first).data
    assert PNG + b"another" == image_of(second).data
    assert 2 == len(list(read_segment(log.path)))


@pytest.mark.parametrize("media_type", ["text/plain", "application/octet-stream"])
def test_a_secret_in_a_text_file_is_not_kept(log: RunLog, media_type: str) -> None:
    file = File(f"key = {SECRET}\n".encode(), media_type, ".env")
    (record,) = write_and_read(log, events.MessageAdded(Message.user("Look", file)))
    (path,) = files(log)

    assert b"key = [redacted]\n" == path.read_bytes()
    assert SECRET not in log.path.read_text()
    assert isinstance(record.event, events.MessageAdded)


def test_a_file_that_is_no_text_is_kept_as_it_is(log: RunLog) -> None:
    pdf = b"%PDF-1.7\n\xff\xfe" + SECRET.encode()
    write_and_read(log, events.MessageAdded(Message.user(File(pdf, "application/pdf", "a.pdf"))))

    assert pdf == files(log)[0].read_bytes()


def test_digests_are_not_taken_for_secrets(log: RunLog) -> None:
    random = Random(16)
    contents = [random.randbytes(20) for _ in range(400)]
    records = write_and_read(
        log, *map(shot, contents), events.WarningIssued(f"so that each text is looked at: {SECRET}")
    )

    assert contents == [image_of(record).data for record in records[:-1]]


def test_arguments_that_look_like_a_reference_stay_arguments(log: RunLog) -> None:
    call = ToolCall("1", "write", {"value": {"blob": "0" * 64, "size": 3}})
    (record,) = write_and_read(log, events.ToolCallStarted(call))

    assert events.ToolCallStarted(call) == record.event


def test_a_reference_out_of_the_folder_is_none(log: RunLog) -> None:
    log.append("run-1", [events.ModelDelta("x")])
    outside = Image(Blob("../../secret", 6, Path("any")), "image/png")
    *_, record = write_and_read(log, events.MessageAdded(Message.user(outside)))

    assert isinstance(record.event, events.UnknownEvent)
