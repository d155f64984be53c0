"""Test scripted models: they follow the script, separately for each conversation."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from openkoi_hookspecs import (
    Chunk,
    File,
    FinishReason,
    Image,
    Message,
    Model,
    Price,
    ProviderUnavailableError,
    Reasoning,
    Request,
    RequestRejectedError,
    Role,
    StreamEnd,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    Usage,
)
from openkoi_scripted import ScriptedProvider
from openkoi_scripted.reader import CONDITION_KEYS, TURN_KEYS
from openkoi_scripted.script import ScriptedFailureKind

README = Path(__file__).parent.parent / "README.md"


def script(folder: Path, text: str, name: str = "part") -> ScriptedProvider:
    """A provider with one script."""
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return ScriptedProvider(folder=str(folder))


async def heard(
    provider: ScriptedProvider, *messages: Message | str, model: str = "part", tools: Sequence[Tool] = ()
) -> list[Chunk]:
    turns = [Message.user(message) if isinstance(message, str) else message for message in messages]
    return [chunk async for chunk in provider.chat(Request(turns, model=model, tools=tools))]


def answer_text(provider: ScriptedProvider, *messages: Message | str, model: str = "part") -> str:
    chunks = asyncio.run(heard(provider, *messages, model=model))
    return "".join(chunk.text for chunk in chunks if isinstance(chunk, Text))


def answer(text: str) -> Message:
    return Message(Role.ASSISTANT, (Text(text),))


def test_the_readme_names_every_key_and_its_script_plays(tmp_path: Path) -> None:
    page = README.read_text()
    (tmp_path / "pond.yaml").write_text(page.split("```yaml")[1].split("```")[0])

    model = asyncio.run(script_models(tmp_path))[0]

    assert ("pond", 128_000) == (model.name, model.context)
    assert [] == [key for key in (*TURN_KEYS, *CONDITION_KEYS, *ScriptedFailureKind) if f"`{key}" not in page]


async def script_models(folder: Path) -> Sequence[Model]:
    return await ScriptedProvider(folder=str(folder)).models()


def test_a_turn_is_thought_said_and_called_and_ends_with_what_it_used(tmp_path: Path) -> None:
    part = script(
        tmp_path,
        """
        turns:
          - thinks: Which file?
            says: Reading.
            calls: [{tool: read_file, arguments: {path: a.py}}, {tool: list_files}]
            usage: {input: 1200, output: 80, cache_read: 7}
        """,
    )

    assert [
        Reasoning("Which file?"),
        Text("Reading."),
        ToolCall("call-1-0-3", "read_file", {"path": "a.py"}),
        ToolCall("call-1-0-4", "list_files", {}),
        StreamEnd(Usage(input=1200, output=80, cache_read=7), FinishReason.TOOLS),
    ] == asyncio.run(heard(part, "Look"))


def test_words_come_in_a_few_pieces_that_make_the_whole(tmp_path: Path) -> None:
    text = "one two three four five six seven\\n"
    part = script(tmp_path, f'turns: [{{says: "{text}"}}]')

    *pieces, done = asyncio.run(heard(part, "Count"))

    assert ["one two", " three four", " five six", " seven\n"] == [p.text for p in pieces if isinstance(p, Text)]
    assert StreamEnd(Usage(input=2, output=9), FinishReason.END) == done


def test_a_turn_fits_by_the_prompt_the_newest_message_the_count_and_the_tools(tmp_path: Path) -> None:
    part = script(
        tmp_path,
        """
        turns:
          - {when: {contains: [fish, pond]}, says: both}
          - {when: {last: heron}, says: heron}
          - {when: {after: 1}, says: second}
          - {when: {tools: true}, says: tools}
          - {says: anything}
        """,
    )

    assert "both" == answer_text(part, "a fish in a pond")
    assert "anything" == answer_text(part, "a fish")
    assert "heron" == answer_text(part, "a fish", answer("both"), "and a heron")
    assert "second" == answer_text(part, "a heron", answer("heron"), "and a frog")


def test_what_tools_answered_is_part_of_the_prompt(tmp_path: Path) -> None:
    part = script(tmp_path, "turns: [{when: {last: 3 passed}, says: green}]")

    assert "green" == answer_text(part, Message.user(ToolResult("3 passed", call="call-1")))


def test_a_turn_answers_once_in_a_conversation_unless_it_may_repeat(tmp_path: Path) -> None:
    part = script(tmp_path, "turns: [{says: first}, {says: again, repeat: true}]")

    assert "first" == answer_text(part, "Go")
    assert "again" == answer_text(part, "Go", answer("first"), "on")
    assert "again" == answer_text(part, "Go", answer("first"), "on", answer("again"), "and on")


def test_the_same_question_has_the_same_answer_so_runs_do_not_take_each_others_turns(tmp_path: Path) -> None:
    part = script(tmp_path, "turns: [{says: first}, {says: second}]")

    async def both() -> tuple[list[Chunk], list[Chunk]]:
        return await asyncio.gather(heard(part, "Go"), heard(part, "Go"))

    one, other = asyncio.run(both())

    assert one == other
    assert "second" == answer_text(ScriptedProvider(folder=str(tmp_path)), "Go", answer("first"), "on")


def test_calls_of_one_conversation_have_ids_of_their_own(tmp_path: Path) -> None:
    part = script(tmp_path, "turns: [{calls: [{tool: list_files}], repeat: true}]")
    first = asyncio.run(heard(part, "Go"))[0]
    assert isinstance(first, ToolCall)
    history = [Message.user("Go"), Message(Role.ASSISTANT, (first,)), Message.user(ToolResult("a", call=first.id))]

    second = asyncio.run(heard(part, *history))[0]

    assert isinstance(second, ToolCall)
    assert first.id != second.id


def test_an_accident_happens_once_after_what_was_said(tmp_path: Path) -> None:
    part = script(
        tmp_path,
        """
        turns:
          - {says: I was, fails: {unavailable: overloaded, retry_after: 1.5}}
          - {says: Here I am.}
        """,
    )

    with pytest.raises(ProviderUnavailableError, match="overloaded") as caught:
        asyncio.run(heard(part, "Go"))

    assert 1.5 == caught.value.retry_after
    assert "Here I am." == answer_text(part, "Go")


def test_a_refusal_can_repeat_for_ever(tmp_path: Path) -> None:
    part = script(tmp_path, "turns: [{fails: {refused: no quota}, repeat: true}]")

    for _ in range(2):
        with pytest.raises(RequestRejectedError, match="no quota"):
            asyncio.run(heard(part, "Go"))


def test_a_cut_answer_ends_without_being_done(tmp_path: Path) -> None:
    part = script(tmp_path, "turns: [{says: I was, fails: {cut: true}}]")

    assert [Text("I"), Text(" was")] == asyncio.run(heard(part, "Go"))


def test_a_prompt_without_a_turn_is_refused_with_all_that_is_needed_to_write_one(tmp_path: Path) -> None:
    part = script(
        tmp_path,
        """
        turns:
          - {says: Hello.}
          - {when: {contains: [koi], after: 4}, says: Deep.}
        """,
    )

    with pytest.raises(RequestRejectedError) as caught:
        asyncio.run(heard(part, "Hi", answer("Hello."), "What\n now?"))

    report = (
        f"{tmp_path / 'part.yaml'} has no matching turn for this prompt. The last message starts with 'What now?'. "
        "Unused turns: line 4: contains 'koi', after 4. "
        "Add a matching turn, or set repeat: true on one."
    )
    assert report == str(caught.value)


def test_a_script_is_a_model_with_a_price(tmp_path: Path) -> None:
    part = script(tmp_path, "{context: 9000, output: 100, price: {input: 3, output: 15}, turns: [{says: a}]}")

    assert [Model("part", context=9000, output=100, price=Price(3.0, 15.0))] == asyncio.run(part.models())


def test_a_script_without_a_price_is_free(tmp_path: Path) -> None:
    part = script(tmp_path, "turns: [{says: a}]")

    assert [Price(0.0, 0.0)] == [model.price for model in asyncio.run(part.models())]


def test_a_script_is_found_by_its_path_too(tmp_path: Path) -> None:
    script(tmp_path, "turns: [{says: by path}]")

    assert "by path" == answer_text(ScriptedProvider(), "Go", model=str(tmp_path / "part.yaml"))


def test_a_script_that_is_not_there_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(RequestRejectedError, match="No script 'nobody'") as caught:
        asyncio.run(heard(ScriptedProvider(folder=str(tmp_path)), "Go", model="nobody"))

    assert str(tmp_path / "nobody.yaml") in str(caught.value)


def test_a_script_is_read_again_when_it_was_written_again(tmp_path: Path) -> None:
    part = script(tmp_path, "turns: [{says: before}]")
    assert "before" == answer_text(part, "Go")

    script(tmp_path, "turns: [{says: after the change}]")

    assert "after the change" == answer_text(part, "Go")


def test_doctor_hears_which_scripts_there_are_and_which_is_broken(tmp_path: Path) -> None:
    part = script(tmp_path, "turns: [{says: a}]")
    assert {"folder": str(tmp_path), "scripts": "part"} == asyncio.run(part.health())

    script(tmp_path, "turns: 3", name="zebra")

    assert ["part"] == [model.name for model in asyncio.run(part.models())]
    with pytest.raises(RequestRejectedError, match=r"zebra\.yaml, line 1: turns must be a list"):
        asyncio.run(part.health())


def test_a_turn_may_want_images_and_read_their_names(tmp_path: Path) -> None:
    part = script(
        tmp_path,
        """
        turns:
          - {when: {images: 2, contains: ["[image/png]", "[a.pdf application/pdf]"]}, says: Two., repeat: true}
          - {when: {images: 0}, says: None., repeat: true}
        """,
    )
    shot, paper = Image(b"", "image/png"), File(b"", "application/pdf", "a.pdf")
    call = Message(Role.ASSISTANT, (ToolCall("1", "look", {}),))

    assert "None." == answer_text(part, "Look")
    assert "Two." == answer_text(
        part, Message.user("Look", shot, paper), call, Message.user(ToolResult("", parts=(shot,), call="1"))
    )
    with pytest.raises(RequestRejectedError, match="images 2"):
        answer_text(part, Message.user("Look", shot))


def test_an_image_is_counted_like_a_page(tmp_path: Path) -> None:
    part = script(tmp_path, "turns: [{says: Yes., repeat: true}]")
    plain, shown = (
        asyncio.run(heard(part, message))[-1] for message in ("Look", Message.user("Look", Image(b"", "image/png")))
    )

    assert isinstance(plain, StreamEnd)
    assert isinstance(shown, StreamEnd)
    assert 1_000 <= shown.usage.input - plain.usage.input < 1_010


def test_a_script_says_what_it_can_do(tmp_path: Path) -> None:
    part = script(tmp_path, "can: [tools]\nturns: [{says: Yes.}]")

    assert [("tools",)] == [model.can for model in asyncio.run(part.models())]
