"""What documents, and the things that they are about one by one, are called: in any collection, and in their texts."""

import re
from collections import Counter
from collections.abc import Sequence

from retrieval.understand.catalog.words import keys

DOCUMENTS = frozenset(
    """
    document doc file article paper post report record entry proposal memo message email ticket publication
    guide manual note story item one piece work dish object result case sample example specimen product
    listing book novel volume edition copy text page essay poem letter film movie picture photo photograph
    image painting drawing print map chart song album track recording episode series programme program show
    play video podcast game recipe study trial experiment survey project course lecture talk lesson seminar
    workshop event meeting incident accident issue bug task request complaint claim application order invoice
    contract tender permit licence patent standard regulation law bill act judgment judgement ruling decision
    verdict opinion job position role vacancy opening posting advert ad offer property flat house artefact
    artifact exhibit review thread question answer advisory alert release thing stuff
    """.split()  # noqa: SIM905
)
"""Keys of words."""

_THIS = re.compile(r"\bthis ([^\W\d_]{3,})", re.IGNORECASE)
_VERBS = frozenset("is was has will can may must should would could means does had time way".split())  # noqa: SIM905
"""What stands behind `this` in any text and is no document."""
_SHARE, _LEAST = 0.2, 10
"""A noun that so many of the texts call themselves by, and in so many at least."""


def own_nouns(texts: Sequence[str]) -> frozenset[str]:
    """Keys of the nouns that texts call themselves by: `package` where many say `this package`."""
    said = Counter(word for text in texts for word in {found.lower() for found in _THIS.findall(text)} - _VERBS)
    enough = max(_LEAST, _SHARE * len(texts))
    return frozenset(key for word, count in said.items() if count >= enough for key in keys(word) if key == word)
