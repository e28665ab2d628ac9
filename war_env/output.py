"""The output of commands: a reader that goes away, or a full disk, ends them without a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

READER_GONE = 141  # what shells report for a command that ended by SIGPIPE


@contextmanager
def tidy_output() -> Iterator[None]:
    """Run a command and write out what it printed.

    A reader that has seen enough, as `head`, ends it with exit code 141; output that cannot be written for another
    reason ends it with a line on the standard error and exit code 2.
    """
    try:
        try:
            yield
        finally:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
    except BrokenPipeError:
        _let_go()
        raise SystemExit(READER_GONE) from None
    except OSError as error:
        _let_go()
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def _let_go() -> None:
    """Send what is still kept back nowhere, so that Python does not try it again at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
