"""What each way of looking makes of the chunks that are looked at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retrieval.index.snapshot.metadata_index import Mask
from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.dense.cosine import Cosines
from retrieval.search.evidence.evidence import Evidence, Wanted
from retrieval.search.evidence.parts import Measures
from retrieval.search.evidence.portion import Portion
from retrieval.search.fusion import Leg, Positions, Scores, total, weighted_min_max
from retrieval.search.query import Query
from retrieval.search.rerank.rerank import SecondLook, pool, second_look
from retrieval.strategy import Strategy


@dataclass(frozen=True, slots=True, eq=False)
class Legs:
    """What each way of looking makes of every chunk; None where the strategy does not look that way."""

    lexical: Scores | None
    """(n,) BM25."""
    dense: Cosines | None
    evidence: Evidence | None
    question: Query
    found: Mask | None = None
    """(n,) candidates of a first stage elsewhere, which alone are ranked; None: all chunks are."""
    portion: Portion | None = None
    """What is looked at of a large library, where not all is: n is then their number, and a position of the scores the
    place of a chunk among them."""

    @property
    def measures(self) -> Measures | None:
        """The evidence for chunks by their position in the snapshot."""
        return self.evidence if self.portion is None else self.portion

    def chunks(self, places: Positions) -> Positions:
        """The positions in the snapshot of what has these places among the chunks that are looked at."""
        return places if self.portion is None else self.portion.chunks.positions[places]

    def scaled(self, strategy: Strategy) -> Sequence[Leg]:
        """The legs as they enter the sum: a lone one as it is, two scaled to 0-1; none with evidence."""
        if self.evidence is not None:
            return ()
        cosines = None if self.dense is None else self.dense.all
        legs = [
            Leg(scores, weight, name)
            for name, scores, weight in (
                ("lexical", self.lexical, strategy.lexical_weight),
                ("dense", cosines, strategy.dense_weight),
            )
            if scores is not None
        ]
        return [leg.scaled(leg.scores, 1.0) if len(legs) == 1 else weighted_min_max(leg) for leg in legs]

    def fused(
        self,
        strategy: Strategy,
        scaled: Sequence[Leg],
        wanted: Wanted,
    ) -> Scores:
        """One score a chunk, (n,): the evidence, or the sum of the legs.

        Args:
            strategy: the weights.
            scaled: the legs as they enter the sum.
            wanted: which chunks are, if nothing but their scores decides: those that cannot be among them may have
                less than their whole score.
        """
        if self.evidence is not None and strategy.evidence is not None:
            everything = strategy.graph is not None or strategy.exhaustive
            return self.evidence.total(strategy.evidence, None if everything else wanted)
        return total(scaled)

    def parts(self, strategy: Strategy, scaled: Sequence[Leg], positions: Positions) -> Sequence[Leg]:
        """What the scores of these chunks are the weighted sum of; what weighs nothing is left out."""
        if self.evidence is None or strategy.evidence is None:
            return [leg.scaled(leg.scores[positions], leg.weight) for leg in scaled]
        values = self.evidence.at(positions)
        return [Leg(values[name], weight, name=name) for name, weight in strategy.evidence.items() if weight]

    def looked_at_again(
        self, snapshot: Snapshot, strategy: Strategy, scores: Scores, allowed: Mask | None
    ) -> SecondLook:
        """A second look at the best of these scores; an empty one where the strategy takes none."""
        if not strategy.second_look or self.evidence is None or self.lexical is None:
            return SecondLook.nowhere()
        candidates = pool(scores, self.lexical, allowed)
        return second_look(snapshot, self.question, self.evidence, candidates, strategy.trees)

    def at(self, positions: Positions) -> Mapping[str, Scores]:
        """What was measured of these chunks, by name."""
        if self.measures is not None:
            return self.measures.at(positions)
        lexical = {} if self.lexical is None else {"lexical": self.lexical[positions]}
        return lexical if self.dense is None else lexical | {"dense": self.dense.at(positions)}
