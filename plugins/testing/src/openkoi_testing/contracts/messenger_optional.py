"""Test optional capabilities of messengers: a suite inherits the contract of each one that its app has."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from openkoi_hookspecs import AppRejectedError
from openkoi_hookspecs.integrations import (
    Attachment,
    Choice,
    Post,
    PostKind,
    SenderKind,
    SupportsCommit,
    SupportsDownload,
    SupportsEdit,
    SupportsHistory,
    SupportsPostSearch,
    SupportsReactions,
)

from .messenger_harness import Account, Counterpart, MessengerHarness


class ThreadsContract(MessengerHarness):
    """Test a messenger whose capabilities have threads."""

    def test_a_thread_is_a_conversation_of_its_own(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[str, str, list[Post]]:
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


class IdempotencyContract(MessengerHarness):
    """Test a messenger whose capabilities are idempotent."""

    def test_a_post_with_the_same_key_is_there_once(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[list[str], Sequence[Post]]:
            ids = [await account.messenger.send(account.build_post("once", key="k1")) for _ in range(2)]
            ids.append(await account.messenger.send(account.build_post("once", key="k2")))
            return ids, await other.read(other.channel)

        ids, there = self.run_story(other, story)

        assert ids[0] == ids[1] != ids[2]
        assert 2 == sum(post.text == "once" for post in there)

    def test_a_key_is_remembered_by_the_service_and_not_by_the_process(self, other: Counterpart) -> None:
        async def send(account: Account) -> str:
            return await account.messenger.send(account.build_post("once", key="k1"))

        assert self.run_story(other, send) == self.run_story(other, send)


class ButtonsContract(MessengerHarness):
    """Test a messenger whose capabilities have choices."""

    def test_a_pressed_button_comes_back_with_its_value(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[str, Post]:
            cursor = await account.current_cursor()
            choices = Choice("Allow", "yes:42"), Choice("Refuse", "no:42")
            id = await account.messenger.send(replace(account.build_post("May I?"), choices=choices))
            posts = await account.receive_while(cursor, 1, lambda: other.press(other.channel, id, "yes:42"))
            return id, posts[0]

        id, press = self.run_story(other, story)

        assert (PostKind.PRESS, id, "yes:42") == (press.kind, press.reply_to, press.choice)
        assert (SenderKind.PERSON, True) == (press.sender.kind, press.sender.authenticated)
        assert press.id != id


class EditContract(MessengerHarness):
    """Test a messenger that ``SupportsEdit``."""

    def test_a_post_grows_by_edits_until_it_is_finished(self, other: Counterpart) -> None:
        async def story(account: Account) -> list[str]:
            messenger = account.messenger
            assert isinstance(messenger, SupportsEdit)
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
            messenger = account.messenger
            assert isinstance(messenger, SupportsEdit)
            id = await account.say("theirs")
            with pytest.raises(AppRejectedError):
                await messenger.edit(account.build_post("ours now", id=id))

        self.run_story(other, story)

    def test_an_unknown_post_is_refused(self, other: Counterpart) -> None:
        async def story(account: Account) -> None:
            messenger = account.messenger
            assert isinstance(messenger, SupportsEdit)
            with pytest.raises(AppRejectedError):
                await messenger.edit(account.build_post("x", id="999999999"))

        self.run_story(other, story)


class ReactionsContract(MessengerHarness):
    """Test a messenger that ``SupportsReactions``."""

    def test_reactions_go_both_ways(self, other: Counterpart) -> None:
        async def story(account: Account) -> tuple[str, Post]:
            messenger = account.messenger
            assert isinstance(messenger, SupportsReactions)
            cursor = await account.current_cursor()
            theirs = await account.say("look")
            await messenger.add_reaction(other.channel, theirs, "\U0001f440")
            await messenger.remove_reaction(other.channel, theirs, "\U0001f440")
            ours = await account.messenger.send(account.build_post("May I?"))
            posts = await account.receive_while(cursor, 2, lambda: other.react(other.channel, ours, "\U0001f44d"))
            return ours, posts[-1]

        ours, reaction = self.run_story(other, story)

        assert (PostKind.REACTION, ours, "\U0001f44d") == (reaction.kind, reaction.reply_to, reaction.choice)


class CommitContract(MessengerHarness):
    """Test a messenger that ``SupportsCommit``."""

    def test_what_is_acknowledged_may_be_acknowledged_again(self, other: Counterpart) -> None:
        async def story(account: Account) -> list[str]:
            messenger = account.messenger
            assert isinstance(messenger, SupportsCommit)
            cursor = await account.current_cursor()
            await account.say("one")
            for one in 2 * await account.receive_deliveries(cursor):
                await messenger.commit(one.cursor)
            await account.say("two")
            return [post.text for post in await account.receive_posts(one.cursor)]

        assert ["two"] == self.run_story(other, story)


class DownloadContract(MessengerHarness):
    """Test a messenger that ``SupportsDownload``."""

    def test_a_file_arrives_as_it_was_sent(self, other: Counterpart) -> None:
        data = bytes(range(256)) * 40

        async def story(account: Account) -> tuple[Attachment, bytes]:
            messenger = account.messenger
            assert isinstance(messenger, SupportsDownload)
            cursor = await account.current_cursor()
            file = Attachment("a b.bin", media_type="application/x-thing", data=data)
            await other.say(replace(account.build_post("a file"), attachments=(file,)))
            (attachment,) = (await account.receive_posts(cursor))[0].attachments
            return attachment, b"".join([piece async for piece in messenger.download(attachment)])

        attachment, arrived = self.run_story(other, story)

        assert ("a b.bin", "application/x-thing") == (attachment.name, attachment.media_type)
        assert (len(data), b"", data) == (attachment.size, attachment.data, arrived)


class HistoryContract(MessengerHarness):
    """Test a messenger that ``SupportsHistory``."""

    def test_a_thread_is_read_with_what_it_began_with(self, other: Counterpart) -> None:
        async def story(account: Account) -> list[list[str]]:
            messenger = account.messenger
            assert isinstance(messenger, SupportsHistory)
            root = await account.say("a question")
            await account.say("aside")
            if account.messenger.capabilities.threads:
                await account.say("an answer", thread=root)
            whole = await messenger.history(other.channel, thread=root)
            return [[post.text for post in posts] for posts in (whole, await messenger.history(other.channel, limit=1))]

        thread, last = self.run_story(other, story)

        assert thread in (["a question", "an answer"], ["a question"])
        assert 1 == len(last)


class PostSearchContract(MessengerHarness):
    """Test a messenger that ``SupportsPostSearch``."""

    def test_posts_are_found_by_their_words(self, other: Counterpart) -> None:
        async def story(account: Account) -> Sequence[Post]:
            messenger = account.messenger
            assert isinstance(messenger, SupportsPostSearch)
            await account.say("the blue gateway")
            await account.say("the red harbour")
            return await messenger.search_posts("gateway")

        assert ["the blue gateway"] == [post.text for post in self.run_story(other, story)]
