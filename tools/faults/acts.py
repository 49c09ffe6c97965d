"""What is interrupted, as programs: `acts build HOME`, `acts ingest HOME DOCUMENTS`; and what must be so
after the next one, `acts settled HOME`. What they raise on purpose is one line and status 2, as the command has it."""

import sys
from pathlib import Path

from pipeline.console.output import err, print_error
from retrieval.errors import RetrievalError
from retrieval.files.locks import holder, write_lock
from retrieval.home import Home
from retrieval.rag.contract import read_rule_documents
from retrieval.rag.pipeline import RAGPipeline


def build_home(root: Path) -> None:
    """Build a home in this process, as the process does that `querymust build` starts."""
    from pipeline.runs.build import build  # loads Dagster, which an ingestion does without

    home = Home.at(root)
    with write_lock(home.root):
        done = build(home)
    for sentence in done.sentences:
        print_error(sentence)
    sys.exit(bool(done.problems))


def ingest(root: Path, documents: Path) -> None:
    """Bring the documents of a folder into a home; why some could not be brought in is said once for all of them."""
    done = RAGPipeline(root).ingest(read_rule_documents(documents))
    output = [sentence.partition(": ") for sentence in done.warnings]
    for reason in dict.fromkeys(reason for name, _, reason in output if name in done.errors):
        print_error(reason)
    sys.exit(bool(done.errors))


def settled(root: Path) -> None:
    """Fail if anybody seems to be at work in a home: its lock is held, or Dagster calls a run unfinished."""
    if (who := holder(root)) is not None:
        err.print(f"{who} still holds {root}")
        sys.exit(1)
    if not Home.at(root).dagster.is_dir():
        return
    import dagster as dg

    from pipeline.defs.job_runs import UNFINISHED
    from pipeline.runs.in_process import dagster_instance

    with dagster_instance(Home.at(root)) as instance:
        runs = instance.get_runs(dg.RunsFilter(statuses=list(UNFINISHED)))
    for run in runs:
        err.print(f"run {run.run_id} of {run.job_name} is {run.status.value} for ever")
    sys.exit(bool(runs))


def main() -> None:
    """Do what the arguments say."""
    act, root, *others = sys.argv[1:]
    try:
        if act == "ingest":
            ingest(Path(root), Path(others[0]))
        else:
            {"build": build_home, "settled": settled}[act](Path(root))
    except RetrievalError as error:
        print_error(str(error))
        sys.exit(2)


if __name__ == "__main__":
    main()
