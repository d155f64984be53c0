"""Test habits from other chats beyond the screen: the text sent to the model, and the resulting actions."""

from pathlib import Path

import pytest
from chat_terminal import ChatTerminal, chat, read_folder, runs, says, writes
from cli_process import Shell, shell, write_script
from pseudo_terminal import terminal

from openkoi_testing.servers import OpenAIServer, Say, ServerFault
from openkoi_testing.servers.faults import AfterResponse

WELL = says("Well.", "")
ENDS_LATE = """
import asyncio
from pathlib import Path

from openkoi_hookspecs import hookimpl
from openkoi_hookspecs.events import UsageRecorded

@hookimpl
async def on_event(event: UsageRecorded):
    while not Path("go.txt").exists():
        await asyncio.sleep(0.05)
"""
PUSH = says("I push.", "push", calls=runs("git push --force origin main"))


def if_sent(text: str, says: str, last: str) -> str:
    """Return a turn of a script: what the model says if a text is anywhere in what it is sent."""
    return f"  - when: {{contains: [{text}], last: {last}}}\n    says: {says}\n    repeat: true\n"


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    openkoi = shell(tmp_path)
    openkoi.home.mkdir()
    return openkoi


def test_an_answer_is_markdown_before_it_is_complete(openkoi: Shell) -> None:
    slow = Say("# Teas\n\nThere is **green** tea.\n\n" + "Words of it. " * 2_000, fault=ServerFault(pause=0.02))
    with OpenAIServer(slow) as server:
        there = openkoi.with_environment(
            OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=server.url, OPENKOI_MODEL="openai/gpt-fake"
        )
        with terminal(there, columns=100) as inner:
            tty = ChatTerminal(inner, 100)
            tty.shows("for commands")
            tty.send("go on")
            tty.shows("There is green tea. [2]")
            assert "esc to interrupt" in tty.display
            assert "**" not in tty.display


def test_a_stream_that_stops_for_good_can_be_interrupted_and_left(openkoi: Shell) -> None:
    silent = Say("Words of it. " * 200, fault=ServerFault(cut=4_000, after=AfterResponse.HANGS))
    with OpenAIServer(silent, Say("Well.")) as server:
        there = openkoi.with_environment(
            OPENAI_API_KEY="sk-test", OPENAI_BASE_URL=server.url, OPENKOI_MODEL="openai/gpt-fake", OPENKOI_ITERATE="0"
        )
        with terminal(there, columns=100) as inner:
            tty = ChatTerminal(inner, 100)
            tty.shows("for commands")
            tty.send("go on")
            tty.shows("Words of it.")
            tty.type("still here")
            tty.shows("> still here")
            tty.type("\x1b")
            tty.shows("Interrupted. No files were changed.")
            tty.type("\r")
            tty.shows("Well.")
            tty.type("\x04")
            assert 0 == tty.inner.ends()


def test_a_message_is_read_by_the_task_under_way_and_a_queued_one_is_the_next(openkoi: Shell) -> None:
    waits = runs("while [ ! -e go.txt ]; do sleep 0.1; done")
    turns = says("I wait.", "slow", calls=waits) + says("It is blue.", "make it blue") + says("Green.", "tea") + WELL
    with chat(openkoi, turns) as tty:
        tty.send("slow please")
        tty.shows("Running while")
        tty.send("make it blue")
        tty.shows("will be added before the next model call")
        tty.type("which tea?")
        tty.shows("> which tea?")
        tty.type("\t")
        tty.shows("will run when the current task ends")
        (openkoi.folder / "go.txt").touch()
        tty.shows("Green.")
        tty.shows("[done]", times=2)

        text = tty.display
        assert text.index("> make it blue") < text.index("It is blue.") < text.index("[done]")
        assert text.index("[done]") < text.index("> which tea?") < text.index("Green.")


def test_a_rewound_message_is_no_longer_in_the_conversation(openkoi: Shell) -> None:
    turns = if_sent("heron", "It was heron.", "bird") + if_sent("heron", "Still heron.", "animal")
    turns += says("I cannot know.", "animal") + WELL
    with chat(openkoi, turns) as tty:
        tty.send("The word is heron.")
        tty.shows("[done]")
        tty.send("Can you name that bird?")
        tty.shows("It was heron.")
        tty.shows("[done]", times=2)
        tty.send("/rewind")
        tty.shows("3. The word is heron.")
        tty.type("\x1b[B\x1b[B")
        tty.shows("▸ 3. The word is heron.")
        tty.type("\r")
        tty.shows("▸ 1. Both")
        tty.settles()
        tty.type("1\r")
        tty.shows("rewound; to undo this, type /rewind undo")
        tty.shows("> The word is heron.\nedits")
        tty.type("\x15")
        tty.send("What animal did I mean?")
        tty.shows("I cannot know.")


def test_a_command_waits_for_the_last_moments_of_a_task_that_is_shown_as_done(openkoi: Shell) -> None:
    with chat(openkoi.with_plugin(ENDS_LATE, hooks="acme"), WELL) as tty:
        tty.send("go on")
        tty.shows("[done]")
        tty.send("/rewind")
        tty.type("it is entered")
        tty.shows("> it is entered")
        (openkoi.folder / "go.txt").touch()
        tty.shows("2. go on")
        assert "cannot run" not in tty.display


def test_commands_run_and_quit_leaves_while_another_waits_for_a_plugin_that_hangs(openkoi: Shell) -> None:
    with chat(openkoi.with_plugin(ENDS_LATE, hooks="acme"), WELL) as tty:
        tty.send("go on")
        tty.shows("[done]")
        tty.send("/rewind")
        tty.send("/cost")
        tty.shows("This session: <$0.01")
        tty.send("/quit")
        assert 0 == tty.inner.ends()


def test_quit_leaves_while_a_command_asks(openkoi: Shell) -> None:
    with chat(openkoi, WELL) as tty:
        tty.send("/mode")
        tty.shows("Which mode?")
        tty.settles()
        tty.send("/q")
        assert 0 == tty.inner.ends()


def test_what_was_revoked_is_asked_again(openkoi: Shell) -> None:
    with chat(openkoi, PUSH + WELL) as tty:
        tty.send("push it")
        tty.shows("3. No, and tell OpenKoi")
        tty.settles()
        tty.type("2\r")
        tty.shows("Allowed until this chat ends: run_command git push")
        tty.shows("[done]")
        tty.send("/permissions revoke")
        tty.shows("Revoked: run_command git push…")
        tty.send("push once more")
        tty.shows("▸ 1. Yes, this once (y)")
        assert "allowed for this chat" not in tty.display


def test_another_model_goes_on_with_the_conversation(openkoi: Shell) -> None:
    other = write_script(openkoi.folder, if_sent("heron", "The other knows heron.", "Which") + WELL, "other.yaml")
    with chat(openkoi, WELL) as tty:
        tty.send("The word is heron.")
        tty.shows("[done]")
        tty.send(f"/model {other}")
        tty.shows(f"executor: {other}")
        tty.send("Which word was it?")
        tty.shows("The other knows heron.")


def test_a_model_of_no_provider_is_refused_at_once(openkoi: Shell) -> None:
    with chat(openkoi, WELL) as tty:
        tty.send("/model nobody/knows-it")
        tty.shows("No provider named 'nobody'")
        tty.send("/model")
        tty.shows("▸ 1. scripted/script.yaml")
        tty.type("\x1b")
        tty.hides("▸")
        tty.send("go on")
        tty.shows("Well.")


def test_a_plan_changes_nothing(openkoi: Shell) -> None:
    turns = says("I try.", "write it", calls=f"{writes('one.txt', '1')}, {runs('echo 2 > two.txt')}") + WELL
    with chat(openkoi, turns) as tty:
        tty.type("\x1b[Z")
        tty.shows("plans, changes nothing")
        tty.send("write it")
        tty.shows("[done]")
    assert {} == read_folder(openkoi.folder)


def test_what_is_remembered_is_sent_with_later_tasks(openkoi: Shell) -> None:
    turns = if_sent("metric units", "It is 5 cm.", "long") + says("It is 2 inches.", "long") + WELL
    with chat(openkoi, turns) as tty:
        tty.send("# Always use metric units")
        tty.shows("Remembered for all folders: Always use metric units")
        tty.send("How long is a koi's fin?")
        tty.shows("It is 5 cm.")


def test_what_is_too_long_to_remember_is_reported_and_not_cut_off(openkoi: Shell) -> None:
    with chat(openkoi, WELL) as tty:
        tty.send(f"# {'Use metric units, ' * 20} except for screens")
        tty.shows("A preference can have at most 200 characters")
        tty.send("go on")
        tty.shows("Well.")


def test_a_correction_in_a_later_message_is_learned(openkoi: Shell) -> None:
    with chat(openkoi, WELL) as tty:
        tty.send("Describe the shop")
        tty.shows("[done]")
        tty.send("No, that is wrong: always write British English")
        tty.shows("[done]", times=2)
        tty.send("/learn list")
        tty.shows("always write British English  (active")


def test_a_correction_of_the_task_under_way_is_learned(openkoi: Shell) -> None:
    slow = says("I look.", "Describe", calls=runs("while [ ! -e go.txt ]; do sleep 0.1; done"))
    with chat(openkoi, slow + WELL) as tty:
        tty.send("Describe the shop")
        tty.shows("I look.")
        tty.send("No, that is wrong: always write British English")
        tty.shows("↳")
        (openkoi.folder / "go.txt").touch()
        tty.shows("[done]")
        tty.send("/learn list")
        tty.shows("always write British English  (active")


def test_a_correction_of_a_task_that_is_interrupted_and_resumed_is_learned(openkoi: Shell) -> None:
    waits = "while [ ! -e {} ]; do sleep 0.1; done".format
    turns = says("I look.", "Describe", calls=runs(waits("go.txt")))
    turns += says("I look again.", "British", calls=runs(waits("never.txt"))) + WELL
    with chat(openkoi, turns) as tty:
        tty.send("Describe the shop")
        tty.shows("I look.")
        tty.send("No, that is wrong: always write British English")
        tty.shows("↳")
        (openkoi.folder / "go.txt").touch()
        tty.shows("I look again.")
        tty.type("\x1b")
        tty.shows("Interrupted.")
    resumed = openkoi("resume")

    assert 0 == resumed.returncode, resumed.stderr
    assert "always write British English  (active" in openkoi("learn", "list").stdout
