"""Find the WASM plugins of a user, each as plugins of the kinds that it brings. Every run imports this: no wasmtime."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

from openkoi_hookspecs import ConfigError, DataDir, Koi, PluginEntry, SharedSetting

if TYPE_CHECKING:
    from .host import WasmHost
    from .manifest import Manifest
    from .plugin import WasmPlugin

MANIFEST = "plugin.toml"


class WasmPlugins:
    """Lists the plugins in the data folder, ``plugins/wasm/NAME/plugin.toml``, and those of ``[plugins] wasm``."""

    def __init__(
        self,
        *,
        paths: Annotated[Sequence[str], SharedSetting("plugins.wasm")] = (),
        folder: Annotated[Path, DataDir("plugins/wasm")],
    ) -> None:
        self.paths, self.folder = paths, folder
        self.host: WasmHost | None = None
        self.made: dict[str, WasmPlugin] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        if self.host:
            self.host.close()

    def discover(self, koi: Koi, workspace: Path) -> Iterable[PluginEntry]:
        """List the plugins; the same for every workspace."""
        return [entry for one in self.find(koi) for entry in self.entries(one, koi)]

    def find(self, koi: Koi) -> "list[Manifest]":
        """Return the manifests by name; those in the configuration take precedence over those in the data folder."""
        found: dict[str, Manifest] = {}
        if not (files := [*self.files(koi)]):
            return []
        from .manifest import read_manifest

        for file in files:
            try:
                manifest = read_manifest(file)
            except ConfigError as error:
                koi.warn(f"A WASM plugin is not used: {error}")
                continue
            other = found.setdefault(manifest.name, manifest)
            if other is not manifest:
                koi.warn(f"{other.file} and {file} both define the WASM plugin {manifest.name}; the first is used.")
        return list(found.values())

    def files(self, koi: Koi) -> Iterator[Path]:
        """Yield all manifests."""
        for text in self.paths:
            file = manifest_file(Path(text).expanduser())
            if file.is_file():
                yield file
            else:
                koi.warn(f"`wasm` under [plugins] names {text}, which has no manifest {file}.")
        yield from sorted(self.folder.glob(f"*/{MANIFEST}"))

    def entries(self, manifest: "Manifest", koi: Koi) -> Iterator[PluginEntry]:
        """Yield an entry for each kind; it differs when the module or the manifest has changed."""
        try:
            digest = manifest.digest(manifest.read_module())
        except ConfigError as error:
            koi.warn(f"The WASM plugin {manifest.name} is not used: {error}")
            return
        wants = "; ".join(manifest.wants) or "nothing granted"
        for kind in manifest.kinds:
            load = partial(self.load, kind, manifest, digest, koi)
            yield PluginEntry(kind, manifest.name, f"{manifest.file} ({wants})", load, version=digest)

    async def load(self, kind: str, manifest: "Manifest", digest: str, koi: Koi) -> object:
        """Make a plugin of a kind; the module is compiled when it is first called."""
        from .adapters import make_plugin

        return make_plugin(kind, self.plugin(manifest, digest, koi))

    def plugin_of(self, manifest: "Manifest", koi: Koi) -> "WasmPlugin":
        """Return the plugin of a manifest with its current files; raise ConfigError if its module cannot be read."""
        return self.plugin(manifest, manifest.digest(manifest.read_module()), koi)

    def plugin(self, manifest: "Manifest", digest: str, koi: Koi) -> "WasmPlugin":
        """Return the plugin of a manifest, the same one for all of its kinds."""
        from .host import WasmHost
        from .plugin import WasmPlugin

        self.host = self.host or WasmHost(self.folder.with_name("wasm-compiled"))
        found = self.made.get(manifest.name)
        if found is None or found.digest != digest:
            found = self.made[manifest.name] = WasmPlugin(manifest, digest, self.host, koi)
        return found


def manifest_file(path: Path) -> Path:
    """Return the manifest of a folder or a module."""
    return path / MANIFEST if path.is_dir() else path.with_name(MANIFEST)
