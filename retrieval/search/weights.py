"""The weights of the evidence that ship."""

from retrieval.strategy import EvidenceWeights

WEIGHTS = EvidenceWeights(
    lexical=0.19,
    dense=0.7,
    text=0.73,
    title=1.2,
    column=1.5,
    head=0.5,
    name=1.87,
    quote=0.9,
    figure=3.2,
    number=3.19,
    axis=3.4,
)
