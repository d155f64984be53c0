"""List the providers that can be set up."""

from collections.abc import Sequence

from openkoi_hookspecs import Koi, ProviderInfo
from openkoi_hookspecs.lazy_dataclass import dataclass

CUSTOM = "custom"
COLUMN_WIDTH = 38
CUT = " ..."
OFFERED = ("ollama", "anthropic", "openai", "openrouter")
REMARKS = {"ollama": "free, runs locally", "openrouter": "many free models"}
OTHER = ProviderInfo(CUSTOM, "OpenAI-compatible URL", title="Other", hint="any endpoint")


@dataclass(frozen=True, slots=True)
class PickerOption:
    """A line of the picker."""

    offer: ProviderInfo

    @property
    def name(self) -> str:
        """The provider and a remark."""
        return f"{provider_title(self.offer)} ({REMARKS.get(self.offer.provider, self.offer.model)})"

    def line(self, column: int) -> str:
        """Return the name, and the hint in its column."""
        return f"{self.name:<{column}} {self.offer.hint}"


def format_options(choices: Sequence[PickerOption], width: int) -> Sequence[str]:
    """Return the lines of the picker, shortened to the terminal's width."""
    wide = [choice.line(COLUMN_WIDTH) for choice in choices]
    if max(map(len, wide)) <= width:
        return wide
    column = max(len(choice.name) for choice in choices)
    return [truncate_line(choice.line(column), width) for choice in choices]


def truncate_line(line: str, width: int) -> str:
    """Return as many words of a line as fit."""
    return line if len(line) <= width else line[: width + 1 - len(CUT)].rpartition(" ")[0].rstrip() + CUT


def list_options(koi: Koi) -> Sequence[PickerOption]:
    """Return the installed providers that can be set up, in their order in the picker."""
    offers = {offer.provider: offer for offer in koi.providers()}
    if any(entry.name == CUSTOM for entry in koi.plugins("providers")):
        offers[CUSTOM] = OTHER
    return [PickerOption(offers[name]) for name in (*OFFERED, CUSTOM) if name in offers]


def provider_title(offer: ProviderInfo) -> str:
    """Return a provider's display name."""
    return offer.title or offer.provider


def explain_no_terminal(offers: Sequence[ProviderInfo]) -> str:
    """Return what to do without a terminal."""
    variables = ", ".join(offer.variable for offer in offers if offer.variable)
    keys = f"Set one of {variables}, or name" if variables else "Name"
    return f"`openkoi init` is interactive and needs a terminal. {keys} a model with OPENKOI_MODEL=PROVIDER/MODEL."
