"""Test what every messenger promises. Inherit it, and provide another user of the service, or of a fake::

class TestMine(EditContract, MessengerContract):
    @contextmanager
    def counterpart(self, folder: Path) -> Iterator[Counterpart]:
        with MyFake() as fake:
            yield OtherUser(fake)

Also inherit the contract of each capability that the app has: here, it can edit its posts.
"""

from collections.abc import Callable, Mapping

from openkoi_hookspecs.integrations import (
    Messenger,
    SupportsCommit,
    SupportsDownload,
    SupportsEdit,
    SupportsHistory,
    SupportsPostSearch,
    SupportsReactions,
)

from .messenger_harness import Account, Counterpart
from .messenger_optional import (
    ButtonsContract,
    CommitContract,
    DownloadContract,
    EditContract,
    HistoryContract,
    IdempotencyContract,
    PostSearchContract,
    ReactionsContract,
    ThreadsContract,
)
from .messenger_send import SendContract
from .messenger_watch import WatchContract

__all__ = [
    "ButtonsContract",
    "CommitContract",
    "Counterpart",
    "DownloadContract",
    "EditContract",
    "HistoryContract",
    "IdempotencyContract",
    "MessengerContract",
    "PostSearchContract",
    "ReactionsContract",
    "ThreadsContract",
]

OPTIONAL_CONTRACTS: Mapping[type, Callable[[Messenger], bool]] = {
    ThreadsContract: lambda app: app.capabilities.threads,
    IdempotencyContract: lambda app: app.capabilities.idempotent,
    ButtonsContract: lambda app: app.capabilities.max_choices > 0,
    EditContract: lambda app: isinstance(app, SupportsEdit),
    ReactionsContract: lambda app: isinstance(app, SupportsReactions),
    CommitContract: lambda app: isinstance(app, SupportsCommit),
    DownloadContract: lambda app: isinstance(app, SupportsDownload),
    HistoryContract: lambda app: isinstance(app, SupportsHistory),
    PostSearchContract: lambda app: isinstance(app, SupportsPostSearch),
}


class MessengerContract(WatchContract, SendContract):
    """Test receiving and sending, and that the suite inherits a contract for each capability of the app."""

    def test_the_suite_inherits_the_contract_of_each_capability(self, other: Counterpart) -> None:
        async def story(account: Account) -> set[str]:
            return {one.__name__ for one, applies in OPTIONAL_CONTRACTS.items() if applies(account.messenger)}

        inherited = {one.__name__ for one in OPTIONAL_CONTRACTS if isinstance(self, one)}

        assert self.run_story(other, story) == inherited, f"{__name__} has the contracts to inherit"
