"""Test what every messenger guarantees for incoming posts: none is lost between two cursors, each has an identity."""

import asyncio
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from openkoi_hookspecs.integrations import Delivery, Post, PostKind, SenderKind

from .messenger_harness import WAIT_SECONDS, Account, Counterpart, MessengerHarness


class WatchContract(MessengerHarness):
    """Test what arrives, and earlier messages."""

    def test_watching_begins_now_and_first_yields_the_cursor_of_now(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[Delivery, list[Post]]:
            await account.say("before")
            async with aclosing(account.messenger.watch()) as arriving:
                first = await asyncio.wait_for(anext(arriving), WAIT_SECONDS)
            await account.say("after")
            return first, await account.receive_posts(first.cursor)

        first, posts = self.run_story(other, story)

        assert (None, True) == (first.post, bool(first.cursor))
        assert ["after"] == [post.text for post in posts]

    def test_a_post_has_its_sender_text_channel_and_time(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[str, Post]:
            cursor = await account.current_cursor()
            id = await account.say("hello \u2713 **you**\nsecond line")
            return id, (await account.receive_posts(cursor))[0]

        before = datetime.now(UTC)
        id, post = self.run_story(other, story)

        assert ("hello \u2713 **you**\nsecond line", other.channel, id) == (post.text, post.channel, post.id)
        assert (PostKind.NEW, SenderKind.PERSON, True) == (post.kind, post.sender.kind, post.sender.authenticated)
        assert all((post.app, post.account, post.sender.id))
        assert abs(datetime.fromisoformat(post.at) - before) < timedelta(minutes=1)
        assert (False, False, "") == (post.direct, post.mentioned, post.thread)

    def test_direct_channels_and_mentions_are_marked(self, other: Counterpart) -> None:
        async def story(account: Account) -> list[Post]:
            cursor = await account.current_cursor()
            await account.say("only you", channel=other.direct)
            await account.say(f"hello {other.mention}")
            return await account.receive_posts(cursor, 2)

        posts = {post.direct: post for post in self.run_story(other, story)}

        assert (other.direct, other.channel) == (posts[True].channel, posts[False].channel)
        assert posts[False].mentioned
        assert posts[True].conversation != posts[False].conversation

    def test_posts_from_before_the_watch_come_first(self, other: Counterpart) -> None:
        cursor = self.run_story(other, Account.current_cursor)

        async def meanwhile(account: Account) -> None:
            for text in ("one", "two"):
                await account.say(text)

        self.run_story(other, meanwhile)

        async def story(account: Account) -> list[Post]:
            await account.say("three")
            return await account.receive_posts(cursor, 3)

        assert ["one", "two", "three"] == [post.text for post in self.run_story(other, story)]

    def test_every_cursor_is_a_place_to_go_on_from(self, other: Counterpart) -> None:
        texts = [f"post {n}" for n in range(6)]

        async def story(account: Account) -> tuple[list[Delivery], list[list[str]]]:
            cursor = await account.current_cursor()
            for text in texts:
                await account.say(text)
            whole = await account.receive_deliveries(cursor, len(texts))
            rests = [await account.receive_posts(one.cursor, len(texts) - n) for n, one in enumerate(whole[:-1], 1)]
            return whole, [[post.text for post in rest] for rest in rests]

        whole, rests = self.run_story(other, story)

        assert texts == [one.post.text for one in whole if one.post]
        assert [texts[n:] for n in range(1, len(texts))] == rests

    def test_a_post_that_comes_again_has_the_same_identity_and_an_edit_another(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[list[Post], list[Post]]:
            cursor = await account.current_cursor()
            id = await account.say("first")
            await account.say("second")
            posts = await account.receive_posts(cursor, 2)
            await other.change(replace(posts[0], text="changed", id=id))
            return posts, await account.receive_posts(cursor, 3)

        posts, again = self.run_story(other, story)
        edited = again[-1]

        assert [post.identity for post in posts] == [post.identity for post in again[:2]]
        assert (PostKind.EDITED, posts[0].id, "changed") == (edited.kind, edited.id, edited.text)
        assert 3 == len({post.identity for post in again})

    def test_watching_can_be_given_up_at_any_time(self, other: Counterpart) -> None:
        async def story(account: Account) -> list[str]:
            cursor = await account.current_cursor()
            waiting = asyncio.create_task(account.receive_posts(cursor))
            await asyncio.sleep(0.05)
            waiting.cancel()
            await asyncio.wait_for(asyncio.gather(waiting, return_exceptions=True), 2.0)
            await account.say("still there")
            return [post.text for post in await account.receive_posts(cursor)]

        assert ["still there"] == self.run_story(other, story)
