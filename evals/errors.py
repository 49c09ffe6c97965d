"""What `evals` raises on purpose; all of it is a RetrievalError, so one `except` serves a caller.

::

    EvaluationError
      x QuestionsError         a file of questions cannot be used; every problem with file and line
      x UnresolvedGoldError    questions and chunks have nothing in common
      x ExperimentError        an experiment cannot be run as it was asked for; every problem
      x RunFileError           a TREC file cannot be written
      x AcceptanceError        a bound or a file of saved scores cannot be used
"""

from collections.abc import Sequence

from retrieval.errors import RetrievalError

_SHOWN = 20


class EvaluationError(RetrievalError):
    """Base class of everything below; `problems` holds one sentence each."""

    def __init__(self, headline: str, problems: Sequence[str] = ()) -> None:
        self.headline, self.problems = headline, tuple(problems)
        shown = [f"\n  {problem}" for problem in self.problems[:_SHOWN]]
        more = len(self.problems) - _SHOWN
        super().__init__(headline + "".join(shown) + (f"\n  and {more} more" if more > 0 else ""))


class QuestionsError(EvaluationError):
    """A file of questions cannot be used; every problem with file and line."""


class UnresolvedGoldError(EvaluationError):
    """Questions and chunks have nothing in common."""


class ExperimentError(EvaluationError):
    """An experiment cannot be run as it was asked for."""


class RunFileError(EvaluationError):
    """A TREC file cannot be written."""


class AcceptanceError(EvaluationError):
    """A bound or a file of saved scores cannot be used."""
