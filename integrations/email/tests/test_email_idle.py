"""Test what a waiting mailbox does not import: Python's email modules take 2 MiB."""

import subprocess
import sys
from pathlib import Path

from mail_server import PASSWORD, run_mail_servers

WAITING = """
import asyncio, sys
from contextlib import aclosing
from pathlib import Path
from openkoi_email import Email

async def wait(app):
    async with asyncio.timeout(60), aclosing(app.watch()) as deliveries:
        await anext(deliveries)
        return await anext(deliveries)

imap, folder = sys.argv[1:]
app = Email(folder=Path(folder), address="koi@koi.test", imap=imap, password="PASSWORD", idle_seconds=1)
asyncio.run(wait(app))
print(*sorted({"email", "smtplib", "html", "openkoi_email.reading", "openkoi_email.writing"} & set(sys.modules)))
"""


def test_a_mailbox_that_waits_has_no_module_that_reads_or_writes_mails(tmp_path: Path) -> None:
    with run_mail_servers("koi@koi.test") as servers:
        code = WAITING.replace("PASSWORD", PASSWORD)
        command = [sys.executable, "-c", code, f"imap://127.0.0.1:{servers.imap_port}", str(tmp_path)]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)

    assert ("\n", "") == (result.stdout, result.stderr)
