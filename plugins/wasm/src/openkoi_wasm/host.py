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
    from .active_call import ActiveCall
    from .compiled_module import CompiledModule
    from .engine import EngineClock

MAX_CALLS = 2  # at once: each may take 64 MiB, and the process may grow by 200 MB
NO_COMPONENTS = "{0}: components are not supported. Build a core module, as `openkoi wasm docs` describes."


class WasmHost:
    """Compiles and calls modules. The engine is created with the first of them."""

    def __init__(self, folder: Path, compile_seconds: int = CPU_SECONDS) -> None:
        self.folder, self.compile_seconds = folder, compile_seconds
        self.clock: EngineClock | None = None
        self.threads = CallThreads(MAX_CALLS)
        self.modules: list[CompiledModule] = []

    async def load(self, manifest: Manifest, wasm: bytes) -> "CompiledModule":
        """Return a module that can be called; raise KoiError for one that cannot."""
        from .compiled_module import link_module
        from .engine import EngineClock, create_engine
        from .guest import GuestError
        from .host_calls import granted_functions, missing_grants
        from .module_check import check_module

        if manifest.abi != "core":
            raise ConfigError(NO_COMPONENTS.format(manifest.file))
        self.clock = self.clock or EngineClock(create_engine())
        asked = manifest.document.get("capabilities", {})
        try:
            module = await load_module(self.clock.engine, wasm, self.folder, self.compile_seconds)
            check_module(module, missing_grants(asked), manifest.limits)
            linked = link_module(self.clock, module, granted_functions(asked))
        except KoiError as error:
            raise ConfigError(f"The WASM plugin {manifest.name} cannot be used: {error}") from None
        except GuestError as error:
            raise ConfigError(f"The WASM plugin {manifest.name} {error}.") from None
        self.modules.append(linked)
        return linked

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
