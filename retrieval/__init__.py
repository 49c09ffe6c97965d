"""Retrieval over reference books whose table rows are near-twins: every row knows which questions it is for.

::

    from pathlib import Path
    from retrieval import Retriever

    found = Retriever.open(Path(".querymust")).retrieve("What does a 7th level cleric need to hit AC 6?")
    for hit in found.hits:
        print(hit.rank, hit.chunk.title)

The public names are the search, the answers, what conditions of a question are read with, predicates, and what builds
and loads an index. Errors are in `retrieval.errors`; records of the contract in `retrieval.rag.contract`.

A name is imported when it is first used: a command that only shows its help stays fast. The names stand in
`__init__.pyi`, which type checkers read and lazy_loader too.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
