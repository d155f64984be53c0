"""Test what every messenger promises of sent posts: each is there once, and as it was sent."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from openkoi_hookspecs import AppRejectedError, AppUnavailableError
from openkoi_hookspecs.integrations import (
    Choice,
    Post,
    PostKind,
    SenderKind,
    SupportsEdit,
    SupportsReactions,
)

from .messenger_harness import Account, Counterpart, MessengerHarness
from .optional_protocols import require_protocol


class SendContract(MessengerHarness):
    """Test what is sent, and what comes back for it."""

    def test_a_post_that_is_sent_is_there_and_comes_back_as_our_own_or_not_at_all(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[str, Sequence[Post], list[Post]]:
            cursor = await account.current_cursor()
            id = await account.messenger.send(account.build_post("from us"))
            await account.say("from them")
            return id, await other.read(other.channel), await account.receive_posts(cursor)

        id, there, others = self.run_story(other, story)

        assert ["from them"] == [post.text for post in others]
        assert [id] == [one.id for one in there if one.text == "from us"]

    def test_a_thread_is_a_conversation_of_its_own(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[str, str, list[Post]]:
            if not account.messenger.capabilities.threads:
                pytest.skip("it has no threads")
            cursor = await account.current_cursor()
            root = await account.say("a question")
            ours = await account.messenger.send(account.build_post("an answer", thread=root))
            await account.say("thanks", thread=root)
            await account.say("something else")
            return root, ours, await account.receive_posts(cursor, 3)

        root, ours, (question, thanks, else_) = self.run_story(other, story)

        assert (root, "", root) == (question.id, question.thread, thanks.thread)
        assert root != ours
        assert question.conversation == else_.conversation
        assert thanks.conversation.startswith(f"{question.conversation}:")

    def test_a_post_with_the_same_key_is_there_once(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[list[str], Sequence[Post]]:
            if not account.messenger.capabilities.idempotent:
                pytest.skip("it is not idempotent")
            ids = [await account.messenger.send(account.build_post("once", key="k1")) for _ in range(2)]
            ids.append(await account.messenger.send(account.build_post("once", key="k2")))
            return ids, await other.read(other.channel)

        ids, there = self.run_story(other, story)

        assert ids[0] == ids[1] != ids[2]
        assert 2 == sum(post.text == "once" for post in there)

    def test_a_key_is_remembered_by_the_service_and_not_by_the_process(self, other: Counterpart) -> None:
        async def send(account: Account) -> str:
            if not account.messenger.capabilities.idempotent:
                pytest.skip("it is not idempotent")
            return await account.messenger.send(account.build_post("once", key="k1"))

        assert self.run_story(other, send) == self.run_story(other, send)

    def test_the_longest_text_goes_through_and_a_longer_one_is_refused(self, other: Counterpart) -> None:
        async def story(account: Account) -> list[int]:
            capabilities = account.messenger.capabilities
            longest = "x" * (capabilities.max_text // capabilities.length("x"))
            await account.messenger.send(account.build_post(longest))
            with pytest.raises(AppRejectedError):
                await account.messenger.send(account.build_post(longest + "xy"))
            return [len(one.text) - len(longest) for one in await other.read(other.channel)]

        assert [0] == self.run_story(other, story)

    def test_a_post_grows_by_edits_until_it_is_finished(self, other: Counterpart) -> None:
        async def story(account: Account) -> list[str]:
            messenger = require_protocol(account.messenger, SupportsEdit)
            id = await account.messenger.send(replace(account.build_post("one"), partial=True))
            for text, partial in (("one two", True), ("one two three", False)):
                await asyncio.sleep(account.messenger.capabilities.edit_gap)
                id = await messenger.edit(replace(account.build_post(text), id=id, partial=partial))
            kept = [(one.text, one.id == id) for one in await other.read(other.channel)]
            await messenger.delete(other.channel, id)
            return [*map(str, kept), *(one.text for one in await other.read(other.channel))]

        assert ["('one two three', True)"] == self.run_story(other, story)

    def test_the_posts_of_others_are_not_ours_to_edit(self, other: Counterpart) -> None:
        async def story(account: Account) -> None:
            messenger = require_protocol(account.messenger, SupportsEdit)
            id = await account.say("theirs")
            with pytest.raises(AppRejectedError):
                await messenger.edit(account.build_post("ours now", id=id))

        self.run_story(other, story)

    def test_a_pressed_button_comes_back_with_its_value(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[str, Post]:
            if not account.messenger.capabilities.max_choices:
                pytest.skip("it has no buttons")
            cursor = await account.current_cursor()
            choices = Choice("Allow", "yes:42"), Choice("Refuse", "no:42")
            id = await account.messenger.send(replace(account.build_post("May I?"), choices=choices))
            posts = await account.receive_while(cursor, 1, lambda: other.press(other.channel, id, "yes:42"))
            return id, posts[0]

        id, press = self.run_story(other, story)

        assert (PostKind.PRESS, id, "yes:42") == (press.kind, press.reply_to, press.choice)
        assert (SenderKind.PERSON, True) == (press.sender.kind, press.sender.authenticated)
        assert press.id != id

    def test_reactions_go_both_ways(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[str, Post]:
            messenger = require_protocol(account.messenger, SupportsReactions)
            cursor = await account.current_cursor()
            theirs = await account.say("look")
            await messenger.add_reaction(other.channel, theirs, "\U0001f440")
            await messenger.remove_reaction(other.channel, theirs, "\U0001f440")
            ours = await account.messenger.send(account.build_post("May I?"))
            posts = await account.receive_while(cursor, 2, lambda: other.react(other.channel, ours, "\U0001f44d"))
            return ours, posts[-1]

        ours, reaction = self.run_story(other, story)

        assert (PostKind.REACTION, ours, "\U0001f44d") == (reaction.kind, reaction.reply_to, reaction.choice)

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

    def test_an_unknown_post_is_refused(self, other: Counterpart) -> None:
        async def story(account: Account) -> None:
            messenger = require_protocol(account.messenger, SupportsEdit)
            with pytest.raises(AppRejectedError):
                await messenger.edit(account.build_post("x", id="999999999"))

        self.run_story(other, story)
