"""The weights of the evidence that ship."""

from retrieval.types import EvidenceWeights

WEIGHTS = EvidenceWeights(
    lexical=0.14,
    text=1.44,
    title=1.02,
    column=1.75,
    head=0.37,
    name=1.19,
    quote=0.71,
    figure=0.7,
    placed=0.52,
    number=2.39,
)
