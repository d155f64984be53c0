"""Find what a skill's text is about, beside its description: the words that its opening repeats."""

from collections import Counter

OPENING_CHARACTERS = 2_000  # of a skill's text: 1,000 to 4,000 rank equally
REPEATED = 3  # times that a word occurs, and again for each further time that it counts: 2 to 5 rank equally


def repeated_words(text: str) -> str:
    """Return the words that a text's opening repeats, each as often as it counts."""
    from openkoi_search.words import STOP_WORDS, split_tokens, split_words, stem

    counts, spelled = Counter[str](), dict[str, str]()
    for token in split_tokens(text[:OPENING_CHARACTERS]):
        for word in split_words(token):
            if word not in STOP_WORDS:
                counts[stem(word)] += 1
                spelled.setdefault(stem(word), word)
    return " ".join(spelled[one] for one, count in counts.items() for _ in range(count // REPEATED))
