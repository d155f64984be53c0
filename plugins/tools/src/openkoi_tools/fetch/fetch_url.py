"""Define the tool ``fetch_url`` of one run, which fetches a web page and caches it to read on without a request."""

import asyncio
from collections import OrderedDict
from dataclasses import field
from typing import TYPE_CHECKING

from openkoi_hookspecs import Allow, Arguments, Effect, Permission, Tool, ToolError, ToolResult
from openkoi_hookspecs.lazy_dataclass import dataclass

from .address import PageAddress
from .address_check import check_address
from .redirects import Arrival, RedirectFollower
from .request_args import PARAMETERS, PageRequest, parse_request

if TYPE_CHECKING:
    from .page_text import FetchedPage

MAX_CACHED_PAGES = 4
DESCRIPTION = (
    "Fetch a web page by its URL and return it as text; HTML becomes Markdown with links. Long pages come in pieces of "
    "up to 24 KB: pass start to continue. The user may be asked first."
)


@dataclass(frozen=True, slots=True)
class FetchUrl:
    """The tool. A host that is not listed is fetched only if its approval hook has asked about the call."""

    traveller: RedirectFollower
    asked: set[PageAddress] = field(default_factory=set)
    pages: "OrderedDict[PageAddress, FetchedPage]" = field(default_factory=OrderedDict)

    async def __call__(self, arguments: Arguments) -> ToolResult:
        """Answer one call."""
        from .page_text import page_of
        from .result_text import format_page

        asked_for = parse_request(arguments)
        page = self.find_open_page(asked_for)
        if page is None:
            self.refuse_unasked(asked_for.address)
            arrival = await self.traveller.fetch(asked_for.address)
            if arrival.onward:
                return ToolResult(format_redirect(arrival, arrival.onward))
            page = await asyncio.to_thread(page_of, arrival)
            self.cache_page(asked_for.address, page)
        return ToolResult(format_page(page, asked_for.start))

    def check_permission(self, asked_for: PageRequest) -> Permission:
        """Return the permission of a call; the caller asks the user."""
        if self.find_open_page(asked_for):
            return Allow()
        self.asked.add(asked_for.address)
        return check_address(asked_for.address, self.traveller.allowed)

    def refuse_unasked(self, address: PageAddress) -> None:
        """Raise ToolError for a host that needs approval if the user cannot have been asked."""
        if address not in self.asked and not isinstance(check_address(address, self.traveller.allowed), Allow):
            raise ToolError(
                f"{address.authority} is not in [tools.fetch] allow, and the hook 'fetch', which asks about other "
                "hosts, is disabled. The user can list the host, or enable the hook."
            )

    def find_open_page(self, asked_for: PageRequest) -> "FetchedPage | None":
        """Return a page that is being read in parts."""
        return self.pages.get(asked_for.address) if asked_for.start else None

    def cache_page(self, address: PageAddress, page: "FetchedPage") -> None:
        """Cache a page, and drop the oldest."""
        self.pages.pop(address, None)
        self.pages[address] = page
        while len(self.pages) > MAX_CACHED_PAGES:
            self.pages.popitem(last=False)

    def tool(self) -> Tool:
        """Return the tool as the model sees it."""
        return Tool(
            "fetch_url",
            DESCRIPTION,
            PARAMETERS,
            self,
            effect=Effect.READS,
            progress_text="Fetching {url}",
            deferred=True,
        )


def format_redirect(arrival: Arrival, onward: PageAddress) -> str:
    """Report that a page is on a host that was not approved."""
    from .result_text import fence_data

    return (
        f"HTTP {arrival.answer.status}, {arrival.address.printable} redirects to another host, which was not approved: "
        f"{onward.authority}\nIf you need the page, call fetch_url with its address.\n"
        + fence_data("location", str(onward))
    )
