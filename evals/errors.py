"""Errors that `evals` raises on purpose; all are a RetrievalError, so callers need only one `except`.

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
    """Base class of the errors of `evals`; `problems` has a sentence for each problem."""

    def __init__(self, headline: str, problems: Sequence[str] = ()) -> None:
        self.headline, self.problems = headline, tuple(problems)
        shown = [f"\n  {problem}" for problem in self.problems[:_SHOWN]]
        more = len(self.problems) - _SHOWN
        super().__init__(headline + "".join(shown) + (f"\n  and {more} more" if more > 0 else ""))


class QuestionsError(EvaluationError):
    """Raised if a file of questions cannot be used; has every problem with file and line."""


class UnresolvedGoldError(EvaluationError):
    """Raised if questions and chunks have nothing in common."""


class ExperimentError(EvaluationError):
    """Raised if an experiment cannot be run as requested."""


class RunFileError(EvaluationError):
    """Raised if a TREC file cannot be written."""


class AcceptanceError(EvaluationError):
    """Raised if a bound or a file of saved scores cannot be used."""
