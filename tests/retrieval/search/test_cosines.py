import numpy as np

from retrieval.index.snapshot.snapshot import Snapshot
from retrieval.search.cosines import Cosines, similarity


def test_cosines_are_the_same_wherever_they_are_asked_for(snapshot: Snapshot) -> None:
    vector = snapshot.vectors[7]
    everywhere = similarity(snapshot.vectors, vector)
    few, many = np.asarray([3, 7, 100]), np.arange(0, len(snapshot), 2)

    assert Cosines(snapshot.vectors, vector).at(few).tolist() == everywhere[few].tolist()
    assert Cosines(snapshot.vectors, vector).at(many).tolist() == everywhere[many].tolist()
    assert Cosines(snapshot.vectors, vector).all.tolist() == everywhere.tolist()
