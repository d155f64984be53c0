"""What every messenger promises. Inherit it, and give the service, or a fake of it, as another user has it::

class TestMine(MessengerContract):
    @contextmanager
    def counterpart(self, folder: Path) -> Iterator[Counterpart]:
        with MyFake() as fake:
            yield OtherUser(fake)
"""

from .messenger_harness import Counterpart
from .messenger_send import SendContract
from .messenger_watch import WatchContract

__all__ = ["Counterpart", "MessengerContract"]


class MessengerContract(WatchContract, SendContract):
    """Test what arrives, and what is sent."""
