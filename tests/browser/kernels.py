"""Kernels for JupyterLab, forked from one process that has imported most of what they need.

Imports are most of what a kernel costs, and a run of the tests starts more than a hundred. The
libraries of widgets are not among them: they look, as they are imported, for the kernel they are
in. And audiencelab is what is tested.

`python kernels.py` waits in the folder in which it is started. `python kernels.py FOLDER FILE` is
what JupyterLab starts as a kernel with this connection file, and stops and interrupts.
"""

from __future__ import annotations

import gc
import marshal
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module

ADDRESS = "kernels.socket"
LIBRARIES = (
    "ipykernel.kernelapp",
    "ipykernel.debugger",
    "altair",
    "httpx",
    "pandas",
    "scipy.special",
)


def launch(folder: str, file: str) -> int:
    """Have a kernel forked, pass signals on to it, and wait until it ends."""
    # Without pathlib, which takes longer to import than all of this does.
    request = marshal.dumps((file, os.getcwd(), dict(os.environ)))  # noqa: PTH109
    # Its address from here: a socket's may not be long.
    os.chdir(folder)
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(ADDRESS)
        server.sendall(request)
        answers = server.makefile("rb")
        kernel: int = marshal.load(answers)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: os.killpg(kernel, number))
        return marshal.load(answers)


def serve() -> None:
    """Fork a kernel for each launcher, and end it with its launcher."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(ADDRESS)
    listener.listen()
    # A kernel ends with its parent, whose number ipykernel reads as it is imported.
    os.environ["JPY_PARENT_PID"] = str(os.getpid())
    del sys.path[0]
    for library in LIBRARIES:
        import_module(library)
    # Collecting garbage would write to all that the kernels share.
    gc.freeze()
    # Each kernel twice: one socket closes when its launcher ends, the other when it ends itself.
    kernels: dict[socket.socket, tuple[int, socket.socket, socket.socket]] = {}
    while True:
        for ready in select.select([listener, *kernels], [], [])[0]:
            if ready is listener:
                launcher, _ = listener.accept()
                if not (request := asked_by(launcher)):
                    launcher.close()
                    continue
                alive, kept = socket.socketpair()
                kernel = os.fork()
                if not kernel:
                    leave([listener, alive, *kernels], launcher)
                    become_kernel(*request)
                kept.close()
                kernels[launcher] = kernels[alive] = (kernel, launcher, alive)
            elif ready in kernels:
                kernel, launcher, alive = kernels[ready]
                if ready is launcher:
                    os.kill(kernel, signal.SIGKILL)
                status = os.waitstatus_to_exitcode(os.waitpid(kernel, 0)[1])
                with suppress(OSError):
                    launcher.sendall(marshal.dumps(status))
                for end in (launcher, alive):
                    del kernels[end]
                    end.close()


def asked_by(launcher: socket.socket) -> tuple[str, str, dict[str, str]] | None:
    """The file, folder and environment of a kernel; None where a launcher has ended meanwhile.

    All kernels would end with this process.
    """
    with suppress(EOFError, OSError), launcher.makefile("rb") as requests:
        return marshal.load(requests)
    return None


def leave(inherited: list[socket.socket], launcher: socket.socket) -> None:
    """Be a process of its own, and tell its launcher which."""
    os.setsid()
    for each in inherited:
        each.close()
    with launcher:
        launcher.sendall(marshal.dumps(os.getpid()))


def become_kernel(file: str, folder: str, environment: dict[str, str]) -> None:
    """Be a kernel until it ends."""
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["ipykernel_launcher", "-f", file]
    sys.exit(sys.modules["ipykernel.kernelapp"].launch_new_instance())


if __name__ == "__main__":
    sys.exit(launch(*sys.argv[1:]) if sys.argv[1:] else serve())
