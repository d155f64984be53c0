"""Words of the drawn worlds: topics, aspects and conditions in several wordings each, and templates of sentences."""

TOPICS: tuple[tuple[str, ...], ...] = (
    ("invoice", "bill", "payment request"),
    ("newsletter", "mailing", "circular"),
    ("login page", "sign-in form", "authentication screen"),
    ("nightly backup", "snapshot job", "archive run"),
    ("price list", "tariff sheet", "rate card"),
    ("parser", "tokenizer", "reader of input"),
    ("search index", "lookup table", "catalogue of terms"),
    ("deploy script", "release job", "rollout"),
    ("sensor feed", "telemetry stream", "measurements"),
    ("user profile", "account record", "member card"),
    ("press statement", "announcement", "public notice"),
    ("queue worker", "background consumer", "job runner"),
    ("expense report", "cost summary", "spending overview"),
    ("map view", "floor plan", "site chart"),
    ("recipe page", "cooking guide", "kitchen notes"),
    ("shipping label", "parcel tag", "consignment slip"),
)
ASPECTS: tuple[tuple[str, ...], ...] = (
    ("date format", "way dates are written", "timestamp layout"),
    ("currency", "unit of money", "denomination"),
    ("timeout", "time limit", "maximum wait"),
    ("encoding", "character set", "text representation"),
    ("log level", "verbosity", "amount of logging"),
    ("retry policy", "handling of repeats", "behaviour after a failure"),
    ("header", "opening line", "first row"),
    ("tone", "register", "voice of the text"),
    ("separator", "delimiter", "divider between fields"),
    ("storage class", "kind of disk", "medium it is kept on"),
    ("locale", "language variant", "regional setting"),
    ("error type", "raised exception", "class of failure"),
    ("colour scheme", "palette", "choice of hues"),
    ("naming style", "spelling of identifiers", "letter case of names"),
    ("client library", "package for requests", "dependency used for calls"),
    ("rounding", "treatment of fractions", "number of decimals"),
    ("sort order", "sequence of entries", "arrangement of rows"),
    ("greeting", "salutation", "how the reader is addressed"),
    ("compression", "packing method", "size reduction"),
    ("access rule", "permission", "who may read it"),
)
CONDITIONS: tuple[tuple[str, ...], ...] = (
    ("for the public API", "exposed to partners"),
    ("on Windows", "for Microsoft machines"),
    ("in the legacy branch", "for the old release line"),
    ("for minors", "with underage customers"),
    ("during the migration", "while data is being moved"),
)
KINDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("code", ("Implement the {t}", "Refactor the {t}", "Fix the {t}", "Extend the {t}", "Add tests to the {t}")),
    ("writing", ("Draft the {t}", "Shorten the {t}", "Rewrite the {t}", "Proofread the {t}", "Translate the {t}")),
    ("operations", ("Set up the {t}", "Migrate the {t}", "Restart the {t}", "Check the {t}", "Document the {t}")),
    ("data", ("Clean the {t}", "Summarise the {t}", "Merge the {t}", "Plot the {t}", "Validate the {t}")),
)
JOINS = (" and the ", ", then the ", " together with the ", " plus the ")
ASIDES = (
    *("before Friday", "for the new customer", "as discussed", "and keep it short", "like last time", "", "", ""),
    *("for the review", "with care", "so that support can use it", "after the meeting", "for the demo", "soon"),
)
TITLES = (
    "Wrong {s}", "The {s} is not right", "{s}: not what we use", "Problem with the {s}", "Unexpected {s}",
    "The {s} does not meet the requirements", "Incorrect {s} found", "{s} should be different",
    "Please look at the {s} again", "The {s} breaks our conventions",
)  # fmt: skip
ADVICE = (
    "Use {v} as the {s}.", "The {s} must be {v}.",
    "Set the {s} to {v}.", "{v} is the right {s}.", "Change the {s}: {v}.",
    "We expect {v} for the {s}.", "For the {s}, {v} is required.", "Switch the {s} to {v}.", "Take {v} for the {s}.",
    "The correct {s} here is {v}.",
)  # fmt: skip
LINTERS = (
    "Use of deprecated `{used}`, use `{v}`", "`{used}` is banned: use {v} as the {s}",
    'Incompatible types in assignment (expression has type "{used}", variable has type "{v}")',
    "Expected {s} to be '{v}' but found '{used}'.", "AssertionError: {s}: assert '{used}' == '{v}'",
    "AssertionError: '{used}' != '{v}'", "{s} {used} should be {v}",
)  # fmt: skip
PLATITUDES = (
    ("Readability could be better", "Consider shorter sentences."),
    ("Think about maintainability", "Keep things simple and consistent."),
    ("More detail would help", "Explain the reasoning behind each choice."),
    ("Double-check the result", "Make sure that everything works as intended."),
    ("Structure is acceptable", "Group related parts together."),
)
WORKS = ("The {s} is {v}.", "{s}: {v}", "I set the {s} to {v}.", "Chosen {s} = {v}")
FILLERS = (
    *("I went through all parts step by step.", "Nothing else was changed.", "This should cover the request."),
    *("The remaining parts follow the usual structure.", "Let me know if anything is missing."),
)
STEMS = (
    *("amber", "birch", "cobalt", "dune", "ember", "fjord", "garnet", "hazel", "indigo", "jet", "krypton", "lotus"),
    *(
        "maple",
        "nectar",
        "onyx",
        "pewter",
        "quartz",
        "russet",
        "saffron",
        "topaz",
        "umber",
        "velvet",
        "walnut",
        "zephyr",
    ),
)
PLAIN = (
    *(
        "plain",
        "double",
        "reduced",
        "formal",
        "narrow",
        "early",
        "shared",
        "strict",
        "silent",
        "wide",
        "late",
        "guarded",
    ),
)
