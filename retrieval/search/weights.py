"""The weights of the evidence that ship."""

from retrieval.types import EvidenceWeights

WEIGHTS = EvidenceWeights(
    lexical=0.23,
    dense=0.74,
    text=0.68,
    title=1.24,
    column=1.54,
    head=0.44,
    name=1.7,
    quote=0.79,
    figure=2.87,
    number=2.7,
)
