"""Retrieval over reference books whose table rows are near-twins: every row knows which questions it is for.

::

    from pathlib import Path
    from retrieval import Retriever

    found = Retriever.open(Path(".querymust")).retrieve("What does a 7th level cleric need to hit AC 6?")
    for hit in found.hits:
        print(hit.rank, hit.chunk.title)

The public names cover search, answers, conditions in questions, predicates, and building and loading an index. Errors
are in `retrieval.errors`; records of the contract in `retrieval.rag.contract`.

A name is imported when it is first used: a command that only shows its help stays fast. The names are listed in
`__init__.pyi`, which both type checkers and lazy_loader read.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
