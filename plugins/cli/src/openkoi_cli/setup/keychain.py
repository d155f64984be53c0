"""Read the Claude CLI's login from the macOS Keychain, if its command exists."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from .logins import Login, asking
from .sources import KeySource
from .tokens import keychain_token

SERVICE = "Claude Code-credentials"
COMMAND = ("security", "find-generic-password", "-s", SERVICE, "-w")
SECONDS = 3.0


async def keychain_login(command: Sequence[str], now: float) -> Login | None:
    """Ask the Keychain, which may ask its user; an answer that does not come soon is none."""
    token = keychain_token(await run_command(command), now)
    if not token:
        return None
    consent = asking("the Claude CLI", "the macOS Keychain", "anthropic")
    return Login(KeySource.CLAUDE_CLI_KEYCHAIN, "anthropic", token, consent)


async def run_command(command: Sequence[str]) -> str:
    """Return the command's output, if it succeeds."""
    pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    try:
        child = await asyncio.create_subprocess_exec(*command, stdin=nowhere, stdout=pipe, stderr=nowhere)
    except OSError:
        return ""
    try:
        async with asyncio.timeout(SECONDS):
            output, _ = await child.communicate()
    except TimeoutError:
        return ""
    finally:
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    return output.decode(errors="replace") if child.returncode == 0 else ""
