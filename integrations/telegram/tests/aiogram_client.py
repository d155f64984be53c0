"""Use the fake Bot API with aiogram, which checks each answer against its own types. A standalone script.

It is run in an environment of its own: aiogram wants an older pydantic than the rest.
"""

import asyncio
import json
import sys
from typing import Any

from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import TelegramBadRequest, TelegramRetryAfter, TelegramUnauthorizedError
from aiogram.types import (
    BufferedInputFile,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    MessageEntity,
    ReactionTypeEmoji,
)


async def use(url: str, token: str) -> dict[str, Any]:
    """Call each method of the fake; return the responses."""
    session = AiohttpSession(api=TelegramAPIServer.from_base(url))
    async with Bot(token, session=session) as bot:
        me = await bot.get_me()
        updates = await bot.get_updates(offset=0, timeout=1, allowed_updates=["message", "callback_query"])
        seen = {type(update.event).__name__: update for update in updates}
        words = [update.message.text for update in updates if update.message and update.message.text]
        button = InlineKeyboardButton(text="Yes", callback_data="yes:1")
        sent = await bot.send_message(
            7,
            "\U0001f41f bold",
            entities=[MessageEntity(type="bold", offset=3, length=4)],
            reply_markup=InlineKeyboardMarkup(inline_keyboard=[[button]]),
        )
        edited = await bot.edit_message_text("plain", chat_id=7, message_id=sent.message_id)
        document = await bot.send_document(7, BufferedInputFile(b"\x00\xff", "a b.bin"))
        file = await bot.get_file(document.document.file_id)
        data = await bot.download_file(file.file_path)
        await bot.send_chat_action(7, "typing")
        await bot.send_message_draft(7, 5, text="so far")
        await bot.set_message_reaction(7, sent.message_id, [ReactionTypeEmoji(emoji="\U0001f44d")])
        if press := seen.get("CallbackQuery"):
            await bot.answer_callback_query(press.callback_query.id)
        await bot.delete_message(7, sent.message_id)
        return {
            "me": me.username,
            "kinds": sorted(seen),
            "words": words,
            "bold": sent.entities[0].extract_from(sent.text),
            "edited": [edited.text, edited.reply_markup is None],
            "file": [document.document.file_name, data.read().hex()],
            "errors": await errors(bot, url),
        }


async def errors(bot: Any, url: str) -> list[str]:
    """Return how aiogram reports a refusal."""
    found = []
    calls: tuple[Any, ...] = (
        lambda: bot.send_message(7, "x" * 4097),
        lambda: bot.send_message(7, "*open", parse_mode="MarkdownV2"),
        lambda: bot.edit_message_text("x", chat_id=7, message_id=999),
        lambda: bot.send_message(99, "too early"),
        lambda: Bot("1:nobody", session=AiohttpSession(api=TelegramAPIServer.from_base(url))).get_me(),
    )
    for call in calls:
        try:
            await call()
        except TelegramRetryAfter as error:
            found.append(f"retry after {error.retry_after}")
        except (TelegramBadRequest, TelegramUnauthorizedError) as error:
            found.append(f"{type(error).__name__}: {error.message}")
    return found


print(json.dumps(asyncio.run(use(*sys.argv[1:]))))
