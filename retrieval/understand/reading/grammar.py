"""Words by what they do in a sentence, as far as conditions need it. All are keys: lower case, singular."""

PREPOSITIONS = frozenset(
    {"of", "for", "in", "on", "by", "with", "from", "to", "about", "at", "into", "under", "over", "between", "among"}
    | {"within", "during", "since", "before", "after", "until", "through", "via", "per", "regarding", "concerning"}
    | {"outside", "without", "except", "excluding", "below", "above", "than", "like", "against", "around", "as"}
)
AUXILIARIES = frozenset(
    {"is", "are", "was", "were", "be", "been", "being", "become", "became", "becomes", "get", "got", "gets", "do"}
    | {"does", "did", "has", "have", "had", "stay", "stayed", "remain", "remained", "remains", "marked", "ended", "end"}
    | {"will", "would", "can", "could", "should", "must", "may", "might", "went", "go", "made", "doe", "ha", "wa"}
)
ADVERBS = frozenset(
    {"still", "also", "ever", "now", "currently", "already", "yet", "either", "neither", "both", "only", "just", "even"}
    | {"so", "far", "up", "finally", "officially", "eventually", "later", "all", "since"}
)
RELATIVES = frozenset({"that", "which", "who", "whose", "where"})
CONJUNCTIONS = frozenset({"and", "or", "nor", ",", "/", "&", "but"})
NEGATIONS = frozenset(
    {
        "not",
        "nothing",
        "never",
        "no",
        "without",
        "except",
        "excluding",
        "outside",
        "non",
        "nor",
        "neither",
        "besides",
        "isn't",
    }
    | {"aren't", "wasn't", "weren't", "don't", "doesn't", "didn't", "hasn't", "haven't", "hadn't", "won't", "cannot"}
    | {"minus", "exclude", "omit", "skip"}
)
SUBJECTS = frozenset({"what", "which", "who", "anything", "everything", "something", "any", "all", "those", "these"})
ASKING = frozenset(
    {
        "show",
        "list",
        "find",
        "give",
        "get",
        "me",
        "us",
        "i",
        "want",
        "need",
        "see",
        "please",
        "display",
        "fetch",
        "look",
    }
    | {
        "search",
        "return",
        "there",
        "tell",
        "the",
        "a",
        "an",
        "my",
        "our",
        "every",
        "each",
        "some",
        "many",
        "much",
        "how",
    }
    | {
        "it",
        "its",
        "their",
        "they",
        "we",
        "you",
        "your",
        "he",
        "she",
        "his",
        "her",
        "them",
        "when",
        "this",
        "if",
        "i.e.",
        "e.g.",
    }
)
CARRIERS = frozenset(
    {"need", "needed", "needing", "require", "required", "requiring", "want", "wanted", "available", "looking", "look"}
    | {
        "interested",
        "seeking",
        "thing",
        "stuff",
        "please",
        "right",
        "moment",
        "someone",
        "somebody",
        "anyone",
        "contain",
    }
    | {"containing", "include", "including", "own", "belong", "hold", "use", "used", "using", "exist", "everyone"}
)
"""Words that carry a condition and say nothing of a topic."""
GLUE = PREPOSITIONS | AUXILIARIES | ADVERBS | RELATIVES | CONJUNCTIONS | NEGATIONS | SUBJECTS | ASKING
"""Words that say nothing of a topic."""


def is_noun_like(key: str) -> bool:
    """Whether a word may stand within a phrase of nouns and adjectives."""
    return key[0].isalpha() and key not in GLUE
