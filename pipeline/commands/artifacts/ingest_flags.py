"""The flags that the published plan gives an ingestion, on `querymust build`: what they mean, and what they refuse."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.artifacts.export import chosen, mongodb, print_written, projected, write

if TYPE_CHECKING:
    from pathlib import Path

PROFILE = "full"
"""The one way in which a build does things: chunks, vectors and graph."""

ProfileOption = Annotated[
    str | None, typer.Option("--profile", help=f"`{PROFILE}`, which a build always is: chunks, vectors, graph.")
]
GenerateOption = Annotated[
    bool, typer.Option("--generate-embeddings", help="A build always does; for command lines that say it.")
]
ModelOption = Annotated[str | None, typer.Option("--embedding-model", help="The same as --embedder.")]


@dataclass(frozen=True, slots=True)
class IngestFlags:
    """What a build does beside its index.

    Raises:
        typer.BadParameter: two flags contradict each other, or one asks for what there is not.
    """

    ruleset: str | None
    book: str | None
    store_mongodb: bool
    profile: str | None
    embedding_model: str | None
    embedder: str | None
    plan: bool

    def __post_init__(self) -> None:
        from retrieval.contract_settings import embedder_of

        if self.profile not in {None, PROFILE}:
            raise typer.BadParameter(f"{self.profile!r} is no profile; there is one: {PROFILE}", param_hint="--profile")
        both = self.embedder, self.embedding_model
        if None not in both and embedder_of(str(both[0])) != embedder_of(str(both[1])):
            raise typer.BadParameter(
                f"{both[1]!r} is not {both[0]!r}, which --embedder says; a snapshot has one model, so leave one out",
                param_hint="--embedding-model",
            )
        for flag, value in (("--ruleset", self.ruleset), ("--book", self.book)):
            if value is not None and not self.store_mongodb:
                raise typer.BadParameter(
                    "a build is of the whole library, and reads what changed; this says which books --store-mongodb "
                    "writes: add that, or leave this out",
                    param_hint=flag,
                )
        if self.plan and self.store_mongodb:
            raise typer.BadParameter("a plan writes nothing; leave one of the two out", param_hint="--store-mongodb")

    @property
    def model(self) -> str | None:
        """The embedder that either flag names."""
        return self.embedder or self.embedding_model

    def check_server(self) -> None:
        """Ask the server before the work is done, where there is one to write to.

        Raises:
            UnreadableSettingsError: none is named.
            StoreUnavailableError: it cannot be reached.
        """
        if self.store_mongodb:
            mongodb().close()

    def hand_over(self, root: Path, *, quiet: bool) -> None:
        """Write what went live in the home at `root` to the server, where that was asked for.

        Raises:
            UnknownNameError: the library has no such book or ruleset.
        """
        if not self.store_mongodb:
            return
        with projected(root) as projection, closing(mongodb()) as server:
            written = write(projection, server, chosen(self.ruleset, self.book))
            if not quiet:
                print_written(server.name, written)
