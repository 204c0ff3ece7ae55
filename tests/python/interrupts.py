"""Calls that nothing ends but Ctrl-C."""

import signal
import threading

import pytest


def check_ends_by_interrupt(call):
    """Interrupts a call after half a second, which raises `KeyboardInterrupt` then."""
    done = threading.Event()
    # A process that is started in the background ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt():
        if not done.wait(0.5):
            signal.raise_signal(signal.SIGINT)

    def run():
        call()
        done.wait(1.0)

    timer = threading.Thread(target=interrupt)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run()
    finally:
        done.set()
        timer.join()
        signal.signal(signal.SIGINT, before)
