"""Ctrl-C in the middle of some work, kept from reaching anything but that work."""

import signal
import threading
import time
from contextlib import contextmanager


@contextmanager
def ctrl_c_after(seconds):
    """Interrupt the work inside; yield a list that gets the processor time at which the signal was sent.

    Work that ends before the signal fails the test by name: the signal is not sent then, as it would
    strike whatever runs next.
    """
    sent = []
    over = threading.Event()

    def send():
        if not over.wait(seconds):
            sent.append(time.process_time())
            signal.raise_signal(signal.SIGINT)

    def strike(*_):
        if not over.is_set():
            raise KeyboardInterrupt

    sender = threading.Thread(target=send)
    before = signal.signal(signal.SIGINT, strike)
    sender.start()
    try:
        yield sent
    finally:
        over.set()
        sender.join()
        signal.signal(signal.SIGINT, before)
        assert sent, f"the work ended before it was interrupted after {seconds} seconds"
