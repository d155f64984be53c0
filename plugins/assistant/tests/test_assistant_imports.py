"""What an app costs to import beside the contract and the HTTP library: its own modules and hardly more."""

import json
import subprocess
import sys

import pytest

from openkoi_testing.servers import NotionServer, SlackServer, TelegramServer

LISTING = """
import sys
import openkoi_{app}
lazy = [name for name in sys.modules if name.startswith("openkoi_{app}.")]
import openkoi_assistant.gateway
from openkoi_http import AppClient, ResponseLimits, Server, WebSocket
AppClient("https://koi.example"), ResponseLimits(), Server, WebSocket
before = set(sys.modules)
openkoi_{app}.{name}
print(lazy, *sorted(one for one in set(sys.modules) - before if not one.startswith("openkoi_{app}.")))
"""
OAUTH, QUOTES = "openkoi_http.oauth", "openkoi_base.quoted_text"
IMAP = {"imaplib", "calendar", "random", "bisect", "_bisect", "_random", "_sha512"}
SHARED: dict[str, set[str]] = {  # 1 to 4 ms of processor time
    "telegram": set(),
    "slack": {QUOTES},
    "notion": set(),
    "matrix": {QUOTES, OAUTH},
    "email": {OAUTH},
}


@pytest.mark.parametrize("app", SHARED)
def test_an_app_imports_its_own_modules_when_it_is_used(app: str) -> None:
    code = LISTING.format(app=app, name=app.capitalize())
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    lazy, *more = result.stdout.split()
    own_python = {one for one in more if one.partition(".")[0] in sys.stdlib_module_names}
    assert "[]" == lazy
    assert SHARED[app] == set(more) - own_python
    assert own_python <= (IMAP if app == "email" else set())


WATCHING = """
import asyncio, importlib, json, sys
from contextlib import aclosing

async def watch(app):
    async with app:
        if not hasattr(app, "watch"):
            return await app.list_documents()
        async with aclosing(app.watch()) as deliveries:
            return await anext(deliveries)

module, name, settings = sys.argv[1:]
asyncio.run(watch(getattr(importlib.import_module(module), name)(**json.loads(settings))))
print(*sorted({"httpx2", "httpcore2", "h11", "anyio", "wsproto"} & set(sys.modules)))
"""


@pytest.mark.parametrize("name", ["Slack", "Telegram", "Notion"])
def test_an_app_that_watches_needs_no_httpx2(name: str) -> None:
    """It takes 13 MiB, a third of the memory of an idle daemon."""
    with SlackServer() as slack, TelegramServer() as telegram, NotionServer() as notion:
        settings = {
            "Slack": {"base_url": f"{slack.url}/api", "token": slack.token, "app_token": slack.app_token},
            "Telegram": {"base_url": telegram.url, "token": telegram.token},
            "Notion": {"base_url": f"{notion.url}/v1", "token": notion.token},
        }
        command = [sys.executable, "-c", WATCHING, f"openkoi_{name.lower()}", name, json.dumps(settings[name])]
        result = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ("\n", "") == (result.stdout, result.stderr)


COMMAND = """
import sys
from openkoi_assistant.daemon_command import make_daemon
make_daemon()
print(*sorted(name for name in sys.modules if name == "sqlite3" or name.startswith("openkoi_assistant.")))
"""


def test_the_commands_of_the_daemon_import_nothing_that_only_the_daemon_needs() -> None:
    """It takes 13 ms of processor time over the contract and click, and 22 with the gateway."""
    result = subprocess.run([sys.executable, "-c", COMMAND], capture_output=True, text=True, check=True)

    own = ("background", "daemon_command", "daemon_files", "daemon_options")
    assert [f"openkoi_assistant.{name}" for name in own] == result.stdout.split()
