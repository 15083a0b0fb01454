"""Threads, progress, cancelling and devices. None of them changes a result."""
from __future__ import annotations

import operator
from typing import Any, Callable, TypeVar

from . import _kith
from ._errors import ArgumentTypeError
from ._kith import CancelToken as CancelToken
from .typing import Progress, ProgressFunction

Made = TypeVar("Made")


class TqdmProgress:
    """Shows the progress of a call as tqdm bars, one per stage: ``kith.knn(x, k=8, progress=TqdmProgress())``.

    Keyword arguments are passed to ``tqdm.auto.tqdm``. ``progress=True`` is a short form of
    ``progress=TqdmProgress()``.
    """

    def __init__(self, **options: Any) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("progress: bars need tqdm; install it, or pass a function of "
                              "(stage, done, total)") from error
        self._tqdm = tqdm
        self._options = options
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        # Stages "CALL: STAGE" share the bar of their call.
        if self._bar is None or stage.partition(":")[0] != self._stage.partition(":")[0]:
            self.close()
            self._bar = self._tqdm(total=total, desc=stage, unit_scale=True, **self._options)
        elif stage != self._stage:
            self._bar.set_description(stage)
        self._stage = stage
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Closes the current bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def carry_out(function: Callable[..., Made], *arguments: Any, threads: int | None = None, progress: Progress = None,
              cancel: CancelToken | None = None, device: str = "cpu") -> Made:
    """Calls a function of the extension module, whose last argument is how to carry it out."""
    count = 0 if threads is None else operator.index(threads)
    if cancel is not None and not isinstance(cancel, CancelToken):
        raise ArgumentTypeError(f"cancel = {cancel!r}; give a kith.CancelToken")
    if not isinstance(device, str):
        raise ArgumentTypeError(f"device = {device!r}; give 'cpu', 'gpu', or 'gpu:1' for the second one")
    if progress is None or progress is False:
        return function(*arguments, _kith.Call(count, None, cancel, device))
    shown: ProgressFunction = TqdmProgress() if progress is True else progress
    if not callable(shown):
        raise ArgumentTypeError(f"progress = {shown!r}; give a function of (stage, done, total), or True for bars")
    try:
        return function(*arguments, _kith.Call(count, shown, cancel, device))
    finally:
        close = getattr(shown, "close", None)
        if close is not None:
            close()
