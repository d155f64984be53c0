"""Test what every messenger guarantees for sent posts: each arrives exactly once and unchanged."""

from collections.abc import Sequence

import pytest

from openkoi_hookspecs import AppRejectedError, AppUnavailableError
from openkoi_hookspecs.integrations import Post

from .messenger_harness import Account, Counterpart, MessengerHarness


class SendContract(MessengerHarness):
    """Test sent posts and the returned ids."""

    def test_a_post_that_is_sent_is_there_and_comes_back_as_our_own_or_not_at_all(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[str, Sequence[Post], list[Post]]:
            cursor = await account.current_cursor()
            id = await account.messenger.send(account.build_post("from us"))
            await account.say("from them")
            return id, await other.read(other.channel), await account.receive_posts(cursor)

        id, there, others = self.run_story(other, story)

        assert ["from them"] == [post.text for post in others]
        assert [id] == [one.id for one in there if one.text == "from us"]

    def test_the_longest_text_goes_through_and_a_longer_one_is_refused(self, other: Counterpart) -> None:
        async def story(account: Account) -> list[int]:
            capabilities = account.messenger.capabilities
            longest = "x" * (capabilities.max_text // capabilities.length("x"))
            await account.messenger.send(account.build_post(longest))
            with pytest.raises(AppRejectedError):
                await account.messenger.send(account.build_post(longest + "xy"))
            return [len(one.text) - len(longest) for one in await other.read(other.channel)]

        assert [0] == self.run_story(other, story)

    def test_a_service_that_is_away_may_be_asked_again(self, other: Counterpart) -> None:
        async def story(account: Account) -> list[str]:
            cursor = await account.current_cursor()
            with other.outage():
                for call in (account.messenger.send(account.build_post("lost")), account.receive_posts(cursor)):
                    with pytest.raises(AppUnavailableError):
                        await call
            await account.say("back")
            return [post.text for post in await account.receive_posts(cursor)]

        assert ["back"] == self.run_story(other, story)
