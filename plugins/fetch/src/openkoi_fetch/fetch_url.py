"""The tool of one run. What it has fetched it keeps for a while, so that reading on asks nobody and sends nothing."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

from openkoi_hookspecs import Allow, Arguments, Effect, Permission, Tool, ToolError, ToolResult

from .address import Address
from .journey import Arrival, Traveller
from .reading import Page, page_of
from .shown import fenced, shown
from .verdict import verdict
from .wanted import PARAMETERS, Wanted, wanted

KEPT = 4
DESCRIPTION = (
    "Fetch a web page by its URL and return it as text; HTML becomes Markdown with links. Long pages come in pieces of "
    "up to 24 KB: continue with start. The user may be asked first."
)


@dataclass(frozen=True, slots=True)
class FetchUrl:
    """Called with arguments. What is not listed is fetched only if the gate has passed on the question about it."""

    traveller: Traveller
    asked: set[Address] = field(default_factory=set)
    pages: OrderedDict[Address, Page] = field(default_factory=OrderedDict)

    async def __call__(self, arguments: Arguments) -> ToolResult:
        """Answer one call."""
        asked_for = wanted(arguments)
        page = self.kept(asked_for)
        if page is None:
            self.refuse_unasked(asked_for.address)
            arrival = await self.traveller.go(asked_for.address)
            if arrival.onward:
                return ToolResult(led_on(arrival, arrival.onward))
            page = await asyncio.to_thread(page_of, arrival)
            self.keep(asked_for.address, page)
        return ToolResult(shown(page, asked_for.start))

    def judged(self, asked_for: Wanted) -> Permission:
        """What holds for a call; whoever asks for it sees to it that a person is asked."""
        if self.kept(asked_for):
            return Allow()
        self.asked.add(asked_for.address)
        return verdict(asked_for.address, self.traveller.allowed)

    def refuse_unasked(self, address: Address) -> None:
        """Raise for a host that needs a person's word, where nobody can have asked for it."""
        if address not in self.asked and not isinstance(verdict(address, self.traveller.allowed), Allow):
            raise ToolError(
                f"{address.authority} is not in [tools.fetch] allow, and the hook 'fetch', which asks about other "
                "hosts, is not at work. A person can list the host, or switch the hook on."
            )

    def kept(self, asked_for: Wanted) -> Page | None:
        """A page that is being read on."""
        return self.pages.get(asked_for.address) if asked_for.start else None

    def keep(self, address: Address, page: Page) -> None:
        """Remember a page, and forget the oldest."""
        self.pages.pop(address, None)
        self.pages[address] = page
        while len(self.pages) > KEPT:
            self.pages.popitem(last=False)

    def tool(self) -> Tool:
        """The tool as a model is shown it."""
        return Tool(
            "fetch_url",
            DESCRIPTION,
            PARAMETERS,
            self,
            effect=Effect.READS,
            progress_text="Fetching {url}",
            deferred=True,
        )


def led_on(arrival: Arrival, onward: Address) -> str:
    """Say that a page is elsewhere, where nobody has allowed us to go."""
    return (
        f"HTTP {arrival.answer.status}, {arrival.address.shown} leads on to another host, which was not asked: "
        f"{onward.authority}\nIf you need the page, call fetch_url with its address.\n"
        + fenced("location", str(onward))
    )
