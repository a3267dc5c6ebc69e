"""The outer layer of the sandbox: the command that starts Python in bubblewrap, with a read-only system and nothing of the course but its package.

The warm forkserver of autograder/executor.py lives in it, and so does each kernel of `--kernel`. The inner layer is autograder/inside/enclosure.py.
"""

import ctypes
import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

from autograder.inside.calls import LIBRARY
from autograder.inside.enclosure import WORK

COURSE = Path(__file__).parent.parent
SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/fonts",
    "/etc/localtime",
    "/etc/alternatives",
)
VISIBLE = ("largebatch", "data", "examples", "autograder/__init__.py", "autograder/inside")  # of the course
# What the forkserver of a root needs to shut in its children, who give all of it up. Others may do that in a user namespace of their own.
RIGHTS = ("CAP_SYS_ADMIN", "CAP_NET_ADMIN", "CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_KILL", "CAP_DAC_OVERRIDE")
HOME = "/tmp"
ENVIRONMENT = {
    "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
    "HOME": HOME,
    "IPYTHONDIR": f"{HOME}/ipython",
    "MPLCONFIGDIR": f"{HOME}/matplotlib",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "LANG": "C.UTF-8",
    "OMP_NUM_THREADS": "1",  # two notebooks at a time share the cores; and a process with threads cannot be forked
    "CUDA_VISIBLE_DEVICES": "",
    "NBGRADER_EXECUTION": "autograde",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONPATH": str(COURSE),
}
OF_SANDBOX = ("PATH", "HOME", "IPYTHONDIR", "MPLCONFIGDIR")  # these make no sense outside of it


class NoSandbox(Exception):
    """There is no bubblewrap, or it may not do what it must: how to mend it."""


@functools.cache
def require() -> None:
    """Raise NoSandbox, with what to do, where submissions cannot be shut in on this machine."""
    if sys.platform != "linux":
        raise NoSandbox("it needs Linux; grade in a virtual machine that runs it")
    if not shutil.which("bwrap"):
        raise NoSandbox(
            "bubblewrap is not installed: sudo apt-get install bubblewrap (Fedora: sudo dnf install bubblewrap)"
        )
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        raise NoSandbox(
            "libseccomp is not installed: sudo apt-get install libseccomp2 (Fedora: sudo dnf install libseccomp)"
        ) from None
    probe = subprocess.run(
        [
            *command(),
            sys.executable,
            "-c",
            "from autograder.inside import calls, enclosure; enclosure.leave_host(); calls.refuse()",
        ],
        capture_output=True,
        text=True,
    )
    if probe.returncode:
        raise NoSandbox(
            f"bubblewrap is here but may not make a sandbox ({(probe.stderr.strip().splitlines() or ['no reason given'])[-1]}). On Ubuntu from "
            "23.10 on, allow user namespaces: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0. Most containers do not allow any"
        )


def open_command() -> list[str]:
    """Return the beginning of a command line that runs the rest of it with the same settings and no sandbox at all."""
    return ["env", *(f"{name}={value}" for name, value in ENVIRONMENT.items() if name not in OF_SANDBOX)]


def command(*writable: str) -> list[str]:
    """Return the beginning of a command line that runs the rest of it in the outer layer.

    writable : bubblewrap's arguments for the folders to write to; left out: none, as the inner layer brings its own
    """
    rights = [word for right in RIGHTS for word in ("--cap-add", right)]
    line = ["bwrap", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    line += ["--die-with-parent", "--new-session", "--clearenv"]
    line += (
        ["--cap-drop", "ALL", *rights] if os.geteuid() == 0 else ["--unshare-user", "--uid", "1000", "--gid", "1000"]
    )
    line += [word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value)]
    line += ["--proc", "/proc", "--dev", "/dev", *(writable or ("--tmpfs", HOME, "--dir", WORK))]
    shown = [*SYSTEM, *sorted({sys.prefix, sys.base_prefix}), *(str(COURSE / name) for name in VISIBLE)]
    for path in dict.fromkeys(path for path in shown if Path(path).exists()):
        line += [*parents(path), "--ro-bind", path, path]
    return [*line, "--remount-ro", "/", "--remount-ro", "/dev", "--chdir", WORK, "--"]


def parents(path: str) -> list[str]:
    """Return bubblewrap's arguments for the folders around one to show; it would let nobody else enter those that it makes itself."""
    above = reversed(Path(path).parents[:-1])
    return [word for parent in above for word in ("--perms", "0755", "--dir", str(parent))]
