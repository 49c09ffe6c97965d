"""Generated documents through the ingest: `querymust bench documents`."""

import random
import traceback
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.bench.documents.growth import BOUND, SHAPES, Growth, grow
from pipeline.bench.documents.ingesting import chunks_of, lost_words, over_nothing
from pipeline.bench.documents.writing import Author
from pipeline.bench.index import Tell
from retrieval.errors import InvalidDocumentError
from retrieval.ingest.losses import recorded_losses

_NAMED = 20
"""Documents that are named; all are counted."""


@dataclass(frozen=True, slots=True)
class DocumentsReport:
    """What became of the documents of one seed. Key: (seed, documents)."""

    seed: int
    documents: int
    refused: int
    """With one clear error, as the ingest refuses what has nothing to show."""
    crashed: int
    rule_failed: int
    """Documents of which a part is missing because a rule raised."""
    lost: int
    """Documents of which a word is in no chunk."""
    headers_over_nothing: int
    """Documents of which only the names of columns are lost in which no row has a value."""
    chunks: int
    said: tuple[str, ...]
    """The first that crashed, on which a rule failed or that lost a word, by their numbers."""
    growth: tuple[Growth, ...]

    @property
    def steep(self) -> tuple[Growth, ...]:
        """What grows faster than it may."""
        return tuple(each for each in self.growth if each.exponent > BOUND)

    def lines(self) -> Iterator[str]:
        """The counts, then how each thing grows."""
        yield (
            f"{self.documents} documents, {self.chunks} chunks: {self.refused} refused, {self.crashed} crashed, "
            f"a rule failed on {self.rule_failed}, {self.lost} lost a word, "
            f"{self.headers_over_nothing} only names of columns without a value"
        )
        yield from self.said
        for each in self.growth:
            mark = " (too steep)" if each in self.steep else ""
            yield f"{each.of}: n^{each.exponent:.2f}, {each.milliseconds:.1f} ms at {each.n}{mark}"


def run_documents(documents: int, seed: int, tell: Tell, *, timed: bool = True) -> DocumentsReport:
    """Write so many documents of a seed and bring each through the ingest; then time how it grows.

    Args:
        documents: how many.
        seed: of what is written; document 17 of a seed is the same however many there are.
        tell: called as the work goes on.
        timed: whether the growth is timed.
    """
    counts = {"refused": 0, "crashed": 0, "rule_failed": 0, "lost": 0, "headers_over_nothing": 0, "chunks": 0}
    said: list[str] = []
    for number in range(documents):
        if number % 100 == 0:
            tell(f"{documents} documents", number, documents)
        text = Author(random.Random(f"{seed}/{number}")).document()
        try:
            with recorded_losses() as losses:
                chunks = chunks_of(text)
            lost = lost_words(text, chunks)
            unnamed = over_nothing(text) if lost else frozenset()
        except InvalidDocumentError:
            counts["refused"] += 1
            continue
        except Exception as error:
            counts["crashed"] += 1
            said.append(f"document {number}: {''.join(traceback.format_exception_only(error)).strip()}")
            continue
        counts["chunks"] += len(chunks)
        if losses:
            counts["rule_failed"] += 1
            said.append(f"document {number}: {next(iter(losses))}")
        if missing := [word for word in lost if word not in unnamed]:
            counts["lost"] += 1
            said.append(f"document {number} lost {', '.join(missing[:5])}")
        elif lost:
            counts["headers_over_nothing"] += 1
    growth = []
    for number, of in enumerate(SHAPES if timed else ()):
        tell(of, number, len(SHAPES))
        growth.append(grow(of))
    return DocumentsReport(seed, documents, **counts, said=tuple(said[:_NAMED]), growth=tuple(growth))
