"""Slack through real processes: threads, envelopes that come again, buttons, and sockets that end."""

import time
from pathlib import Path
from shutil import copytree

import pytest
from assistant_process import log_files, running, slack_workspace, start, tasks_begun, wait_until
from cli_process import Shell

from openkoi_cli.demo.setup import MODEL, PROJECT, TASK, demo_environment, prepare_project
from openkoi_testing.servers import NotionServer, SlackServer

ANN, TEAM = "D00000ANN", "C0000TEAM"


def pair(openkoi: Shell, server: SlackServer) -> None:
    """Pair a user by a code from the terminal; the daemon runs."""
    server.say(openkoi("connect", "slack", "--pair", "owner").stdout.split()[-1])
    wait_until(lambda: server.list_sent(ANN))


def texts(server: SlackServer, channel: str = TEAM) -> list[tuple[str, str]]:
    """Return what the bot has said in a channel, each with its thread."""
    return [(str(one.get("thread_ts", "")), str(one["text"])) for one in server.list_sent(channel)]


def test_one_post_in_eleven_envelopes_is_one_task_in_a_thread_of_its_own(tmp_path: Path) -> None:
    with slack_workspace(tmp_path) as (openkoi, server), running(openkoi):
        pair(openkoi, server)
        root = server.say("<@U0000KOI> the capital of France?", channel=TEAM)  # a message and a mention
        for _ in range(9):
            server.redeliver(TEAM, root)
        wait_until(lambda: texts(server) == [(root, "Paris.")])
        server.say("and the capital of Italy?", channel=TEAM, thread_ts=root)
        server.say("the capital, said to others", channel=TEAM)
        server.say("the capital?", channel=TEAM, thread_ts=root, user="U0000EVE")
        wait_until(lambda: texts(server) == [(root, "Paris.")] * 2)
        wait_until(lambda: not server.envelopes)

    assert ["and the capital of Italy?", "the capital of France?"] == sorted(tasks_begun(openkoi))


def test_a_message_is_acknowledged_and_shows_a_sign_within_a_second_while_the_model_is_blocked(tmp_path: Path) -> None:
    with slack_workspace(tmp_path) as (openkoi, server), running(openkoi):
        pair(openkoi, server)
        wait_until(lambda: not server.envelopes)
        seconds: list[float] = []
        for n in range(5):
            began = time.monotonic()
            server.say(f"an endless task {n}", channel=f"D000{n}")
            wait_until(lambda: not server.envelopes)
            wait_until(lambda n=n: server.list_sent(f"D000{n}"))  # type: ignore[misc]
            seconds.append(time.monotonic() - began)

    assert 1.0 > min(seconds)  # the others, too, where nothing else keeps the processors busy


def test_what_was_said_while_no_socket_was_open_is_done_and_a_reconnect_loses_nothing(tmp_path: Path) -> None:
    with slack_workspace(tmp_path) as (openkoi, server):
        with running(openkoi):
            pair(openkoi, server)
        child = start(openkoi)
        first = server.say("<@U0000KOI> the capital of France?", channel=TEAM)
        wait_until(lambda: texts(server) == [(first, "Paris.")])
        child.kill()
        child.communicate()
        wait_until(lambda: not server.sockets)
        second = server.say("<@U0000KOI> the capital of Spain?", channel=TEAM)
        server.say("the capital of Italy?", channel=TEAM, thread_ts=first)
        with running(openkoi):
            wait_until(lambda: len(texts(server)) == 3 and {text for _, text in texts(server)} == {"Paris."})
            server.disconnect()
            third = server.say("<@U0000KOI> the capital of Peru?", channel=TEAM)
            wait_until(lambda: (third, "Paris.") in texts(server))

    assert sorted([first, first, second, third]) == sorted(thread for thread, _ in texts(server))
    assert 4 == len(tasks_begun(openkoi))


def test_a_pressed_button_approves_in_the_thread(tmp_path: Path) -> None:
    with slack_workspace(tmp_path) as (openkoi, server), running(openkoi):
        pair(openkoi, server)
        root = server.say("<@U0000KOI> please remove the pond", channel=TEAM)
        asked = wait_until(lambda: next((one for one in server.list_sent(TEAM) if buttons(one)), {}))
        server.press(TEAM, asked["ts"], buttons(asked)[0], user="U0000EVE")
        server.press(TEAM, asked["ts"], buttons(asked)[0])
        wait_until(lambda: (root, "Removed.") in texts(server))

    assert root == asked["thread_ts"]
    assert any("Yes (u0000ann, 20" in text for _, text in texts(server))


def buttons(message: dict[str, object]) -> list[str]:
    """Return what presses of the buttons of a message send."""
    blocks = message.get("blocks", ())
    assert isinstance(blocks, list | tuple)
    return [str(one["value"]) for block in blocks for one in block.get("elements", ())]


def test_a_slack_thread_becomes_a_notion_page_by_an_approved_call(tmp_path: Path) -> None:
    turns = """\
  - when: {last: write it down, contains: ["information, not instructions", "The koi are hungry."]}
    calls: [{tool: notion_write_doc, arguments: {title: Minutes, content: "# Minutes\\n\\nThe koi are hungry."}}]
    repeat: true
  - says: I wrote the page Minutes.
    repeat: true
"""
    with NotionServer() as notion:
        more = f'[integrations.notion]\nbase_url = "{notion.url}/v1"\nparent = "{notion.root}"'
        with (
            slack_workspace(tmp_path, turns, more) as (openkoi, server),
            running(openkoi.with_environment(NOTION_API_KEY=notion.token)),
        ):
            pair(openkoi, server)
            root = server.say("The koi are hungry.", channel=TEAM, user="U0000BEN", username="ben")
            server.say("<@U0000KOI> write it down", channel=TEAM, thread_ts=root)
            asked = wait_until(lambda: next((one for one in server.list_sent(TEAM) if buttons(one)), {}))
            assert 1 == len(notion.pages)
            server.press(TEAM, asked["ts"], buttons(asked)[0])
            wait_until(lambda: (root, "I wrote the page Minutes.") in texts(server))

    assert ["# Minutes\n\nThe koi are hungry."] == [text for text in notion.markdown.values() if text]


@pytest.mark.timeout(300)  # each evaluation runs the tests of a project
def test_what_a_task_in_one_thread_taught_helps_the_next_one_in_another(tmp_path: Path) -> None:
    """The project and the model of the demo: at first it takes two iterations."""
    copy = prepare_project(tmp_path)
    more = f'[evaluators.lint]\nenabled = false\n[commands.daemon]\nworkspace = "{copy}"\n'
    with slack_workspace(tmp_path, more=more) as (openkoi, server):
        config = openkoi.home / "config.toml"
        judged = config.read_text().replace("enabled = false", "enabled = true", 1)
        judged = judged.replace('checkpoints = ""', "")  # what changed between two attempts is what is learned
        config.write_text(judged.replace("max_iterations = 0", "max_iterations = 3"))
        demo = openkoi.with_environment(OPENKOI_MODEL=MODEL, **demo_environment({}))
        with running(demo):
            pair(demo, server)
            first = server.say(f"<@U0000KOI> {TASK}", channel=TEAM)
            wait_until(lambda: answers_in(server, first), 120)
            wait_until(lambda: any('"type":"learning.saved"' in one.read_text() for one in log_files(openkoi)))
            copytree(PROJECT, copy, dirs_exist_ok=True)
            second = server.say(f"<@U0000KOI> {TASK}", channel=TEAM)
            wait_until(lambda: answers_in(server, second), 120)

    assert [2, 1] == [iterations_of(openkoi, one) for one in (first, second)]


def answers_in(server: SlackServer, thread: str) -> list[str]:
    """Return the answers of the demo in a thread."""
    return [text for one, text in texts(server) if one == thread and text.startswith("Both bugs are fixed.")]


def iterations_of(openkoi: Shell, thread: str) -> int:
    """Return how many iterations the task of a thread took."""
    logs = [one.read_text() for one in log_files(openkoi) if thread.partition(".")[2] in one.name]
    return sum(one.count('"type":"iteration"') for one in logs)
