"""Read the Claude CLI's login from the macOS Keychain, if its command exists."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from .key_sources import KeySource
from .other_logins import Login, consent_question
from .tokens import read_keychain_token

SERVICE = "Claude Code-credentials"
COMMAND = ("security", "find-generic-password", "-s", SERVICE, "-w")
TIMEOUT_SECONDS = 3.0  # estimate: the Keychain may show a dialog, which must not block the start


async def read_keychain_login(command: Sequence[str], now: float) -> Login | None:
    """Return the login in the Keychain, which may ask the user; None if the answer takes too long."""
    token = read_keychain_token(await run_command(command), now)
    if not token:
        return None
    consent = consent_question("Claude CLI", "the macOS Keychain", "anthropic")
    return Login(KeySource.CLAUDE_CLI_KEYCHAIN, "anthropic", token, consent)


async def run_command(command: Sequence[str]) -> str:
    """Return the command's output, if it succeeds."""
    pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        child = await asyncio.create_subprocess_exec(*command, stdin=nowhere, stdout=pipe, stderr=nowhere)
    except OSError:
        return ""
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            output, _ = await child.communicate()
    except TimeoutError:
        return ""
    finally:
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    return output.decode(errors="replace") if child.returncode == 0 else ""
