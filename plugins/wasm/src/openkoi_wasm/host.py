"""The part of OpenKoi that runs modules: one engine and a few threads for all plugins of a process."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import ConfigError, KoiError

from .call_threads import CallThreads
from .compiler import CPU_SECONDS, load_module
from .limits import MAX_SECONDS
from .manifest import Manifest

if TYPE_CHECKING:
    from wasmtime import Module
    from wasmtime.component import Component

    from .active_call import ActiveCall
    from .compiled_module import CompiledModule
    from .engine import EngineClock

MAX_CALLS = 2  # at once: each may take 64 MiB, and the process may grow by 200 MB
OTHER_ABI = '{0} is a {1}. Write abi = "{2}" in [plugin] of {3}.'


class WasmHost:
    """Compiles and calls modules. The engine is created with the first of them."""

    def __init__(self, folder: Path, compile_seconds: int = CPU_SECONDS) -> None:
        self.folder, self.compile_seconds = folder, compile_seconds
        self.clock: EngineClock | None = None
        self.threads = CallThreads(MAX_CALLS)
        self.modules: list[CompiledModule] = []

    async def load(self, manifest: Manifest, wasm: bytes) -> "CompiledModule":
        """Return a module that can be called; raise KoiError for one that cannot."""
        from .engine import EngineClock, create_engine
        from .guest import GuestError

        refuse_other_abi(manifest, wasm)
        self.clock = self.clock or EngineClock(create_engine())
        try:
            compiled = await load_module(self.clock.engine, wasm, self.folder, self.compile_seconds)
            linked = link(self.clock, compiled, manifest)
        except KoiError as error:
            raise ConfigError(f"The WASM plugin {manifest.name} cannot be used: {error}") from None
        except GuestError as error:
            raise ConfigError(f"The WASM plugin {manifest.name} {error}.") from None
        self.modules.append(linked)
        return linked

    def run_at_once(self, module: "CompiledModule", request: bytes, call: "ActiveCall") -> bytes | None:
        """Call a module without a thread, which would take as long as a short call; None if the call needs more."""
        from .guest import GuestError

        try:
            return module.call_at_once(request, call)
        except GuestError as error:
            raise KoiError(f"The WASM plugin {call.scope.plugin} {error}.") from None

    async def run(self, module: "CompiledModule", request: bytes, call: "ActiveCall") -> bytes:
        """Call a module in a thread; raise KoiError for a fault of it. A call that is cancelled is stopped."""
        from .guest import GuestError

        try:
            return await self.threads.submit(partial(module.call, request, call))
        except GuestError as error:
            raise KoiError(f"The WASM plugin {call.scope.plugin} {error}.") from None
        finally:
            if not call.ended:
                module.cancel(call)

    def close(self) -> None:
        """Stop all calls, wait for the threads, and free what wasmtime has: at the end of Python it cannot be freed."""
        self.threads.close(self.stop_calls)
        for module in self.modules:
            module.prepared.close()
        if self.clock:
            self.clock.close()

    def stop_calls(self) -> None:
        """Stop all calls under way."""
        if self.clock:
            self.clock.stop_all(MAX_SECONDS)


def refuse_other_abi(manifest: Manifest, wasm: bytes) -> None:
    """Raise ConfigError for a component that is declared as a core module, or the other way round."""
    from .engine import is_component

    found, noun = ("component", "component") if is_component(wasm) else ("core", "core module")
    if manifest.abi != found:
        raise ConfigError(OTHER_ABI.format(manifest.module, noun, found, manifest.file))


def link(clock: "EngineClock", compiled: "Module | Component", manifest: Manifest) -> "CompiledModule":
    """Return a module or component that can be called; raise KoiError for one that does not fit."""
    from wasmtime import Module

    from .component import check_component, link_component
    from .core_module import link_module
    from .host_functions import granted_functions, missing_grants
    from .module_check import check_module

    asked = manifest.document.get("capabilities", {})
    if isinstance(compiled, Module):
        check_module(compiled, missing_grants(asked), manifest.limits)
        return link_module(clock, compiled, granted_functions(asked))
    check_component(compiled, clock.engine, missing_grants(asked))
    return link_component(clock, compiled, granted_functions(asked))
