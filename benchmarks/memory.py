"""How much memory growing a tree takes beyond the data, measured in a process of its own.

The kernel's high-water mark is reset just before the tree is grown. Run as a program, this file is that
process: `python memory.py PEER TASK ROWS DTYPE` prints megabytes.
"""

import ctypes
import gc
import subprocess
import sys
from pathlib import Path

from peers import PEERS

from data import noisy_rows


def extra_megabytes(peer: str, task: str, n_rows: int, dtype: str) -> float:
    """Megabytes that growing a tree takes at its peak, beyond what the process held before."""
    command = [sys.executable, __file__, peer, task, str(n_rows), dtype]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(run.stdout.split()[-1])


def _measured(peer: str, task: str, n_rows: int, dtype: str) -> float:
    grow = PEERS[peer].grow
    small = noisy_rows(1000, dtype, seed=1)
    large = noisy_rows(n_rows, dtype)
    classes = task == "gini"
    # A first small tree loads the libraries and starts their threads.
    grow(small.X, small.labels if classes else small.numbers, "classes" if classes else "numbers", None)
    before = start_mark()
    grow(large.X, large.labels if classes else large.numbers, "classes" if classes else "numbers", None)
    return since(before)


def start_mark() -> int:
    """Give freed memory back and reset the kernel's high-water mark; return the kilobytes held now."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def since(before: int) -> float:
    """Megabytes of the peak since then beyond what was held."""
    return (_status("VmHWM") - before) / 1024


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1])
    raise OSError(f"/proc/self/status has no {field}; memory is measured on Linux.")


if __name__ == "__main__":
    print(_measured(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]))
