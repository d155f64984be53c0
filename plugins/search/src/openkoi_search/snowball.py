"""Load only the English stemmer from a package of thirty languages, and list irregular forms.

Importing the package imports them all, which takes longer than a search. So its folder is searched under this module's
name, as a package's ``__path__`` allows.
"""

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from typing import Protocol

PACKAGE = find_spec("snowballstemmer")
__path__ = list(PACKAGE.submodule_search_locations or ()) if PACKAGE else []

# Irregular forms, which no rule for endings leads back to their base: each base with its other forms. Those that are as
# often another word (lay, bore, wound) are left out.
FORMS = """
become became, begin began begun, bend bent, bite bit bitten, blow blew blown, break broke broken, bring brought,
build built, burn burnt, buy bought, catch caught, choose chose chosen, come came, creep crept, deal dealt, dig dug,
draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed,
feel felt, fight fought, find found, fly flew flown, forget forgot forgotten, forgive forgave forgiven,
freeze froze frozen, give gave given, go went gone goes, grow grew grown, hang hung, hear heard, hide hid hidden,
hold held, keep kept, kneel knelt, know knew known, lead led, lean leant, learn learnt, leave left, lend lent,
lose lost, mean meant, meet met, overcome overcame, pay paid, prove proven, ride rode ridden, ring rang rung,
rise rose risen, run ran, see saw seen, seek sought, sell sold, send sent, shake shook shaken, shine shone,
shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept,
speak spoke spoken, spend spent, spring sprang sprung, stand stood, steal stole stolen, stick stuck, strike struck,
swear swore sworn, sweep swept, swim swam swum, swing swung, take took taken, teach taught, tear tore torn,
think thought, throw threw thrown, undergo underwent undergone, understand understood, undertake undertook undertaken,
wake woke woken, wear wore worn, win won, withdraw withdrew withdrawn, write wrote written, child children, foot feet,
knife knives, leaf leaves, life lives, man men, mouse mice, person people, shelf shelves, tooth teeth, wife wives,
wolf wolves, woman women
"""


class Stemmer(Protocol):
    """A stemmer. It has a state: two threads must not share one."""

    def stemWord(self, word: str) -> str:
        """Return the stem of a word in lower case."""


def make_english_stemmer() -> Stemmer:
    """Return a stemmer of English."""
    from .snowball.english_stemmer import EnglishStemmer  # type: ignore[import-not-found]  # found at run time

    stemmer: Stemmer = EnglishStemmer()
    return stemmer


@cache
def base_forms() -> Mapping[str, str]:
    """Map each irregular form to its base form."""
    groups = (group.split() for group in FORMS.split(","))
    return {form: base for base, *forms in groups for form in forms}
