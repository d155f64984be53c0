"""A WASM plugin in use: its module is compiled on the first call, and long calls run in a thread."""

import asyncio
import json
import os
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from openkoi_base.printable import one_line
from openkoi_base.redact import secrets_of
from openkoi_hookspecs import ConfigError, Koi, KoiError, Run

from .approval import explain_unused, make_consent
from .manifest import Manifest

if TYPE_CHECKING:
    from .compiled_module import CompiledModule
    from .host import WasmHost

MAX_TOO_LONG = 3  # then all further calls of a method are made in a thread
CHANGED = "{0} has changed since OpenKoi read it. It can be used again in the next task."


class WasmPlugin:
    """The plugin that all kinds in one manifest share."""

    def __init__(self, manifest: Manifest, digest: str, host: "WasmHost", koi: Koi) -> None:
        self.manifest, self.digest, self.host, self.koi = manifest, digest, host, koi
        self.consent = make_consent(manifest, digest, koi)
        self.at_once = manifest.limits.at_once
        self.loading = asyncio.Lock()
        self.module: CompiledModule | None = None
        self.too_long: dict[tuple[str, object], int] = {}  # by method: how often in a row it took more than at once

    async def call(self, method: str, fields: Mapping[str, Any], run: Run | None) -> Any:
        """Return the module's answer to a method; raise KoiError for a refusal, a fault or the module's own error."""
        from .active_call import ActiveCall, CallScope
        from .host_functions import encode

        module = self.module or await self.load()
        request = encode({"method": method, **fields})
        made, loop = self.manifest, asyncio.get_running_loop()
        scope = CallScope(made.name, made.capabilities, made.granted_tools, self.koi, run, loop)
        about = (method, fields.get("tool") or fields.get("hook"))
        if self.too_long.get(about, 0) < MAX_TOO_LONG:
            answer = self.host.run_at_once(module, request, ActiveCall(self.at_once, scope))
            self.too_long[about] = self.too_long.get(about, 0) + 1 if answer is None else 0
            if answer is not None:
                return self.read_answer(answer)
        return self.read_answer(await self.host.run(module, request, ActiveCall(made.limits, scope)))

    def read_answer(self, answer: bytes) -> Any:
        """Return the value of ``{"ok": ...}``; raise KoiError for ``{"error": ...}``, and for anything else."""
        name = self.manifest.name
        try:
            found = DECODER.decode(answer.decode())
        except (ValueError, RecursionError):
            raise KoiError(f"The WASM plugin {name} did not return JSON.") from None
        if isinstance(found, dict) and "ok" in found:
            return found["ok"]
        if isinstance(found, dict) and isinstance(found.get("error"), str):
            raise KoiError(f"The WASM plugin {name} failed: {one_line(found['error'][:1_000])}")
        raise KoiError(f'The WASM plugin {name} returned neither {{"ok": ...}} nor {{"error": "..."}}.')

    async def load(self) -> "CompiledModule":
        """Compile the module, or use the cached result; raise KoiError for a module that cannot be used."""
        async with self.loading:
            if self.module is None:
                self.conceal_secrets()
                self.module = await self.host.load(self.manifest, await asyncio.to_thread(self.read))
            return self.module

    def conceal_secrets(self) -> None:
        """Mask the secrets that the module can read from variables, wherever it writes them."""
        for secret in secrets_of(self.manifest.capabilities.variables(os.environ).items()):
            if secret.is_maskable:
                self.koi.conceal(secret.value, f"{secret.origin}, which the WASM plugin {self.manifest.name} reads")

    def read(self) -> bytes:
        """Return the module; raise ConfigError if it is not the one that was listed."""
        wasm = self.manifest.read_module()
        if self.manifest.digest(wasm) != self.digest:
            raise ConfigError(CHANGED.format(self.manifest.module))
        return wasm


class Adapter:
    """The base of all kinds of plugins that a module can implement."""

    def __init__(self, plugin: WasmPlugin) -> None:
        self.plugin = plugin

    async def health(self) -> Mapping[str, str]:
        """Report that the module can be used; raise KoiError if it is not approved or cannot be compiled."""
        if not self.plugin.consent.is_given:
            raise KoiError(explain_unused(self.plugin.manifest.name, self.plugin.koi))
        await self.plugin.load()
        return {"ok,": f"a WASM module that may {'; '.join(self.plugin.manifest.wants) or 'only compute'}"}


def finite(text: str) -> float:
    """Return a number; raise ValueError for one that JSON does not have, such as NaN, or that is too large."""
    if not isfinite(number := float(text)):
        raise ValueError(text)
    return number


DECODER = json.JSONDecoder(parse_constant=finite, parse_float=finite)
