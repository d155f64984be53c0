"""The daemon through real processes: each message is done once, in its place, for those who may command."""

from pathlib import Path

from assistant_process import make_chat, running, wait_until


def test_a_message_becomes_a_task_and_its_answer_comes_back_in_the_place(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    with running(chat):
        chat.say("What is the capital of France?")
        chat.pair()
        chat.say("What is the capital of France?")
        wait_until(lambda: "Paris." in chat.texts())

    assert ["Paris."] == chat.texts()[1:]
