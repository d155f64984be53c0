"""Test that an email becomes a task of the daemon, is approved by a reply, and that no forged one reaches a model."""

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path

import pytest
from assistant_process import SETTINGS, TURNS, model_calls, running, tasks_begun, wait_until
from cli_process import Shell, shell, write_script
from mail_server import PASSWORD, MailServers, run_mail_servers

KOI, ANN = "koi@koi.test", "ann@koi.test"
PASSED = "mx.koi.test; dmarc=pass header.from=koi.test"
APP = """\
[integrations.email]
address = "koi@koi.test"
imap = "imap://127.0.0.1:{imap}"
smtp = "smtp://127.0.0.1:{smtp}"
checked_by = "mx.koi.test"
"""


class MailChat:
    """The mailbox of the assistant, and the command line of its owner."""

    def __init__(self, openkoi: Shell, servers: MailServers) -> None:
        self.openkoi, self.servers = openkoi, servers
        self.count = 0

    def write(self, body: str, *, result: str = PASSED, by: str = ANN, **headers: str) -> str:
        """Deliver an email; return its id."""
        self.count += 1
        mail = EmailMessage()
        for name, value in {"Authentication-Results": result, "From": by, "To": KOI, **headers}.items():
            if value:
                mail[name.replace("_", "-")] = value
        mail["Message-ID"] = f"<{self.count}@koi.test>"
        mail.set_content(body)
        self.servers.deliver(KOI, mail.as_bytes())
        return str(mail["Message-ID"])

    def texts(self, thread: str = "") -> list[str]:
        """Return the texts of the emails that the assistant sent."""
        sent = [one for one in self.servers.sink.taken if thread in str(one.get("References", ""))]
        return [str(part.get_content()).strip() for one in sent if (part := one.get_body(("plain",)))]

    def pair(self) -> None:
        """Pair Ann by a code from the terminal; the daemon runs."""
        self.write(self.openkoi("connect", "email", "--pair", "owner").stdout.split()[-1], Subject="My code")
        wait_until(lambda: any("owner" in text for text in self.texts()))


@contextmanager
def mail_chat(folder: Path) -> Iterator[MailChat]:
    """Run the mail servers, and make a home that is connected to them."""
    openkoi = shell(folder)
    openkoi.home.mkdir()
    write_script(folder, TURNS)
    with run_mail_servers(KOI) as servers:
        app = APP.format(imap=servers.imap_port, smtp=servers.smtp.port)
        (openkoi.home / "config.toml").write_text(SETTINGS.format(app=app, more=""))
        model = f"scripted/{folder / 'script.yaml'}"
        yield MailChat(openkoi.with_environment(OPENKOI_MODEL=model, EMAIL_PASSWORD=PASSWORD), servers)


@pytest.mark.timeout(300)  # commands take long on a busy machine
@pytest.mark.row("INT-01", "INT-03", "INT-07")
def test_a_mail_becomes_a_task_its_approval_is_a_word_and_forged_mails_reach_no_model(tmp_path: Path) -> None:
    with mail_chat(tmp_path) as chat, running(chat.openkoi):
        chat.pair()
        root = chat.write("the capital?", Subject="A question")
        wait_until(lambda: "Paris." in chat.texts(root))
        chat.write("> Paris.\n\nand the capital of Italy?", Subject="Re: A question", References=root)
        wait_until(lambda: 2 == chat.texts(root).count("Paris."))
        other = chat.write("please remove it")
        (question,) = wait_until(lambda: chat.texts(other))
        code = question.split("`yes ")[1][:4]
        chat.write(f"yes {code}\n\n-- \nAnn", References=other)
        wait_until(lambda: "Removed." in chat.texts(other)[-1])
        texts, calls = tasks_begun(chat.openkoi), model_calls(chat.openkoi)
        forge_mails(chat)
        last = chat.write("the capital?", Subject="Last")
        wait_until(lambda: chat.texts(last))
        after, sent = tasks_begun(chat.openkoi), chat.texts()
        output = chat.openkoi("connect", "--list").stdout

    assert {"A question\n\nthe capital?", "and the capital of Italy?", "please remove it"} == set(texts)
    assert Counter(["Last\n\nthe capital?"]) == Counter(after) - Counter(texts)
    assert calls + 1 == model_calls(chat.openkoi)
    assert not [text for text in sent if "evil" in text]
    assert f"mailbox {KOI}, senders are checked by mx.koi.test" in output
    assert f"{ANN}" in output


def forge_mails(chat: MailChat) -> None:
    """Deliver 50 emails that claim to be Ann's, or that no user wrote."""
    results = [
        "",
        "mx.koi.test; dmarc=fail header.from=koi.test",
        "mx.koi.test; dmarc=none header.from=koi.test",
        "mx.evil.test; dmarc=pass header.from=koi.test",
        "mx.koi.test; dmarc=fail (dmarc=pass header.from=koi.test)",
        "mx.koi.test; dmarc=pass header.from=evil.test",
        "mx.koi.test; spf=pass; dkim=pass",
    ]
    for number in range(35):
        chat.write(f"evil {number}: the capital?", result=results[number % len(results)])
    for header in ({"Auto_Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"List_Id": "<l>"}):
        for number in range(3):
            chat.write(f"evil robot {number}: the capital?", **header)
    for by in ("eve@koi.test", "Ann <eve@koi.test>", "ann@koi.test <eve@koi.test>", KOI, "noreply@koi.test", "x"):
        chat.write("evil stranger: the capital?", by=by)


@pytest.mark.skipif(os.name != "posix", reason="a terminal as POSIX has it")
@pytest.mark.timeout(300)
@pytest.mark.row("CLI-06", "INT-06")
def test_it_is_connected_by_three_prompts_or_by_a_code_in_a_browser(tmp_path: Path) -> None:
    from pseudo_terminal import ENTER, terminal

    with mail_chat(tmp_path) as chat:
        openkoi, servers = chat.openkoi.with_environment(EMAIL_PASSWORD=""), chat.servers
        config, saved = openkoi.home / "config.toml", openkoi.home / "credentials" / "providers.json"
        places = f'imap = "imap://127.0.0.1:{servers.imap_port}"\nsmtp = "smtp://127.0.0.1:{servers.smtp.port}"'
        config.write_text(f"[integrations.email]\n{places}\n")
        for password, text in (("wrong", "rejected the sign-in"), (PASSWORD, "Signed in to email as koi@")):
            with terminal(openkoi, "connect", "email") as there:
                there.shows("The address of a mailbox")
                there.type(KOI + ENTER)
                there.shows("Password of this mailbox")
                there.type(password + ENTER)
                if password == PASSWORD:
                    there.shows("The server that checks mail for you")
                    there.type("mx.koi.test" + ENTER)
                there.shows(text)
                there.ends()
        by_password = json.loads(saved.read_text())
        output = openkoi("connect", "--list").stdout
        oauth = (
            f'client_id = "koi"\ntoken_url = "{servers.oauth_url}/token"\ndevice_url = "{servers.oauth_url}/device"\n'
        )
        config.write_text(f'[integrations.email]\n{places}\nchecked_by = "mx.koi.test"\n{oauth}')
        with terminal(openkoi, "connect", "email") as there:
            there.shows("The address of a mailbox")
            there.type(KOI + ENTER)
            there.shows("enter KOI-POND")
            servers.tokens.is_allowed = True
            there.type("y" + ENTER)
            there.shows("Signed in to email as koi@koi.test")
            there.ends()
        by_code, mode = json.loads(saved.read_text()), saved.stat().st_mode & 0o777

    assert (PASSWORD, 0o600) == (by_password["email.password"], mode)
    assert f"mailbox {KOI}, senders are checked by mx.koi.test" in output
    assert by_code["email.refresh_token"].startswith("refresh-")
    assert not by_code["email.password"]
