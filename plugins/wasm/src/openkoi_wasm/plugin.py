"""A plugin as it is used: its module is compiled when it is first called, and each call is made in a thread."""

import asyncio
import json
import os
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Any

from openkoi_base.redact import secrets_of
from openkoi_hookspecs import ConfigError, Koi, KoiError, Run

from .approval import NOT_APPROVED, make_consent
from .manifest import Manifest

if TYPE_CHECKING:
    from .compiled_module import CompiledModule
    from .host import WasmHost

CHANGED = "{0} has changed since it was listed. It is used again from the next task on."


class WasmPlugin:
    """What all kinds that one manifest brings have in common."""

    def __init__(self, manifest: Manifest, digest: str, host: "WasmHost", koi: Koi) -> None:
        self.manifest, self.digest, self.host, self.koi = manifest, digest, host, koi
        self.consent = make_consent(manifest, digest, koi)
        self.loading = asyncio.Lock()
        self.module: CompiledModule | None = None

    async def call(self, method: str, fields: Mapping[str, Any], run: Run | None) -> Any:
        """Return what the module answers to a method; raise KoiError for a refusal, a fault or an error of its own."""
        from .active_call import ActiveCall, CallScope
        from .host_calls import encode

        module = self.module or await self.load()
        request = encode({"method": method, **fields})
        made, loop = self.manifest, asyncio.get_running_loop()
        scope = CallScope(made.name, made.capabilities, made.granted_tools, self.koi, run, loop)
        answer = await self.host.run(module, request, ActiveCall(made.limits, scope))
        return self.read_answer(answer)

    def read_answer(self, answer: bytes) -> Any:
        """Return the value of ``{"ok": ...}``; raise KoiError for ``{"error": ...}``, and for anything else."""
        name = self.manifest.name
        try:
            found = json.loads(answer, parse_constant=finite, parse_float=finite)
        except (ValueError, RecursionError):
            raise KoiError(f"The WASM plugin {name} did not answer with JSON.") from None
        if isinstance(found, dict) and "ok" in found:
            return found["ok"]
        if isinstance(found, dict) and isinstance(found.get("error"), str):
            raise KoiError(f"The WASM plugin {name} failed: {found['error'][:1_000]}")
        raise KoiError(f'The WASM plugin {name} answered neither {{"ok": ...}} nor {{"error": "..."}}.')

    async def load(self) -> "CompiledModule":
        """Compile the module, or take what was compiled before; raise KoiError for one that cannot be used."""
        async with self.loading:
            if self.module is None:
                self.conceal_secrets()
                self.module = await self.host.load(self.manifest, await asyncio.to_thread(self.read))
            return self.module

    def conceal_secrets(self) -> None:
        """Mask what the module can read of variables, wherever it writes that."""
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
    """What all kinds of plugins that a module can be have in common."""

    def __init__(self, plugin: WasmPlugin) -> None:
        self.plugin = plugin

    async def health(self) -> Mapping[str, str]:
        """Say that the module can be used; raise KoiError if it is not approved or cannot be compiled."""
        if not self.plugin.consent.is_given:
            raise KoiError(NOT_APPROVED.format(self.plugin.manifest.name))
        await self.plugin.load()
        return {"ok,": f"a WASM module that may {'; '.join(self.plugin.manifest.wants) or 'do nothing but compute'}"}


def finite(text: str) -> float:
    """Return a number; raise ValueError for one that JSON does not have, such as NaN, or that is too large."""
    if not isfinite(number := float(text)):
        raise ValueError(text)
    return number
