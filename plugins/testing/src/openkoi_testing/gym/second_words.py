"""Name the fields of work of the second generator, with their subjects, values, conditions and sentences."""

from collections.abc import Iterator, Mapping
from functools import cache

from openkoi_hookspecs.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Subject:
    """A thing to be decided: what people call it, the values it can have, and a linter's code for it."""

    names: tuple[str, ...]
    values: tuple[str, ...]
    code: str

    @property
    def name(self) -> str:
        """Return the usual name."""
        return self.names[0]


@dataclass(frozen=True, slots=True)
class Condition:
    """When an exception applies: the words that tell it, in a task and in advice."""

    marks: tuple[str, ...]
    task: tuple[str, ...]
    advice: tuple[str, ...]

    def applies(self, text: str) -> bool:
        """Return whether a text mentions the condition."""
        return any(mark in text.casefold() for mark in self.marks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A field of work. Its work is written to ``path`` as settings, or as sentences where that is empty."""

    name: str
    path: str
    job: str
    kinds: Mapping[str, str]
    topics: tuple[str, ...]
    projects: tuple[str, ...]
    subjects: tuple[Subject, ...]
    conditions: tuple[Condition, ...]


KINDS = {"draft": "Draft", "revise": "Revise", "port": "Carry over", "audit": "Check and complete"}

# A line is a subject: its names / its values. Some values belong to more than one subject, as they do in life.
DEPLOYMENT = """
hosting region, data centre, cloud location / eu-central-1, eu-west-2, us-east-1, ap-south-1, sa-east-1
log format, format of the logs, logging layout / logfmt, json-lines, syslog-5424, gelf
restart policy, policy on crashes, respawn mode / on-failure, always-restart, unless-stopped, never-restart
rollout strategy, way of rolling out, release strategy / blue-green, canary, rolling-update, recreate-all
memory limit, ram ceiling, memory cap / 256Mi, 512Mi, 1Gi, 2Gi, 4Gi
health endpoint, liveness path, health probe / /healthz, /livez, /status/live, /ping
secret store, vaulting backend, credentials backend / hashi-vault, sealed-secrets, aws-ssm, sops-age
base image, parent image, container base / alpine-3.20, debian-slim, distroless, ubi-minimal
tagging scheme, image label, scheme for tags / git-sha, semver-tag, build-number, date-stamp
ingress class, ingress controller, edge proxy / nginx, traefik, haproxy, contour
metrics exporter, telemetry sink, monitoring exporter / prometheus, otlp-grpc, statsd, cloudwatch
backup schedule, snapshot rhythm, backup cadence / every hour, every night, every Sunday, every six hours
key rotation, rotation of keys, credential renewal / every night, every Sunday, every quarter, every year
autoscaling signal, scaling metric, scale-out trigger / cpu-load, queue-depth, request-rate, memory-load
network policy, traffic policy, firewall preset / deny-all, namespace-only, allow-egress, mesh-only
certificate issuer, tls authority, cert provider / letsencrypt, internal-ca, zerossl, buypass
config source, origin of settings, configuration backend / config-map, env-file, consul-kv, etcd-tree
storage class, volume type, disk tier / gp3, io2, standard-ssd, local-nvme
drain period, shutdown grace, termination window / 15 seconds, 30 seconds, 60 seconds, 120 seconds
probe interval, interval of probes, polling gap / 5 seconds, 15 seconds, 30 seconds, 90 seconds
"""
RECIPES = """
cooking fat, frying fat, fat for the pan / ghee, rapeseed oil, salted butter, olive oil
oven heat, oven temperature, baking heat / 160 °C, 180 °C, 200 °C, 220 °C
units of measure, measuring units, measurement system / grams, ounces, cups, decilitres
portion count, number of servings, yield / two portions, four portions, six portions, ten portions
salt type, kind of salt, seasoning salt / fleur de sel, rock salt, kosher salt, iodised salt
flour type, kind of flour, flour grade / spelt flour, type 550, wholemeal flour, rice flour
sweetener, sugar type, kind of sugar / cane sugar, maple syrup, honey, date paste
stock base, kind of broth, broth / chicken stock, vegetable stock, dashi, mushroom stock
resting time, time to rest, standing time / 10 minutes, 30 minutes, two hours, overnight
marinating time, time in the marinade, steeping time / 30 minutes, two hours, six hours, overnight
garnish, topping, finishing touch / parsley, chives, toasted sesame, lemon zest
thickener, binding agent, thickening agent / cornflour, roux, arrowroot, potato starch
leavening, raising agent, rising agent / baking powder, sourdough, dry yeast, bicarbonate
step style, style of the steps, instruction style / numbered steps, one paragraph, bullet steps, timeline
allergen note, allergy line, allergen remark / at the top, at the end, per ingredient, in a box
shopping list, list of groceries, order of ingredients / by aisle, by step, by weight, alphabetical
plating, way of serving, serving style / family bowl, single plates, bento box, sharing board
milk choice, kind of milk, dairy base / oat drink, whole milk, soy drink, buttermilk
herb form, form of the herbs, state of herbs / fresh herbs, dried herbs, frozen herbs, herb paste
storage advice, keeping advice, note on leftovers / three days chilled, freeze at once, airtight jar, eat same day
"""
INVOICES = """
currency, billing currency, invoicing currency / EUR, USD, GBP, CHF, SEK
date format, format of dates, date notation / YYYY-MM-DD, DD.MM.YYYY, MM/DD/YYYY, D MMM YYYY
payment term, time to pay, payment deadline / 14 days net, 30 days net, 45 days net, due on receipt
reminder delay, dunning delay, wait before the reminder / 7 days, 14 days, 21 days, 28 days
late surcharge, late fee, default interest / 5 % p.a., 8 % p.a., flat 40.00, no surcharge
tax line, vat display, way of showing tax / per position, sum at foot, gross only, reverse charge
rounding rule, way of rounding, rounding / half up, half even, down to 0.05, per total
number pattern, invoice numbering, numbering scheme / RE-2026-0001, 2026/0001, INV0001, K7-0001
greeting, salutation, form of address / Dear Sir or Madam, Good day, Dear team, Hello
sign-off, closing line, closing formula / Kind regards, Yours faithfully, Best wishes, With thanks
paper size, page size, sheet format / A4, US Letter, A5, Legal
delivery channel, way of sending, dispatch channel / e-mail, postal mail, customer portal, peppol
bank line, bank details, account line / iban only, iban and bic, routing number, giro code
discount display, rebate line, way of showing rebates / as a position, below the sum, in the price, as a voucher
language, invoice language, language of the text / German, English, French, Swedish
item order, sorting of positions, order of positions / by date, by amount, by project, by person
hour rounding, granularity of hours, time unit / quarter hours, half hours, full hours, exact minutes
attachment, enclosure, annex / timesheet, delivery note, signed order, none attached
decimal mark, decimal separator, decimal sign / comma, full stop, apostrophe, middle dot
contact line, contact on the invoice, person to ask / accounts desk, project lead, key account, hotline
"""
API = """
field case, naming of fields, property casing / camelCase, snake_case, kebab-case, PascalCase
parameter case, query casing, casing of query arguments / camelCase, snake_case, kebab-case, dot.case
segment case, casing of paths, url casing / lowercase, snake_case, kebab-case, PascalCase
versioning, version scheme, api version style / url prefix, accept header, date header, host name
paging, pagination, way of paging / cursor, page number, offset and limit, link header
error body, error format, shape of errors / problem+json, error object, message string, error array
timestamp style, time notation, notation of instants / rfc3339, epoch seconds, epoch millis, http-date
id type, kind of identifier, identifier type / uuid4, ulid, bigint, slug
auth scheme, authentication, way of signing in / bearer token, api key, mutual tls, basic auth
delete status, answer to a delete, status of deletes / 200, 202, 204, 205
create status, answer to a post, status of creates / 200, 201, 202, 303
update method, verb for updates, http verb of updates / PUT, PATCH, POST, MERGE
empty list, answer without hits, form of no hits / empty array, null body, 404 error, omitted key
money type, type of amounts, amount type / minor units, decimal string, float number, money object
rate limit, throttle, request quota / 60 per minute, 100 per minute, 600 per minute, 1000 per hour
sort syntax, sorting syntax, ordering syntax / sort=-name, order_by=name, sort[name]=desc, sort=name:desc
batch size, chunk size, size of batches / 50 items, 100 items, 250 items, 500 items
page size, default page length, hits per page / 20 items, 50 items, 100 items, 200 items
cache policy, caching, cache rule / no-store, max-age=60, max-age=3600, etag only
media type, content type, body format / application/json, application/hal+json, application/xml, application/cbor
"""
LAYOUT = """
source folder, code directory, home of the code / src/, lib/, packages/, app/
test folder, home of the tests, test directory / tests/, spec/, beside the code, qa/
file naming, file name style, naming of files / snake_case, kebab-case, PascalCase, camelCase
folder naming, naming of folders, directory style / snake_case, kebab-case, PascalCase, lowercase
test naming, test file pattern, pattern of test files / test_*.py, *_test.py, *.spec.py, check_*.py
config format, settings syntax, configuration syntax / toml, yaml, ini, json5
changelog style, change log, release notes style / keep-a-changelog, towncrier, git-cliff, plain list
licence header, copyright header, spdx line / spdx tag, full notice, no header, authors only
line width, maximum line length, wrap column / 80 columns, 88 columns, 100 columns, 120 columns
indentation, indent style, leading space / two spaces, four spaces, tabs, eight spaces
doc format, documentation markup, markup of docs / markdown, restructuredtext, asciidoc, org-mode
lock file, dependency lock, pinning file / uv.lock, poetry.lock, pip-tools, pdm.lock
script folder, home of scripts, tooling directory / scripts/, tools/, bin/, hack/
asset folder, static folder, home of assets / static/, assets/, public/, media/
quote style, string quotes, quotation marks / double quotes, single quotes, as written, triple quotes
import order, sorting of imports, order of imports / stdlib first, alphabetical, by length, local first
branch naming, branch names, naming of branches / feat/topic, user/topic, ticket-number, trunk only
line ending, newline style, end of line / LF, CRLF, native endings, CR
package manager, installer, dependency tool / uv, poetry, hatch, pdm
entry point, start module, main module / __main__.py, cli.py, main.py, run.py
"""

DEPLOYMENT_PLACES = (
    Condition(("staging", "pre-production"), ("on staging", "in pre-production"), ("on staging", "in pre-production")),
    Condition(("internet-facing", "outside the vpn"), ("internet-facing", "reached from outside the vpn"),
              ("for internet-facing services", "for anything outside the vpn")),
)  # fmt: skip
RECIPE_GUESTS = (
    Condition(("vegan", "plant-based"), ("for vegan guests", "for a plant-based menu"),
              ("for vegan guests", "on plant-based menus")),
    Condition(("children", "toddlers"), ("children eat too", "with toddlers at the table"),
              ("when children eat", "for toddlers")),
)  # fmt: skip
INVOICE_CUSTOMERS = (
    Condition(("abroad", "foreign"), ("the customer sits abroad", "for a foreign customer"),
              ("for customers abroad", "for foreign customers")),
    Condition(("public body", "authorities"), ("ordered by a public body", "for the authorities"),
              ("for a public body", "for authorities")),
)  # fmt: skip
API_CALLERS = (
    Condition(("partners", "partner"), ("called by partners", "for the partner programme"),
              ("for partner routes", "where partners call")),
    Condition(("legacy", "old clients"), ("legacy callers remain", "old clients stay on it"),
              ("for legacy callers", "where old clients remain")),
)  # fmt: skip
LAYOUT_CASES = (
    Condition(("generated",), ("mostly generated code", "generated from a schema"),
              ("for generated code", "where code is generated")),
    Condition(("vendored", "third-party"), ("with vendored parts", "holding third-party sources"),
              ("for vendored parts", "in third-party sources")),
)  # fmt: skip


def read_subjects(table: str, prefix: str) -> Iterator[Subject]:
    """Read a table of subjects."""
    for number, line in enumerate(table.strip().splitlines()):
        names, values = line.split(" / ")
        yield Subject(tuple(names.split(", ")), tuple(values.split(", ")), f"{prefix}{101 + 7 * number}")


@cache
def domains() -> tuple[Domain, ...]:
    """Return every field of work."""
    return (
        Domain(name="deployment", path="deploy/service.yaml", job="the manifest of", kinds=KINDS,
               topics=("the payment worker", "the search service", "the mail relay", "the report runner",
                       "the image resizer", "the login gateway"),
               projects=("harbour", "lighthouse"), subjects=tuple(read_subjects(DEPLOYMENT, "DPL")),
               conditions=DEPLOYMENT_PLACES),
        Domain(name="recipes", path="", job="a recipe for", kinds=KINDS,
               topics=("lentil stew", "apple tart", "flatbread", "pumpkin soup", "noodle salad", "rice pudding"),
               projects=("canteen", "supper-club"), subjects=tuple(read_subjects(RECIPES, "RCP")),
               conditions=RECIPE_GUESTS),
        Domain(name="invoices", path="", job="the bill for", kinds=KINDS,
               topics=("the roof repair", "the yearly audit", "the web shop", "the crane rental",
                       "the training days", "the printing job"),
               projects=("northbooks", "southbooks"), subjects=tuple(read_subjects(INVOICES, "BIL")),
               conditions=INVOICE_CUSTOMERS),
        Domain(name="api", path="api/conventions.yaml", job="the interface of", kinds=KINDS,
               topics=("the booking desk", "the stock ledger", "the parcel tracker", "the user directory",
                       "the price feed", "the ticket queue"),
               projects=("orbit", "comet"), subjects=tuple(read_subjects(API, "API")), conditions=API_CALLERS),
        Domain(name="layout", path="STRUCTURE.md", job="the skeleton of", kinds=KINDS,
               topics=("the parser kit", "the chart viewer", "the sync agent", "the form builder",
                       "the map server", "the quiz game"),
               projects=("alder", "birch"), subjects=tuple(read_subjects(LAYOUT, "LAY")), conditions=LAYOUT_CASES),
    )  # fmt: skip


TEMPLATES = (
    "Wrong {name}: `{used}`. Use `{value}`.",
    "The {name} should be `{value}`, not `{used}`.",
    "I would have expected `{value}` as the {name}, but found `{used}`.",
    "Please change the {name} from `{used}` to `{value}`.",
    "We do not accept {used} as the {name}. Go with {value}.",
    "`{value}` is the agreed {name}; `{used}` is a leftover.",
    "Replace `{used}` with `{value}` for the {name}.",
    "About the {name}: `{used}` was rejected, `{value}` is required.",
    "Take {value} for the {name} rather than {used}.",
    'The {name} must read "{value}"; "{used}" is out of line with what we agreed.',
)
PARAPHRASES = len(TEMPLATES)
SYNONYM_TEMPLATE = "{wrong} {name} (`{used}`): {use} `{value}` {instead}."
WRONG = ("Wrong", "Incorrect", "Unexpected", "Inappropriate", "Unsuitable")
USE = ("use", "choose", "pick", "go with", "prefer", "take", "set it to", "switch to")
INSTEAD = ("instead", "here", "in its place")
LINTER_TEMPLATES = (
    "{name} should be '{value}', found '{used}'",
    "Unexpected {name} '{used}' (use '{value}')",
    "AssertionError: {name}: '{used}' != '{value}'",
    "expected {name} to be '{value}' but got '{used}'",
)
WIDE = ("Project-wide: ", "Everywhere in this project: ", "House rule: ")
PLATITUDES = (
    "Consider a bit more care for the reader.",
    "The structure could be clearer in places.",
    "Make sure that everything is consistent.",
    "Good start, but it could be more polished.",
    "Think about edge cases.",
    "Follow best practices throughout.",
    "Some parts might deserve more explanation.",
    "Double-check the details before you hand it in.",
    "Try to keep it simple and maintainable.",
    "Overall solid; a second look would not hurt.",
)


def paraphrase(subject: Subject, used: str, value: str, *, number: int, wording: str) -> str:
    """Say in one of ten ways that one value should be another."""
    name = subject.names[0 if wording == "templates" else number % len(subject.names)]
    if wording == "synonyms":
        words = {"wrong": WRONG[number % len(WRONG)], "use": USE[number % len(USE)], "instead": INSTEAD[number % 3]}
        return SYNONYM_TEMPLATE.format(name=name, used=used, value=value, **words)
    return TEMPLATES[number].format(name=name, used=used, value=value)
