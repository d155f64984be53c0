"""Compile modules in a child process, and cache the results by the modules' hashes."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_base.child_process import start_process
from openkoi_base.files import private_folder, write_atomically
from openkoi_hookspecs import KoiError

from .engine import FEATURES, compiled_class
from .limits import MAX_MODULE_BYTES

if TYPE_CHECKING:
    from wasmtime import Engine, Module
    from wasmtime.component import Component

CHILD = Path(__file__).with_name("compile_child.py")
CPU_SECONDS = 10  # of a compilation; a plugin in Rust takes less than one (estimate)
WALL_SECONDS = 30.0  # the same on a busy machine
MAX_COMPILED_BYTES = 64 << 20
MAX_KEPT = 64  # compiled modules
DIGEST_BYTES = 32  # SHA-256
TOO_LARGE = "The module has {0:,} bytes; the limit is {1:,}. Build it with optimization, and strip unneeded symbols."
TOO_SLOW = "Compiling the module took more than {0} s or too much memory, so the module is not used. Reduce its size."


async def load_module(engine: "Engine", wasm: bytes, folder: Path, seconds: int = CPU_SECONDS) -> "Module | Component":
    """Return a module or component, compiled now or before; raise KoiError for one that cannot be compiled."""
    from wasmtime import WasmtimeError

    file = folder / f"{cache_key(wasm)}.compiled"
    if (kept := read_kept(file)) is not None:
        try:
            return compiled_class(wasm).deserialize(engine, kept)
        except WasmtimeError:  # it was compiled for another processor, which shares this folder
            pass
    compiled = await compile_module(wasm, seconds)
    await asyncio.to_thread(keep, file, compiled)
    return compiled_class(wasm).deserialize(engine, compiled)


def cache_key(wasm: bytes) -> str:
    """Return a compiled module's cache key, which depends on the module, wasmtime, processor and features."""
    import platform
    from importlib.metadata import version

    place = f"{version('wasmtime')} {sys.platform} {platform.machine()} {FEATURES} "
    return sha256(place.encode() + wasm).hexdigest()


def read_kept(file: Path) -> bytes | None:
    """Return a compiled module; None if there is none, or if it is damaged: damaged code would be run as it is."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    digest, compiled = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
    return compiled if digest == sha256(compiled).digest() else None


def keep(file: Path, compiled: bytes) -> None:
    """Keep a compiled module with its hash, and delete the oldest; keep none if the folder is not writable."""
    try:
        private_folder(file.parent)
        write_atomically(file, sha256(compiled).digest() + compiled)
        old = sorted(file.parent.glob("*.compiled"), key=lambda one: one.stat().st_mtime)[:-MAX_KEPT]
        for one in old:
            one.unlink(missing_ok=True)
    except OSError:
        return


async def compile_module(wasm: bytes, seconds: int) -> bytes:
    """Compile a module in a child process; raise KoiError if that fails or takes too much."""
    if len(wasm) > MAX_MODULE_BYTES:
        raise KoiError(TOO_LARGE.format(len(wasm), MAX_MODULE_BYTES))
    child = await start_process(
        sys.executable, "-I", str(CHILD), str(seconds), stdin=PIPE, stdout=PIPE, stderr=PIPE, env={}
    )
    try:
        async with asyncio.timeout(WALL_SECONDS):
            compiled, errors = await child.communicate(wasm)
    except TimeoutError:
        raise KoiError(TOO_SLOW.format(seconds)) from None
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    if child.returncode == 1:
        raise KoiError(f"The module is not valid: {errors.decode(errors='replace').strip().splitlines()[-1]}")
    if child.returncode or not 0 < len(compiled) <= MAX_COMPILED_BYTES:
        raise KoiError(TOO_SLOW.format(seconds))
    return compiled
