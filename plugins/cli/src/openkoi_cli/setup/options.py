"""What can be picked where nothing was found. Knows the offers; knows no terminal."""

from collections.abc import Sequence
from dataclasses import dataclass

from openkoi_hookspecs import Koi, ProviderInfo

CUSTOM = "custom"
WIDTH = 38
CUT = " ..."
PICKED = ("ollama", "anthropic", "openai", "openrouter")
BESIDES = {"ollama": "free, runs locally", "openrouter": "many free models"}
OTHER = ProviderInfo(CUSTOM, "OpenAI-compatible URL", title="Other", hint="any endpoint")


@dataclass(frozen=True, slots=True)
class PickerOption:
    """A line of the picker."""

    offer: ProviderInfo

    @property
    def name(self) -> str:
        """The provider, and what it is known for."""
        return f"{title_of(self.offer)} ({BESIDES.get(self.offer.provider, self.offer.model)})"

    def line(self, column: int) -> str:
        """The name, and in its column what it takes."""
        return f"{self.name:<{column}} {self.offer.hint}"


def lines(choices: Sequence[PickerOption], width: int) -> Sequence[str]:
    """The picker's lines; where there is little room, the columns stand closer and what does not fit is cut."""
    wide = [choice.line(WIDTH) for choice in choices]
    if max(map(len, wide)) <= width:
        return wide
    column = max(len(choice.name) for choice in choices)
    return [cut(choice.line(column), width) for choice in choices]


def cut(line: str, width: int) -> str:
    """As many words of a line as fit."""
    return line if len(line) <= width else line[: width + 1 - len(CUT)].rpartition(" ")[0].rstrip() + CUT


def options(koi: Koi) -> Sequence[PickerOption]:
    """What is installed of what can be set up here, in the order in which it is shown."""
    offers = {offer.provider: offer for offer in koi.providers()}
    if any(entry.name == CUSTOM for entry in koi.plugins("providers")):
        offers[CUSTOM] = OTHER
    return [PickerOption(offers[name]) for name in (*PICKED, CUSTOM) if name in offers]


def title_of(offer: ProviderInfo) -> str:
    """A provider's name as it writes itself."""
    return offer.title or offer.provider


def without_a_person(offers: Sequence[ProviderInfo]) -> str:
    """Return what to do without a terminal."""
    variables = ", ".join(offer.variable for offer in offers if offer.variable)
    keys = f"Set one of {variables}, or name" if variables else "Name"
    return (
        "openkoi init asks which model to use, but there is no terminal to ask on. "
        f"{keys} a model with OPENKOI_MODEL=PROVIDER/MODEL."
    )
