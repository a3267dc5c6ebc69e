"""What a submission may not ask of the kernel: a filter of system calls, made with libseccomp.

Refused is what could use memory that the guard does not see, gain rights in new namespaces, reach the keys of whoever grades, look into other
processes, or reach parts of the kernel in which holes were found again and again. Nothing in the course needs any of it.

usage: python -m autograder.inside.calls COMMAND …     to run a program without them
"""

import ctypes
import errno
import os
import sys

LIBRARY = "libseccomp.so.2"
REFUSED = (
    *("memfd_create", "memfd_secret", "shmget"),
    *("unshare", "setns"),
    *("keyctl", "add_key", "request_key"),
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd"),
    *("bpf", "userfaultfd", "perf_event_open", "io_uring_setup"),
)

ALLOW, REFUSE = 0x7FFF0000, 0x00050000
MASKED_EQUAL = 7
NEW_USERS, SHARED_WITHOUT_FILE = 1 << 28, 0x21


class Argument(ctypes.Structure):
    """A condition on an argument of a call: (argument & mask) == value."""

    _fields_ = (
        ("number", ctypes.c_uint),
        ("operation", ctypes.c_int),
        ("mask", ctypes.c_uint64),
        ("value", ctypes.c_uint64),
    )


def refuse() -> None:
    """Refuse these calls to this process and all that it starts, from now on; raise OSError where that cannot be done."""
    library = ctypes.CDLL(LIBRARY)
    library.seccomp_init.restype = ctypes.c_void_p
    rules = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(ALLOW)))

    def add(name: str, error: int, *conditions: Argument) -> None:
        call = library.seccomp_syscall_resolve_name(name.encode())
        array = (Argument * len(conditions))(*conditions)
        failed(library.seccomp_rule_add_array(rules, ctypes.c_uint32(REFUSE | error), call, len(conditions), array))

    for name in REFUSED:
        add(name, errno.EPERM)
    add("clone3", errno.ENOSYS)  # its arguments cannot be looked at; the C library then calls clone
    add("clone", errno.EPERM, Argument(0, MASKED_EQUAL, NEW_USERS, NEW_USERS))
    add("mmap", errno.EPERM, Argument(3, MASKED_EQUAL, SHARED_WITHOUT_FILE, SHARED_WITHOUT_FILE))
    failed(library.seccomp_load(rules))
    library.seccomp_release(rules)


def failed(result: int) -> None:
    """Raise OSError where a function of libseccomp has failed."""
    if result < 0:
        raise OSError(-result, f"{LIBRARY}: the filter of system calls cannot be set")


if __name__ == "__main__":
    refuse()
    os.execvp(sys.argv[1], sys.argv[1:])
