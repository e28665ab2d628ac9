"""Workers that end with the process that started them, also where that one is killed and cannot tell them."""

from __future__ import annotations

import os
import threading
import time

_SECONDS = 1.0  # between two looks


def follow(parent: int) -> None:
    """Let this process, which `parent` has started, end soon after it.

    Workers of loky would wait five minutes for more work first, with all their memory.
    """
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS)
    os._exit(1)
