"""The Claude CLI's login in the Keychain of macOS. Knows one command; where it is not there, there is no login."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from .logins import Login, asking
from .sources import Source
from .tokens import keychain_token

SERVICE = "Claude Code-credentials"
COMMAND = ("security", "find-generic-password", "-s", SERVICE, "-w")
SECONDS = 3.0


async def keychain_login(command: Sequence[str], now: float) -> Login | None:
    """Ask the Keychain, which may ask its user; an answer that does not come soon is none."""
    token = keychain_token(await said(command), now)
    if not token:
        return None
    consent = asking("the Claude CLI", "the macOS Keychain", "anthropic")
    return Login(Source.CLAUDE_CLI_KEYCHAIN, "anthropic", token, consent)


async def said(command: Sequence[str]) -> str:
    """What the command prints, if it goes well."""
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
