"""Several files on their way at once: most of the time of a small one is the way to the place and back."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from retrieval.index.file_entry import FileEntry

AT_ONCE = 8


def each_of(files: Sequence[FileEntry], bring: Callable[[FileEntry], bool]) -> int:
    """Bring every file, the last one after all others; for how many it was said that they had to be.

    The first failure is raised; what has not begun by then does not begin.
    """
    *others, last = files
    with ThreadPoolExecutor(AT_ONCE) as pool:
        try:
            brought = sum(pool.map(bring, others))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return brought + bring(last)
