"""The words of the koi world: what people ask for, what each of it takes, and how faults are spoken of. Knows no truth.

Each family is asked for in five ways that share few words. What it takes is a setting with three values: one is right
in a project, and another one is what comes to mind first.
"""

from dataclasses import dataclass

ASIDES = ("", "", "please", "before noon", "as agreed on the phone", "for the new office", "without much ado")
JOINS = ("; also ", ", and then ", ". Besides, ", " and ")
TITLES = (
    "The {a} is wrong", "{a}: not what was wanted", "wrong {a}", "Cannot be accepted because of the {a}",
    "{a} does not fit", "The check of the {a} fails", "Trouble with the {a}",
)  # fmt: skip
EXPECTING = (
    "{a} is wrong for {t}, expected {v}", "expected {v} as {a}", "{a} must be {v}", "the {a} of {t} should be {v}",
    "got another {a} than {v}",
)  # fmt: skip
FIXES = ("Set the {a} to {v}.", "Use {v} as the {a}.", "For {t}, make the {a} {v}.", "{v} is the right {a}.")
PLAIN = ("{t} wants {v} as its {a}", "better with {v} for the {a}", "try {v} as {a}", "{v} would be right for the {a}")
TRAPS = ("Consider {v} as the {a}.", "While you are at it, set the {a} to {v}.", "Have you thought of {v} as {a}?")


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of task: ``asks`` are ways to ask for it, ``names`` words for its setting, ``thing`` what it is for."""

    thing: str
    asks: tuple[str, ...]
    names: tuple[str, ...]
    values: tuple[str, str, str]

    @property
    def slot(self) -> str:
        """The setting, as it is written in a file."""
        return self.names[0].replace(" ", "_")


def family(thing: str, asks: str, names: str, values: str) -> Family:
    """A family, written on few lines."""
    first, second, third = values.split()
    return Family(thing, tuple(asks.split(" | ")), tuple(names.split(" | ")), (first, second, third))


FAMILIES = (
    family(
        "invoices",
        "export the invoices for the bank | send out this month's bills as a sheet | give accounting a table of "
        "what clients owe | dump all billing rows to disk | produce the statement file for the auditors",
        "separator | column delimiter | field divider", "semicolon comma pipe",
    ),
    family(
        "log rotation",
        "rotate the server logs | keep yesterday's journal apart from today's | stop the trace files from growing |"
        " tidy what the daemons wrote | split old output off",
        "suffix | file ending | extension", "dated numbered hashed",
    ),
    family(
        "thumbnails",
        "make thumbnails of the photos | shrink the gallery pictures | prepare small previews | scale the album "
        "down for phones | render tiny images for the index",
        "resampling | scaling filter | resizer", "lanczos nearest bicubic",
    ),
    family(
        "password reset",
        "add a password reset | let people recover their login | mail a link to who forgot the secret | help "
        "locked-out members back in | write the forgotten-credentials page",
        "token kind | link token | reset code", "opaque_token signed_jwt short_pin",
    ),
    family(
        "search",
        "index the articles for search | make texts findable | build the lookup over our posts | let readers query "
        "the archive | feed the full-text engine",
        "analyzer | tokeniser | word splitter", "snowball whitespace trigram",
    ),
    family(
        "backup",
        "back up the database | save a nightly copy of the tables | snapshot all records | archive production state"
        " every evening | put the stored rows somewhere safe",
        "compression | packer | squeezer", "zstd gzip lzma",
    ),
    family(
        "retries",
        "retry failed deliveries | send again what bounced | repeat calls that did not get through | try lost "
        "webhooks once more | handle flaky partners",
        "backoff | waiting scheme | pause rule", "exponential constant fibonacci",
    ),
    family(
        "calendar",
        "sync the calendars | bring appointments in line | merge meetings of both offices | update everybody's "
        "agenda | exchange dates with the partners",
        "time base | clock zone | timezone", "utc_time local_time floating",
    ),
    family(
        "tax",
        "compute the sales tax | add vat to the totals | work out the duty on orders | apply the levy per line | "
        "charge what the state wants",
        "rounding | rounding mode | cents rule", "half_even half_up truncate",
    ),
    family(
        "avatars",
        "upload profile faces | let users set their portrait | take in selfies | accept a personal icon | store who"
        " looks like what",
        "storage | bucket | blob store", "object_store local_disk database_blob",
    ),
    family(
        "queue",
        "process the mail queue | work off waiting letters | drain outgoing correspondence | push pending "
        "newsletters through | deliver what has piled up",
        "ordering | queue discipline | sequence", "oldest_first newest_first by_priority",
    ),
    family(
        "pdf report",
        "print the quarterly report | turn the figures into a pdf | lay out the management summary | typeset the "
        "results booklet | bring numbers on paper",
        "paper | page format | sheet size", "a4_paper letter_paper legal_paper",
    ),
    family(
        "rate limits",
        "limit requests per client | throttle greedy callers | slow down scrapers | cap the traffic of guests | "
        "protect the api from floods",
        "algorithm | limiter | counting method", "token_bucket fixed_window sliding_log",
    ),
    family(
        "payments",
        "take card payments | charge the shoppers | let customers settle at checkout | accept money online | wire "
        "the till to the processor",
        "capture | capture mode | booking moment", "delayed_capture instant_capture split_capture",
    ),
    family(
        "import",
        "import the product catalogue | load supplier articles | take over the vendor's assortment | take in the "
        "wholesale list | ingest goods from the feed",
        "encoding | charset | character set", "utf-8-sig latin-1 cp1252",
    ),
    family(
        "sessions",
        "keep visitors signed in | remember the browser between visits | hold the authentication state | spare "
        "folks the second login | track who is connected",
        "cookie policy | samesite | cookie rule", "strict_cookie lax_cookie none_cookie",
    ),
    family(
        "maps",
        "draw the delivery map | show couriers on a plan | plot stops along the route | visualise where vans are | "
        "paint the districts",
        "projection | map projection | grid", "mercator equirect lambert",
    ),
    family(
        "chat",
        "store the conversation history | keep what was said in rooms | persist support dialogues | record talks "
        "with agents | write messages down for later",
        "retention | keeping period | lifetime", "ninety_days thirty_days forever",
    ),
    family(
        "prices",
        "refresh the price list | recalculate what things cost | adjust tariffs for spring | bring rates up to date"
        " | change the tags in the shop",
        "currency unit | money type | amount type", "minor_units float_euros decimal_text",
    ),
    family(
        "sensors",
        "collect the sensor readings | gather measurements from the field | poll thermometers in the cellar | watch"
        " the tank levels | sample the weather station",
        "sampling | sample mode | aggregation", "median_of_five last_value mean_of_ten",
    ),
    family(
        "translations",
        "translate the user interface | offer screens in french | localise all labels | prepare menus for other "
        "countries | make buttons speak danish",
        "catalogue format | string format | message syntax", "icu_messages gettext plain_json",
    ),
    family(
        "deploy",
        "deploy the web shop | roll out the storefront | ship the release to production | bring the site live | "
        "update the running servers",
        "strategy | rollout | release plan", "canary all_at_once blue_green",
    ),
    family(
        "audit trail",
        "write an audit trail | note who changed what | prove edits to the inspectors | log each modification of "
        "contracts | make tampering visible",
        "chaining | integrity | sealing", "hash_chain row_signature append_only",
    ),
    family(
        "cache",
        "cache the start page | serve the front faster | spare the landing view its queries | hold rendered html "
        "for a while | speed up the entrance",
        "eviction | cache policy | expiry", "stale_revalidate hard_ttl least_recent",
    ),
)  # fmt: skip
