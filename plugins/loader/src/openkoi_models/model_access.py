"""Provide the configured providers and models for runs, or discover some if none are configured."""

from collections.abc import Callable

from openkoi_base.redact import Redactor
from openkoi_hookspecs import DiscoveredProvider, Koi, NoProviderError, Provider, hooks
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_loader.components import Components
from openkoi_loader.recordable import refuse_unrecordable
from openkoi_settings import Config, Setting

from .model_discovery import Discovery, ModelChoice


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """The source of providers. ``koi`` is passed to the plugins that look for models."""

    config: Config
    components: Components
    redactor: Redactor
    koi: Callable[[], Koi]

    async def provider(self, name: str) -> Provider:
        """Return a provider by name; if its key is missing, look for one."""
        refuse_unrecordable(name, self.config, self.components.plugins)
        try:
            return await self.components.provider(name)
        except NoProviderError:
            if not await self.discovery.key_for(name):
                raise
            return await self.components.provider(name)

    async def find_model(self) -> ModelChoice:
        """Find a model if none is configured."""
        return await self.discovery.find()

    @property
    def discovery(self) -> Discovery:
        """The search for a model."""
        return Discovery(self.find_providers, self.koi().ask, self.use_discovered)

    async def find_providers(self) -> list[DiscoveredProvider]:
        """Ask the plugins which providers they find; omit those that are not installed."""
        koi = self.koi()
        installed = {entry.name for entry in koi.plugins("providers")}
        found = [one for _, many in await koi.collect(hooks.find_models, koi=koi) for one in many]
        for one in found:
            self.redactor.hold(one.key, one.origin)
        return [one for one in found if one.provider in installed]

    def use_discovered(self, found: DiscoveredProvider) -> None:
        """Build the provider with the key that was found."""
        if found.key:
            self.use_key(found.provider, found.key, found.origin)

    def use_key(self, provider: str, key: str, origin: str) -> None:
        """Build a provider with this key from now on; it is not saved."""
        self.redactor.hold(key)
        self.components.plugins.keys[provider] = Setting(key, origin)
        self.components.load_again("providers", provider)
