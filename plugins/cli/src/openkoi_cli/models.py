"""Define ``openkoi models [PROVIDER]``, which lists the models of each role, or all models of a provider."""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import click

from openkoi_runlog.report import format_tokens

from .invocation import Invocation

if TYPE_CHECKING:
    from openkoi_hookspecs import Koi, Model, Price, Provider

SCHEMA = "openkoi.models/1"
ROLES = ("executor", "evaluator", "planner", "small")
TIMEOUT_SECONDS = 10.0  # estimate: long enough for a list of some hundred models
HOW_TO_CHOOSE = (
    "To use a model for one task, run `openkoi -m PROVIDER/MODEL TASK`; to use it for all tasks, run "
    "`openkoi config set models.default PROVIDER/MODEL`.\n"
    "To list the models of a provider, run `openkoi models PROVIDER`."
)


@click.command()
@click.argument("provider", required=False, default="")
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_obj
async def command(invocation: Invocation, /, provider: str, layout: str) -> None:
    """List the model of each role, and the providers; with PROVIDER, the models that it offers."""
    koi = invocation.open()
    provider = "" if provider == "list" else provider
    models = await list_models(koi, provider) if provider else await list_role_models(koi)
    if layout == "json":
        from openkoi_runlog import redact_json

        facts = {"schema": SCHEMA, "models": {name: model_to_json(one, koi) for name, one in models.items()}}
        click.echo(json.dumps(redact_json(facts, invocation.redact)))
        return
    lines = [*format_models(models, koi)] if provider else [*format_roles(models, koi), "", *format_providers(koi)]
    click.echo(koi.redact("\n".join([*lines, "", HOW_TO_CHOOSE])))


async def list_models(koi: "Koi", name: str) -> "Mapping[str, Model]":
    """Return the models of a provider by name; raise KoiError if it cannot list them."""
    from openkoi_hookspecs import ProviderUnavailableError

    provider = cast("Provider", await koi.load("providers", name))
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            models = await provider.models()
    except TimeoutError:
        raise ProviderUnavailableError(f"{name} did not list its models within {TIMEOUT_SECONDS:g} s.") from None
    return {f"{name}/{one.name}": one for one in models}


async def list_role_models(koi: "Koi") -> "Mapping[str, Model]":
    """Return the model of each role, the planner's only if one is configured; nothing if no model is found."""
    from openkoi_hookspecs import KoiError, Model, NoModelError

    models: dict[str, Model] = {}
    for role in ROLES:
        if role == "planner" and not koi.setting("models.planner", str, ""):
            continue
        try:
            name = await koi.resolve_model(role)
        except NoModelError as error:
            koi.warn(str(error))
            break
        try:
            models[role] = await koi.describe_model(name)
        except KoiError:  # its server may not answer now
            models[role] = Model(name, context=0, output=0)
    return models


def format_roles(models: "Mapping[str, Model]", koi: "Koi") -> Iterator[str]:
    """Yield the model of each role, and why there is none."""
    yield from koi.warnings()
    wide = max((len(one.name) for one in models.values()), default=0)
    for role, one in models.items():
        yield f"{role:<10} {one.name:<{wide}}  {describe_model(one, koi)}".rstrip()


def format_models(models: "Mapping[str, Model]", koi: "Koi") -> Iterator[str]:
    """Yield the models of a provider."""
    wide = max(map(len, models), default=0)
    for name, one in models.items():
        yield f"{name:<{wide}}  {describe_model(one, koi, name)}".rstrip()
    if not models:
        yield "The provider lists no models."


def describe_model(one: "Model", koi: "Koi", name: str = "") -> str:
    """Return what is known about a model, in one line."""
    known = (
        f"{format_tokens(one.context)} context" if one.context else "",
        format_price(koi.price(name or one.name) or one.price),
        ", ".join(one.can),
    )
    return "  ".join(filter(None, known))


def format_price(price: "Price | None") -> str:
    """Return a price per million tokens; empty if it is unknown."""
    if price is None:
        return ""
    return f"${price.input:g} in, ${price.output:g} out" if price.input or price.output else "free"


def format_providers(koi: "Koi") -> Sequence[str]:
    """Return the installed providers with their default models, and how each is signed in to."""
    there = koi.providers()
    listed = {one.provider for one in there}
    others = [entry.name for entry in koi.plugins("providers") if entry.name not in listed]
    wide = max((len(one.model) for one in there), default=0)
    lines = [
        f"{one.provider:<12} {one.model:<{wide}}  {f'${one.variable}' if one.variable else one.hint}".rstrip()
        for one in there
    ]
    return ["Providers, and their default models:", *lines, *([f"Also: {', '.join(others)}"] if others else [])]


def model_to_json(one: "Model", koi: "Koi") -> Mapping[str, object]:
    """Return a model as JSON; an unknown price is null."""
    price = koi.price(one.name) or one.price
    return {
        "name": one.name,
        "context": one.context or None,
        "output": one.output or None,
        "price": {"input": price.input, "output": price.output} if price else None,
        "can": list(one.can),
    }
