"""The inner layer of the sandbox: a child of the warm forkserver shuts itself in before it runs a submission.

The forkserver already lives in bubblewrap (autograder/sandbox.py): a read-only system, no network, nothing of the course but its package. Here
each child gets what must be its own: process, mount and network namespaces with a loopback; empty /tmp, /dev/shm and work folder in memory; a
user id that nobody else has; limits; fewer system calls (calls.py); and no way to gain rights. bubblewrap cannot do this part, as it starts a
program anew, and what makes grading fast is a process that has imported PyTorch already. The calls are those of namespaces(7), mount(2), capabilities(7) and prctl(2).
"""

import ctypes
import fcntl
import os
import re
import resource
import secrets
import signal
import socket
import struct
from pathlib import Path

from autograder.inside import calls

WORK = "/submission"  # the work folder, as a submission sees it
PRIVATE = (WORK, "/tmp", "/dev/shm")
OPEN_FILES = 1024  # of a process; the kernel keeps memory for each that is counted nowhere

NEW_MOUNTS, NEW_NAMES, NEW_IPC, NEW_USERS, NEW_PIDS, NEW_NETWORK = 1 << 17, 1 << 26, 1 << 27, 1 << 28, 1 << 29, 1 << 30
NO_SETUID, NO_DEVICES, BIND, RECURSIVE, PRIVATE_MOUNT = 1 << 1, 1 << 2, 1 << 12, 1 << 14, 1 << 18
SET_FLAGS, UP = 0x8914, 1  # of a network interface
DIE_WITH_PARENT, NO_NEW_PRIVILEGES, CAPABILITIES_3 = 1, 38, 0x20080522

libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments, what: str = "") -> None:
    """Call a function of the C library; raise OSError where it fails."""
    if getattr(libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name} {what}: {os.strerror(number)}")


def leave_host() -> int:
    """Take namespaces of its own for what this process forks next; return the user id that it is to have."""
    user, group, own = os.getuid(), os.getgid(), 2**30 + secrets.randbelow(2**29)
    alone = not can_change_user()
    namespaces = NEW_MOUNTS | NEW_NAMES | NEW_IPC | NEW_PIDS | NEW_NETWORK | (NEW_USERS if alone else 0)
    call("unshare", namespaces)
    if alone:
        for file, text in (("setgroups", "deny"), ("uid_map", f"{own} {user} 1"), ("gid_map", f"{own} {group} 1")):
            Path("/proc/self", file).write_text(text)
    return own


def can_change_user() -> bool:
    """Tell whether there is more than one user id here: not where the grader is no root, since bubblewrap may then map its own only."""
    return int(Path("/proc/self/uid_map").read_text().split()[2]) > 1


def enter(own: int, limits: dict) -> None:
    """Shut in this process, the first in the namespaces that its parent has taken."""
    mount(None, "/", None, RECURSIVE | PRIVATE_MOUNT)
    covered = [(os.open(path, os.O_PATH), path) for path in mounted_in("/tmp")]
    for folder in PRIVATE:
        options = f"size={limits['file_bytes']},mode=700,uid={own},gid={own}"
        mount("tmpfs", folder, "tmpfs", NO_SETUID | NO_DEVICES, options)
    for handle, path in covered:
        (path if Path(f"/proc/self/fd/{handle}").is_dir() else path.parent).mkdir(parents=True, exist_ok=True)
        path.exists() or path.touch()
        mount(f"/proc/self/fd/{handle}", str(path), None, BIND | RECURSIVE)
    mount("proc", "/proc", "proc", NO_SETUID | NO_DEVICES)
    Path("/proc/self/oom_score_adj").write_text(
        "1000"
    )  # it ends before the grader where this machine's memory runs out
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:  # ranks talk over 127.0.0.1
        fcntl.ioctl(handle, SET_FLAGS, struct.pack("16sh14x", b"lo", UP))
    if can_change_user():
        os.setgroups([])
        os.setresgid(own, own, own)
        os.setresuid(own, own, own)
    set_limits(limits)
    call("capset", struct.pack("Ii", CAPABILITIES_3, 0), bytes(24))
    call("prctl", NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    call("prctl", DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    calls.refuse()
    os.chdir(WORK)


def mounted_in(folder: str) -> list[Path]:
    """Return where something is mounted below a folder: there, a course or its Python may stand."""
    places = (line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines())
    plain = (re.sub(r"\\(\d{3})", lambda found: chr(int(found[1], 8)), place) for place in places)
    return [Path(place) for place in plain if place.startswith(f"{folder}/")]


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    """Call mount(2)."""
    names = (text.encode() if text else None for text in (source, target, kind))
    call("mount", *names, ctypes.c_ulong(flags), options.encode() if options else None, what=target)


def set_limits(limits: dict) -> None:
    """Set what the kernel limits: of each process memory, seconds and the size of a file, of the user the number of processes."""
    for kind, value in (
        (resource.RLIMIT_DATA, limits["memory"]),
        (resource.RLIMIT_FSIZE, limits["file_bytes"]),
        (resource.RLIMIT_NPROC, limits["processes"]),
        (resource.RLIMIT_CPU, limits["notebook_seconds"]),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (value, value))
