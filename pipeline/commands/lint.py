"""`querymust lint`: what is wrong with the predicates and rows of an index."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.commands.options import DEFAULT_HOME, AllOption, HomeOption, JsonOption
from pipeline.console.output import counted, out, print_json

if TYPE_CHECKING:
    from pipeline.lint.inspection import Inspection

CROWDED = 0.5
"""Tables below this near-duplicate density are counted, not listed."""
TABLES_SHOWN = 5
"""Of each reason why tables are not guarded."""


def lint_index(
    home: HomeOption = DEFAULT_HOME,
    candidate: Annotated[
        bool, typer.Option("--candidate", help="The newest snapshot, even if it is not live.")
    ] = False,
    density: Annotated[
        bool, typer.Option("--density", help="List the tables that crowd a ranking, the densest first.")
    ] = False,
    all_: AllOption = False,
    json_: JsonOption = False,
) -> None:
    """Check every query_must and every row of the live index; exit with status 1 where there are errors.

    A predicate must be satisfiable, admit its own row's title, and not admit its siblings'. Every cell of a source
    table must be in exactly one chunk. The tables that are not guarded are listed with the reason.

    \b
    Examples:
      querymust lint
      querymust lint --all
      querymust lint --density
      querymust lint --candidate
      querymust lint --json
    """
    from pipeline.lint.inspection import inspect
    from retrieval.home import Home
    from retrieval.index.snapshot.snapshot import open_snapshot

    opened = Home.at(home)
    with open_snapshot(opened.root, opened.candidate if candidate else "live") as snapshot:
        result = inspect(opened, snapshot)
    if json_:
        print_json(record(result))
    else:
        _print(result, density=density, shown=None if all_ else TABLES_SHOWN)
    if result.n_errors:
        raise typer.Exit(1)


def record(found: Inspection) -> dict[str, object]:
    """An inspection as JSON values."""
    return {
        "snapshot": found.snapshot,
        "n_chunks": found.n_chunks,
        "n_guarded": found.n_guarded,
        "n_errors": found.n_errors,
        "findings": [
            asdict(finding) | {"severity": finding.severity, "title": found.titles[finding.id]}
            for finding in found.findings
        ],
        "fidelity": list(found.violations),
        "unmet": list(found.unmet),
        "books_without_records": list(found.unread),
        "tables": [asdict(table) for table in found.densities],
        "guards": [asdict(guard) for guard in found.guards],
    }


def _print(found: Inspection, *, density: bool, shown: int | None) -> None:
    from pipeline.lint.guarding import guards_in_words, unguarded_lines, why_none_is_guarded
    from retrieval.ingest.guarding import count_guards

    for finding in found.findings:
        out.print(f"{finding.severity}: {finding.rule}: {found.titles[finding.id]}")
        out.print(f"  {finding.message}  {finding.id}")
    for sentence in found.violations:
        out.print(f"error: fidelity: {sentence}")
    for sentence in found.unmet:
        out.print(f"warning: {sentence}")
    for slug in found.unread:
        out.print(f"{slug}: its records are not those of this snapshot; build it again to compare them")
    for line in unguarded_lines(found.guards, shown, "querymust lint --all"):
        out.print(line)
    if density:
        _print_densities(found)
    else:
        out.print(_crowded(found))
    if found.guards:
        out.print(guards_in_words(count_guards(found.guards)))
    if not found.n_guarded:
        out.print(why_none_is_guarded(len(found.densities)))
    warnings = len(found.findings) + len(found.violations) + len(found.unmet) - found.n_errors
    out.print(
        f"snapshot {found.snapshot}: {found.n_chunks} chunks, {found.n_guarded} guarded; "
        f"{found.n_errors} errors, {warnings} warnings"
    )


def _crowded(found: Inspection) -> str:
    crowded = sum(table.density >= CROWDED for table in found.densities)
    return (
        f"{crowded:,} of {counted(len(found.densities), 'table')} have a near-duplicate density of {CROWDED} or more"
        + ("; querymust lint --density lists them" if crowded else "")
    )


def _print_densities(found: Inspection) -> None:
    crowded = [table for table in found.densities if table.density >= CROWDED]
    if crowded:
        out.print("density   rows  guarded  table")
    for table in crowded:
        numbers = f"{table.density:>7.2f} {table.rows:>6} {table.guarded:>8}"
        out.print(f"{numbers}  {table.book}: {table.title}")
    out.print(f"{len(found.densities) - len(crowded)} tables have a near-duplicate density below {CROWDED}")
