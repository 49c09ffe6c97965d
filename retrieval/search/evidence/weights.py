"""The weights of the evidence that ship; `querymust fit` fits and writes them."""

import json
from pathlib import Path

from retrieval.strategy import EvidenceWeights

WEIGHTS_FILE = Path(__file__).with_name("weights.json")
WEIGHTS = EvidenceWeights(**json.loads(WEIGHTS_FILE.read_text(encoding="utf-8")))
