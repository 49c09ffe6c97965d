"""What a dry run prints of a chat model's costs."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from pipeline.console.output import out, print_json

if TYPE_CHECKING:
    from retrieval.models.estimate import Estimate
    from retrieval.models.options import ModelOptions


def print_estimate(found: "Estimate", options: "ModelOptions", prompt: str, chosen: str, *, json_: bool) -> None:
    """The estimate as one JSON document, or in words after a sentence that says what was chosen."""
    if json_:
        usd = {"likely_usd": found.likely_usd, "most_usd": found.most_usd, "budget_usd": options.budget_usd}
        told = {f"n_{found.about}": found.n_requests, "likely": asdict(found.likely), "most": asdict(found.most)}
        print_json(told | {"model": options.model, "prompt": prompt} | usd)
        return
    out.print(f"{chosen}. {found}", markup=False)
    out.print("Nothing was sent.")
