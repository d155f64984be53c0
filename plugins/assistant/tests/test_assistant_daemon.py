"""The daemon through real processes: each message is done once, in its place, for those who may command."""

import json
import signal
import time
from copy import deepcopy
from pathlib import Path
from sqlite3 import connect

from assistant_process import button, make_chat, model_calls, running, start, tasks_begun, telegram_chat, wait_until
from cli_process import Shell

from openkoi_testing.servers import NotionServer


def test_a_message_is_answered_in_its_place_and_the_next_one_knows_it(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    with running(chat.openkoi):
        chat.say("What is the capital of France?")  # of a stranger yet
        chat.pair()
        chat.say("What is the capital of France?")
        wait_until(lambda: "Paris." in chat.texts())
        root = chat.say("@koi the capital of Spain?", channel="team")
        wait_until(lambda: chat.texts("team", root) == ["Paris."])
        chat.say("and the capital of Italy?", channel="team", thread=root)
        chat.say("the capital of nothing, said to others", channel="team")
        wait_until(lambda: chat.texts("team", root) == ["Paris.", "Paris."])

    assert ["Paris."] == chat.texts()[1:]
    assert [root, root] == [one.thread for one in chat.posts("team")]
    texts = ["What is the capital of France?", "and the capital of Italy?", "the capital of Spain?"]
    assert texts == sorted(tasks_begun(chat.openkoi))


def test_one_daemon_for_a_home_that_starts_stops_restarts_and_says_how_it_is(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    openkoi = chat.openkoi
    assert 1 == openkoi("daemon", "status").returncode
    assert "Run `openkoi daemon start`" in openkoi("daemon", "stop").stderr.replace("run", "Run")
    result = openkoi("daemon", "start")
    try:
        assert "hosts folder" in result.stdout, result.stderr
        assert "already running" in openkoi("daemon", "start").stderr
        assert "already running" in openkoi("daemon", "run").stderr
        chat.pair()
        first = json.loads(openkoi("daemon", "status", "--format", "json").stdout)
        assert "hosts folder" in openkoi("daemon", "restart").stdout
        second = json.loads(openkoi("daemon", "status", "--format", "json").stdout)
        wait_until(lambda: "watching" in openkoi("daemon", "status").stdout)
    finally:
        stopped = openkoi("daemon", "stop")

    assert first["pid"] != second["pid"]
    assert {"folder": "ann (owner)"} == second["users"]
    assert "stopped" in stopped.stdout
    assert "The daemon has stopped." in openkoi("daemon", "logs").stdout


def test_status_doctor_and_connect_say_how_each_app_is_and_who_may_command_it(tmp_path: Path) -> None:
    matrix = '[integrations.matrix]\nbase_url = "http://127.0.0.1:9"\nusers = ["*"]\n'
    with NotionServer() as notion:
        chat = make_chat(tmp_path, more=f'{matrix}[integrations.notion]\nbase_url = "{notion.url}/v1"')
        openkoi = chat.openkoi.with_environment(NOTION_API_KEY=notion.token)
        assert "Daemon" not in openkoi("status").stdout
        with running(openkoi):
            chat.pair()
            status = wait_until(lambda: list_settled_apps(openkoi("status").stdout))
            assert status == list_settled_apps(openkoi("status", "--costs").stdout)
            output = openkoi("connect", "--list").stdout
            doctor = openkoi("doctor").stdout
            removed = openkoi("connect", "folder", "--remove", "ann")
            wait_until(lambda: "folder  watching; users: none" in openkoi("status").stdout)
            daemon = openkoi("daemon", "status").stdout
        after = openkoi("status").stdout

    assert ("folder  watching; users: ann (owner)", "notion  connected") == (status[0].strip(), status[2].strip())
    assert "matrix  sign-in required: Matrix is not connected" in status[1]
    for place in ("\n".join(status), output, doctor):
        assert 'contains "*", which does not match users' in place
    assert ["ann (owner)"] == [line.strip() for line in output.splitlines() if "owner" in line]
    assert "users of folder ann (owner)" in doctor
    assert 0 == removed.returncode
    assert "`openkoi connect folder --pair owner`" in daemon
    assert "Daemon: not running; to start it, run `openkoi daemon start`" in after


def test_an_app_without_chats_is_never_told_to_pair_a_user(tmp_path: Path) -> None:
    with NotionServer() as notion:
        chat = make_chat(tmp_path, more=f'[integrations.notion]\nbase_url = "{notion.url}/v1"')
        openkoi = chat.openkoi.with_environment(NOTION_API_KEY="a wrong token")
        with running(openkoi):
            degraded = wait_until(lambda: rejected(openkoi("daemon", "status").stdout))
        after = openkoi("daemon", "status").stdout

    assert "connect folder --pair owner" in degraded
    assert "connect notion --pair" not in degraded + after


def rejected(status: str) -> str:
    """Return a status that says that a token was rejected."""
    return status if "Notion rejected the token" in status else ""


def list_settled_apps(status: str) -> list[str]:
    """Return the lines about apps once none of them is connecting."""
    lines = status.partition("  Daemon: running (process ")[2].partition("\n\n")[0].splitlines()[1:]
    return [] if any("connecting" in line for line in lines) else sorted(lines[:-1]) + lines[-1:]


def test_an_owner_s_press_is_the_approval_and_all_other_presses_are_nothing(tmp_path: Path) -> None:
    with telegram_chat(tmp_path) as chat, running(chat.openkoi):
        chat.pair()
        chat.pair(user=8, role="member", name="ben")
        chat.server.say("please remove the pond")
        question = chat.question()
        yes, id = button(question, "Yes"), question["message_id"]
        for forged in (f"{'0' * 16}:0", "yes", yes.replace(":0", ":9"), ""):
            chat.server.press(7, id, forged)
        chat.server.press(7, id - 1, yes)
        chat.server.press(7, id, yes, user=666, name="eve")
        chat.server.press(7, id, yes, user=8, name="ben")
        wait_until(lambda: "Only an owner can answer this." in chat.texts())
        calls = model_calls(chat.openkoi)
        assert "Removed." not in chat.texts()
        chat.server.press(7, id, yes)
        wait_until(lambda: "Removed." in chat.texts())
        chat.server.press(7, id, yes)
        chat.server.say("the capital?")
        wait_until(lambda: "Paris." in chat.texts())

    assert (1, 3) == (calls, model_calls(chat.openkoi))
    answered = next(one for one in chat.server.list_sent() if one["message_id"] == id)
    assert "reply_markup" not in answered
    assert "Yes (ann, 20" in answered["text"]


def test_a_question_is_answered_at_a_terminal_too(tmp_path: Path) -> None:
    with telegram_chat(tmp_path) as chat, running(chat.openkoi):
        chat.pair()
        chat.server.say("please remove the pond")
        chat.question()
        approved = chat.openkoi("approve")
        wait_until(lambda: "Removed." in chat.texts())

    assert 0 == approved.returncode, approved.stderr


def test_a_question_outlives_its_buttons_and_the_daemon(tmp_path: Path) -> None:
    with telegram_chat(tmp_path) as chat:
        with running(chat.openkoi):
            chat.pair()
            chat.server.say("please remove the pond")
            old = deepcopy(chat.question())
        with connect(chat.openkoi.home / "data" / "assistant" / "assistant.sqlite") as database:
            database.execute("UPDATE questions SET expires = expires - 172800")  # two days ago
        database.close()
        with running(chat.openkoi):
            chat.server.press(7, old["message_id"], button(old, "Yes"))
            wait_until(lambda: chat.question()["message_id"] != old["message_id"])
            new = chat.question()
            chat.server.press(7, old["message_id"], button(old, "Yes"))
            assert "Removed." not in chat.texts()
            chat.server.press(7, new["message_id"], button(new, "No"))
            wait_until(lambda: "Removed." in chat.texts())  # the model's words: it was told no

    assert any("No (ann, 20" in text for text in chat.texts())
    assert any("expired" in text for text in chat.texts())


def test_what_a_member_s_task_asks_for_is_asked_of_the_owner(tmp_path: Path) -> None:
    with telegram_chat(tmp_path) as chat, running(chat.openkoi):
        chat.pair()
        chat.pair(user=8, role="member", name="ben")
        chat.server.say("please remove the pond", user=8, name="ben")
        question = chat.question()
        wait_until(lambda: any("an owner's approval" in text for text in chat.texts(8)))
        chat.server.press(7, question["message_id"], button(question, "Yes"))
        wait_until(lambda: "Removed." in chat.texts(8))

    assert question["text"].startswith("ben (8) requests approval:")
    assert not any("reply_markup" in one for one in chat.server.list_sent(8))


def test_odd_messages_and_lost_places_end_neither_the_daemon_nor_the_conversation(tmp_path: Path) -> None:
    with telegram_chat(tmp_path) as chat, running(chat.openkoi):
        chat.pair()
        chat.server.say("   ")
        chat.server.say("\U0001f41f\u0000\u202e")
        chat.server.say("x" * 4096)
        chat.server.say("yes ABCD")
        wait_until(lambda: chat.texts().count("I do not know.") == 3)
        mention = {"type": "mention", "offset": 0, "length": 13}
        chat.server.say("@koi_test_bot a slow task", chat=-5, entities=[mention])
        wait_until(lambda: chat.texts(-5))
        del chat.server.messages[-5, chat.server.list_sent(-5)[0]["message_id"]]  # a user deletes the sign
        wait_until(lambda: "It was slow." in chat.texts(-5))
        chat.server.token, token = "2:blocked", chat.server.token
        chat.server.say("the capital?")
        wait_until(lambda: "sign-in required" in chat.openkoi("daemon", "status").stdout)
        chat.server.token = token

    assert {"x" * 4096, "yes ABCD", "a slow task"} <= set(tasks_begun(chat.openkoi))


def test_a_daemon_that_cannot_work_says_why(tmp_path: Path) -> None:
    chat = make_chat(tmp_path, more="[commands.daemon]\ntasks = 0\n")
    none = chat.openkoi("daemon", "start")
    config = chat.openkoi.home / "config.toml"
    config.write_text(config.read_text().replace("tasks = 0", 'workspace = "/nowhere"'))
    nowhere = chat.openkoi("daemon", "run")
    config.write_text(config.read_text().replace('workspace = "/nowhere"', ""))
    database = chat.openkoi.home / "data" / "assistant" / "assistant.sqlite"
    database.write_bytes(b"not a database" * 100)
    damaged = chat.openkoi("daemon", "status")

    assert "tasks is 0; it must be at least 1." in none.stderr
    assert "workspace is /nowhere, which is not a folder." in nowhere.stderr
    assert "cannot be opened" in damaged.stderr
    assert "Traceback" not in none.stderr + nowhere.stderr + damaged.stderr


def test_stop_ends_a_task_and_also_adds_to_it(tmp_path: Path) -> None:
    chat = make_chat(tmp_path)
    with running(chat.openkoi):
        chat.pair()
        chat.say("an endless task")
        wait_until(lambda: any("endless" in text for text in tasks_begun(chat.openkoi)))
        chat.say("also be brief")  # what no other turn of the script answers
        wait_until(lambda: any(text.startswith("Added") for text in chat.texts()))
        began = time.monotonic()
        chat.say("Stop.")
        wait_until(lambda: "Stopped." in chat.texts())
        stopped = time.monotonic() - began
        chat.say("stop")
        wait_until(lambda: "There is nothing to stop." in chat.texts())
        chat.say("the capital?")
        wait_until(lambda: "Paris." in chat.texts())

    assert 5 > stopped
    assert 2 == len(tasks_begun(chat.openkoi))


def test_a_daemon_that_is_killed_resumes_the_task_and_repeats_no_answer(tmp_path: Path) -> None:
    with telegram_chat(tmp_path) as chat:
        with running(chat.openkoi):
            chat.pair()
        child = start(chat.openkoi)
        chat.server.say("a slow task")
        wait_until(lambda: tasks_begun(chat.openkoi) and count_sent(chat.openkoi) == 2)
        child.kill()
        child.communicate()
        chat.server.say("the capital, asked while nobody was there?")
        with running(chat.openkoi):
            wait_until(lambda: {"It was slow.", "Paris."} <= set(chat.texts()))

    assert ["It was slow.", "Paris."] == chat.texts()[1:]
    assert 2 == len(tasks_begun(chat.openkoi))


def count_sent(openkoi: Shell) -> int:
    """Return how many posts the daemon knows to be sent."""
    with connect(openkoi.home / "data" / "assistant" / "assistant.sqlite") as database:
        count = database.execute("SELECT COUNT(*) FROM outbox WHERE state = 'sent'").fetchone()[0]
    database.close()
    return int(count)


def test_a_reload_takes_the_new_configuration_and_loses_no_message(tmp_path: Path) -> None:
    with telegram_chat(tmp_path) as chat, running(chat.openkoi) as daemon:
        chat.pair()
        config = chat.openkoi.home / "config.toml"
        good = config.read_text()
        config.write_text(good + "\n[commands.daemon]\ntasks = 0\n")
        refused = chat.openkoi("daemon", "reload")
        daemon.send_signal(signal.SIGHUP)
        wait_until(lambda: "was not reloaded" in chat.openkoi("daemon", "status").stdout)
        chat.server.say("the capital of France?")
        wait_until(lambda: chat.texts().count("Paris.") == 1)

        config.write_text(good + '\n[commands.daemon]\nworkspace = "/"\n[use\n')
        broken = chat.openkoi("daemon", "reload")
        chat.server.say("the capital of Spain?")
        wait_until(lambda: chat.texts().count("Paris.") == 2)

        config.write_text(good + f'\n[commands.daemon]\nworkspace = "{tmp_path}"\n')
        chat.server.say("a slow task")
        wait_until(lambda: "a slow task" in tasks_begun(chat.openkoi))
        reloaded = chat.openkoi("daemon", "reload")
        chat.server.say("the capital of Italy?")
        wait_until(lambda: chat.texts()[-2:] == ["It was slow.", "Paris."])

    assert "tasks is 0; it must be at least 1." in refused.stderr
    assert "Invalid TOML" in broken.stderr
    assert f"The daemon is running (process {daemon.pid}) and hosts telegram." in reloaded.stdout, reloaded.stderr
    assert 4 == len(tasks_begun(chat.openkoi))
