"""Images, files and the conversation before a task: what is checked, sent, counted and removed."""

from pathlib import Path
from struct import pack
from typing import Any, cast

import pytest

from openkoi_base.tokens import media_tokens
from openkoi_hookspecs import (
    Blob,
    ConfigError,
    File,
    Image,
    Message,
    Model,
    Price,
    Provider,
    RequestRejectedError,
    Role,
    Task,
    Text,
    ToolCall,
    ToolResult,
)
from openkoi_models import ResolvedModel, check_content, check_result, without_media
from openkoi_models.unsupported_images import SendableMessages

pytestmark = pytest.mark.unit

PNG = b"\x89PNG\r\n\x1a\n" + pack(">II4sII", 0, 13, b"IHDR", 1500, 750)[4:]
SHOT = Image(PNG, "image/png")
PDF = File(b"%PDF-1.7", "application/pdf", "paper.pdf")
NOTES = File(b"Buy milk.", "text/markdown", "notes.md")
CALL = Message(Role.ASSISTANT, (ToolCall("1", "look", {}),))
ANSWERED = Message.user(ToolResult("A screenshot.", parts=(SHOT,), call="1"))
REFUSED = RequestRejectedError("acme refused the request: Could not process image.")
REFUSED.status = 400


class WithFiles:
    """A provider that declares what it sends."""

    media_types = ("image/png", "application/pdf")


def model(*can: str, provider: object = None) -> ResolvedModel:
    """A model that can do this; nothing: it is not known what it can do."""
    facts = Model("one", context=1000, output=100, can=can)
    return ResolvedModel("acme/one", cast(Provider, provider or object()), facts, Price(1, 1), known=True)


def flatten_parts(messages: Any) -> list[Any]:
    """The parts of messages, those of results in their place."""
    parts = [part for message in messages for part in message.parts]
    return [inner for part in parts for inner in (part.parts if isinstance(part, ToolResult) else (part,))]


def test_a_history_is_taken_up_so_that_the_sides_take_turns() -> None:
    history = (Message.user("Hi"), Message.user("\ud800"), CALL, ANSWERED, Message(Role.ASSISTANT, (Text("Ho"),)))
    task = check_content(Task("Go on", history=history))

    assert [2, 1, 1, 1] == [len(message.parts) for message in task.history]
    assert Text("\ufffd") == task.history[0].parts[1]


@pytest.mark.parametrize(
    ("history", "why"),
    [
        ((Message(Role.ASSISTANT, (Text("Ho"),)),), "it starts with an assistant message"),
        ((Message.user("Hi"), CALL), "a tool call has no result"),
        ((Message.user("Hi"), CALL, Message.user("never mind")), "a tool call has no result"),
        ((Message.user(ToolResult("x", call="7")),), "a tool call has no result in the next message, or a result has"),
        (("Hi",), "Invalid task history: str is not Message"),
        ((Message.user(Image(b"BM", "image/bmp")),), "is not an image of the types image/png"),
    ],
)
def test_a_history_that_no_vendor_takes_is_refused(history: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        check_content(Task("Go on", history=history))


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ((Image(PNG + bytes(5_000_001), "image/png"),), r"an image \(image/png\) is 5.0 MB; the limit is 5.0 MB"),
        ((Image(b"", "image/png"),), "is empty"),
        ((Image(b"<svg/>", "image/svg+xml"),), "is not an image of the types"),
        ((File(b"x", "pdf", "a"),), "needs a name and a media type"),
        ((File(b"x", "text/plain", ""),), "needs a name and a media type"),
        ((File(bytes(20_000_001), "application/pdf", "a.pdf"),), "'a.pdf' .application/pdf. is 20.0 MB"),
        ((File(bytes(11_000_000), "application/pdf", "a.pdf"),) * 2, "total 22.0 MB; the limit is 20.0 MB"),
        ((Text("x"),), "Expected a tuple of Image and File"),
    ],
)
def test_parts_that_cannot_be_sent_are_refused(parts: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        check_content(Task("Look", parts=parts))


def test_an_image_has_the_type_that_its_bytes_show() -> None:
    wrong = Image(PNG, "image/jpg")
    messages = (Message.user("Hi", wrong), CALL, Message.user(ToolResult("x", parts=(wrong,), call="1")))
    task = check_content(Task("Look", parts=(wrong, NOTES), history=messages))

    assert (SHOT, NOTES) == task.parts
    assert [Text("Hi"), SHOT, ToolCall("1", "look", {}), SHOT] == flatten_parts(task.history)


def test_a_result_keeps_its_words_when_an_image_of_it_cannot_be_sent() -> None:
    result = check_result(ToolResult("Two.", parts=(Image(b"<svg/>", "image/svg+xml"), SHOT, Text("\ud800"))))

    note, *others = result.parts
    assert isinstance(note, Text)
    assert note.text.startswith("[Not shown: an image (image/svg+xml) is not an image of the types")
    assert [SHOT, Text("\ufffd")] == others


def test_a_model_that_sees_no_images_is_told_so_and_the_user_is_warned_once() -> None:
    sendable, messages = SendableMessages(), (Message.user("Look", SHOT), CALL, ANSWERED)
    first, second = (sendable.adapt_messages(messages, model("tools")) for _ in range(2))

    note = Text("[An image (image/png) is omitted, because this model does not support images.]")
    assert [Text("Look"), note, ToolCall("1", "look", {}), note] == flatten_parts(first)
    assert all(one is other for one, other in zip(first, second, strict=True))
    assert [
        "acme/one does not support images, so a note was sent instead of the image. "
        "To send the image, choose another model with -m."
    ] == sendable.take_warnings()
    assert [] == sendable.take_warnings()


@pytest.mark.parametrize("can", [(), ("tools", "images")])
def test_any_other_model_is_sent_images(can: tuple[str, ...]) -> None:
    messages = (Message.user("Look", SHOT), CALL, ANSWERED)

    assert list(messages) == SendableMessages().adapt_messages(messages, model(*can))


def test_words_alone_stay_the_very_same_messages() -> None:
    messages = (Message.user("Look"), CALL, Message.user(ToolResult("Nothing.", call="1")))

    sent = SendableMessages().adapt_messages(messages, model("tools"))
    assert all(one is other for one, other in zip(sent, messages, strict=True))


@pytest.mark.parametrize(
    ("provider", "can", "shown"),
    [
        (WithFiles(), ("images",), "PDF"),
        (object(), ("images",), "this model does not support application/pdf"),
        (WithFiles(), ("tools",), "this model does not support images"),
    ],
)
def test_a_file_is_sent_where_its_type_is_taken(provider: object, can: tuple[str, ...], shown: str) -> None:
    (part,) = flatten_parts(SendableMessages().adapt_messages((Message.user(PDF),), model(*can, provider=provider)))

    assert part == PDF if shown == "PDF" else shown in part.text


def test_a_text_file_is_read_as_text_by_any_model() -> None:
    (part,) = flatten_parts(SendableMessages().adapt_messages((Message.user(NOTES),), model("tools")))

    assert Text('<data name="notes.md">\nBuy milk.\n</data>') == part


def test_bytes_that_the_log_has_lost_cost_only_themselves(tmp_path: Path) -> None:
    sendable, lost = SendableMessages(), Image(Blob("0" * 64, 10, tmp_path / "gone"), "image/png")
    words, note, shot = flatten_parts(sendable.adapt_messages((Message.user("Look", lost, SHOT),), model("images")))

    assert (Text("Look"), SHOT) == (words, shot)
    assert Text("[An image (image/png) is omitted, because it is missing from the run log.]") == note
    (warning,) = sendable.take_warnings()
    assert "which the run log refers to, cannot be read" in warning


def test_what_a_request_was_refused_with_is_not_sent_again() -> None:
    sendable, seeing = SendableMessages(), model("images")
    other = Image(PNG + b"another", "image/png")

    assert sendable.note_refusal(REFUSED, (Message.user(SHOT),), seeing)
    assert not sendable.note_refusal(REFUSED, (Message.user(SHOT),), seeing)
    note, shown = flatten_parts(sendable.adapt_messages((Message.user(SHOT, other),), seeing))
    assert "because this model rejected a request that contained this image or file" in note.text
    assert other == shown


def test_a_model_of_which_nothing_is_known_is_sent_no_more_images_once_it_refused_one() -> None:
    sendable, unknown = SendableMessages(), model()

    assert sendable.note_refusal(REFUSED, (Message.user(SHOT),), unknown)
    (note,) = flatten_parts(sendable.adapt_messages((Message.user(Image(PNG + b"another", "image/png")),), unknown))
    assert "does not support images" in note.text


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RequestRejectedError("acme refused the key."), 401),
        (RequestRejectedError("acme knows no tool named fetch(400)."), 0),
        (RequestRejectedError("too long", context_overflow=True), 400),
    ],
)
def test_other_refusals_are_not_blamed_on_images(error: RequestRejectedError, status: int) -> None:
    error.status = status

    assert not SendableMessages().note_refusal(error, (Message.user(SHOT),), model("images"))


@pytest.mark.parametrize(
    ("data", "tokens"),
    [
        (PNG, 1500),
        (b"GIF89a" + pack("<HH", 300, 300), 120),
        (b"\xff\xd8\xff\xe0\0\4ab\xff\xc0\0\x11\x08" + pack(">HH", 500, 600) + bytes(9), 400),
        (b"RIFF\0\0\0\0WEBPVP8X" + bytes(8) + (749).to_bytes(3, "little") + (199).to_bytes(3, "little"), 200),
        (b"RIFF\0\0\0\0WEBPVP8L" + bytes(5) + (749 | 199 << 14).to_bytes(4, "little"), 200),
        (b"RIFF\0\0\0\0WEBPVP8 " + bytes(10) + pack("<HH", 750, 200), 200),
        (b"\x89PNG\r\n\x1a\n" + bytes(8) + pack(">II", 9000, 9000), 1600),
        (b"\x89PNG\r\n\x1a\n" + bytes(8) + pack(">II", 16, 16), 85),
        (b"\xff\xd8\xff cut off", 1600),
    ],
    ids=["png", "gif", "jpeg", "webp", "webp lossless", "webp lossy", "large", "small", "damaged"],
)
def test_an_image_is_counted_by_its_pixels(data: bytes, tokens: int) -> None:
    assert tokens == media_tokens(Image(data, "image/any"))


def test_a_text_file_is_counted_as_text() -> None:
    assert 100 == media_tokens(File(b"milk" * 100, "text/plain", "a.txt"))


@pytest.mark.parametrize(
    ("data", "tokens"), [(b"%PDF /Type /Pages /Type /Page /Type/Page", 5_000), (b"%PDF" + bytes(120_000), 7_500)]
)
def test_a_document_is_counted_by_its_pages(data: bytes, tokens: int) -> None:
    assert tokens == media_tokens(File(data, "application/pdf", "a.pdf"))


def test_what_tools_showed_is_removed_first_and_never_what_was_shown_last() -> None:
    story = (Message.user("Like this", SHOT), CALL, ANSWERED, CALL, ANSWERED)
    once = without_media(story)
    twice = without_media(once)

    note = Text("[An image (image/png) was removed to shorten the conversation.]")
    call = ToolCall("1", "look", {})
    assert [Text("Like this"), SHOT, call, note, call, SHOT] == flatten_parts(once)
    assert [Text("Like this"), note, call, note, call, SHOT] == flatten_parts(twice)
    assert without_media(twice) is twice
