"""Generate conversations by seed, and questions: verbatim, paraphrased, about a date, about two things.

Two people chat over many sessions. What matters is said once, at times only as the answer to a question, and lies among
much that resembles it. Knows words; knows no search.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

PEOPLE = ("Nadia", "Tomas", "Ingrid", "Kofi", "Yuki", "Pavel", "Amara", "Diego")
CITIES = ("Lisbon", "Oslo", "Kyoto", "Quito", "Nairobi", "Prague", "Hanoi", "Dublin")
MONTHS = ("January", "March", "April", "June", "July", "September", "October", "December")


@dataclass(frozen=True, slots=True)
class Deed:
    """An event: how it is stated, and asked about in the same and in other words."""

    statement: str
    same: str
    other: str
    things: tuple[str, ...]


DEEDS = (
    Deed(
        "I adopted a {} from the shelter",
        "What did {} adopt from the shelter?",
        "Which animal lives with {} now?",
        ("greyhound", "tabby kitten", "tortoise", "parrot", "ferret", "beagle"),
    ),
    Deed(
        "I started to learn the {} with a teacher",
        "What is {} learning with a teacher?",
        "Which instrument does {} practise?",
        ("cello", "oboe", "banjo", "harp", "trumpet", "accordion"),
    ),
    Deed(
        "my {} got the job at the harbour",
        "Who got the job at the harbour in {}'s family?",
        "Which relative of {} found work at the port?",
        ("sister", "cousin", "uncle", "nephew", "brother", "aunt"),
    ),
    Deed(
        "I signed up for a class in {}",
        "Which class did {} sign up for?",
        "What course is {} taking?",
        ("pottery", "fencing", "beekeeping", "calligraphy", "welding", "baking"),
    ),
    Deed(
        "I broke my {} when I fell off the bike",
        "What did {} break falling off the bike?",
        "How was {} hurt in the cycling accident?",
        ("wrist", "ankle", "collarbone", "elbow", "thumb", "rib"),
    ),
    Deed(
        "I sold the old {} to a neighbour",
        "What did {} sell to a neighbour?",
        "Which of the belongings of {} has a new owner next door?",
        ("piano", "canoe", "tractor", "typewriter", "sofa", "telescope"),
    ),
    Deed(
        "I flew to {} for the wedding",
        "Where did {} fly for the wedding?",
        "In which city did {} see friends get married?",
        CITIES,
    ),
    Deed(
        "I painted a {} and it hangs in the gallery",
        "What did {} paint that hangs in the gallery?",
        "What is on the artwork of {} in the exhibition?",
        ("lighthouse", "sunset", "fox", "waterfall", "bridge", "meadow"),
    ),
)
CHATTER = (
    "That sounds lovely, tell me more!",
    "I have been so busy with {} lately.",
    "How is everything with {} going?",
    "We should talk about {} again soon, don't you think?",
    "Honestly, {} makes me tired, but I keep at it.",
    "Wow, I would never have thought of {}.",
    "My teacher always says that {} takes patience.",
    "I saw a neighbour at the gallery and we spoke of {}.",
    "The family will be at the harbour this weekend, weather permitting.",
    "Do you remember the class we took together?",
    "I had to take the bike, the bus was late again.",
)
SUBJECTS = ("work", "the garden", "school", "the weather", "cooking", "the wedding", "the shelter", "painting", "music")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the turns that answer it."""

    text: str
    kind: str
    evidence: tuple[int, ...]


@dataclass(slots=True)
class Talk:
    """Turns in order, with speaker, time and conversation, and the questions."""

    turns: list[str] = field(default_factory=list)
    about: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    def say(self, who: str, day: str, pair: str, text: str) -> int:
        """Add a turn; return its number."""
        self.turns.append(text)
        self.about.append(f"{who} ({day}):")
        self.parts.append(pair)
        return len(self.turns) - 1


def talk(seed: int, pairs: int = 4, sessions: int = 16, chatter: int = 14) -> Talk:
    """Make up conversations."""
    chance = random.Random(seed)
    talk = Talk()
    people = chance.sample(PEOPLE, 2 * pairs)
    for one, other in zip(people[::2], people[1::2], strict=True):
        known: dict[str, int] = {}
        deeds = [(deed, who) for deed in DEEDS for who in (one, other)]
        chance.shuffle(deeds)
        for n in range(sessions):
            day = f"{chance.randint(1, 28)} {chance.choice(MONTHS)} {2021 + n % 4}"
            session(talk, chance, (one, other), day, deeds[n::sessions], known, chatter)
        talk.questions += both(known, one, other)
    return talk


def session(
    made: Talk,
    chance: random.Random,
    pair: tuple[str, str],
    day: str,
    deeds: "list[tuple[Deed, str]]",
    known: dict[str, int],
    chatter: int,
) -> None:
    """One meeting: small talk with an event in it."""
    at = {chance.randrange(2, chatter): deed for deed in deeds}
    for n in range(chatter):
        made.say(pair[n % 2], day, "-".join(pair), chance.choice(CHATTER).format(chance.choice(SUBJECTS)))
        if n in at:
            deed, who = at[n]
            known[f"{who}:{deed.same}"] = made_known(made, chance, deed, who, pair, day)


def made_known(talk: Talk, chance: random.Random, deed: Deed, who: str, pair: tuple[str, str], day: str) -> int:
    """Mention an event, sometimes with its object only on request; add questions. Return the turn that names it."""
    thing, friend = chance.choice(deed.things), pair[pair[0] == who]
    part = "-".join(pair)
    if chance.random() < 0.5:
        turn = talk.say(who, day, part, f"Guess what, {deed.statement.format(thing)}!")
        evidence: tuple[int, ...] = (turn,)
    else:
        first = talk.say(who, day, part, f"Guess what, {deed.statement.format('wonderful one')}!")
        talk.say(friend, day, part, "Really? Which one is it?")
        turn = talk.say(who, day, part, f"It's {thing}, and I could not be happier.")
        evidence = (first, turn)
    talk.questions += [
        Question(deed.same.format(who), "as said", evidence),
        Question(deed.other.format(who), "other words", evidence),
        Question(f"When did {who} say: {deed.statement.format(thing)}?", "date", evidence[:1]),
    ]
    return turn


def both(known: dict[str, int], one: str, other: str) -> Iterator[Question]:
    """Questions that need two turns, one of each person."""
    for deed in DEEDS:
        turns = [known.get(f"{who}:{deed.same}") for who in (one, other)]
        if None not in turns:
            text = deed.same.format(f"{one} and what did {other}")
            yield Question(text, "two things", tuple(turn for turn in turns if turn is not None))
