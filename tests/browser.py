"""A real browser, and a real JupyterLab and Voilà to drive with it, for the browser tests and for benchmarks/startup.py.

The browser is one already on the machine, else Debian's package where it may be installed, else Playwright's own download.
"""

import json
import os
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psutil
from playwright.sync_api import Browser, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC_APPLICATIONS = ("Google Chrome", "Chromium")
DEBIAN_PACKAGES = ("chromium", "fonts-dejavu-core")
SWITCHES = [
    "--no-sandbox",  # Chromium refuses to run as root, as in a container, without it
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
TOKEN = secrets.token_hex(16)
NEWS = "@jupyterlab/apputils-extension:announcements"  # its question covers a corner of the first page


class NoBrowser(Exception):
    """No browser is on this machine and none can be installed: what was tried, how to mend."""


def find_browser(playwright: Playwright) -> str:
    """Return the path of a browser that Playwright can drive, installing one where there is none; raise NoBrowser."""
    return installed(playwright) or from_debian() or from_playwright(playwright)


def installed(playwright: Playwright) -> str | None:
    """Return a browser that is already here."""
    candidates = [shutil.which(name) for name in NAMES]
    candidates += [f"/Applications/{name}.app/Contents/MacOS/{name}" for name in MAC_APPLICATIONS]
    candidates.append(playwright.chromium.executable_path)  # what `playwright install chromium` left
    return next((path for path in candidates if path and Path(path).exists()), None)


def from_debian() -> str | None:
    """Install Debian's Chromium, where there is apt-get and we may use it."""
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return None
    print("no browser found: installing Debian's package chromium")
    install = ["apt-get", "install", "-y", "--no-install-recommends", *DEBIAN_PACKAGES]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], install):
        if subprocess.run(command, env=environment, capture_output=True).returncode:
            return None
    return shutil.which("chromium")


def from_playwright(playwright: Playwright) -> str:
    """Download Playwright's Chromium; raise NoBrowser where that fails."""
    print("no browser found: downloading Playwright's Chromium")
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    download = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    path = playwright.chromium.executable_path
    if download.returncode or not Path(path).exists():
        errors = [line.strip() for line in download.stdout.splitlines() if "Error" in line]
        raise NoBrowser(
            f"no browser: none of {', '.join(NAMES)} is here, apt-get is absent, not ours to use or failed, and "
            f"`playwright install chromium` failed: {errors[0] if errors else 'no reason given'}. "
            f"Install Chromium or Chrome and run the tests again."
        )
    return path


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Open a headless browser; raise NoBrowser where none can be had."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(playwright), args=SWITCHES)
        try:
            yield browser
        finally:
            browser.close()


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab server: its folder, its address and the seconds until its port answered."""

    root: Path
    url: str
    seconds: float

    def page(self, path: str) -> str:
        """Return the address of a file in JupyterLab, in a fresh workspace."""
        return f"{self.url}/lab/tree/{path}?reset&token={TOKEN}"


def course_copy(root: Path, course: Path) -> Path:
    """Copy into root what a learner and an instructor need, and put fresh learner notebooks into its work/; return root."""
    shutil.copy(course / "nbgrader_config.py", root)
    shutil.copytree(course / "solutions", root / "solutions")
    shutil.copytree(course / "notebooks", root / "work")
    (root / "autograder" / "exchange").mkdir(parents=True)
    return root


@contextmanager
def jupyterlab(root: Path) -> Iterator[Lab]:
    """Run JupyterLab on a free port of this machine, with settings of its own, until the block ends."""
    port = free_port()
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={TOKEN}"]
    (root / ".jupyter" / "labconfig").mkdir(parents=True)
    (root / ".jupyter" / "labconfig" / "page_config.json").write_text(json.dumps({"disabledExtensions": {NEWS: True}}))
    with serving(command, port, root, root / "jupyterlab.log") as server:
        yield Lab(root, f"http://127.0.0.1:{port}", server.seconds)


@dataclass(frozen=True)
class Voila:
    """The page of all demos as `make demos` shows it: its address, the seconds until its port answered, its log and its process."""

    url: str
    seconds: float
    log: Path
    pid: int

    def num_kernels(self) -> int:
        """Return how many kernels it has started and not ended."""
        return sum(map(is_kernel, psutil.Process(self.pid).children(recursive=True)))


def is_kernel(process: psutil.Process) -> bool:
    """Tell whether a process is a kernel, and alive."""
    try:
        return "ipykernel_launcher" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # it ended in between, or waits for its parent to take notice
        return False


@contextmanager
def voila(course: Path, root: Path, *flags: str) -> Iterator[Voila]:
    """Run `make demos` of a course on a free port, with settings of its own and its log in root, until the block ends."""
    port = free_port()
    command = ["make", "--assume-old=.venv/learner", "--assume-old=.venv/demos", "demos"]
    command.append(f"PYTHON={shlex.quote(sys.executable)}")  # the folder may have a blank in its name
    command += [f"DEMOS_FLAGS={' '.join(['--no-browser', f'--port={port}', '--Voila.port_retries=0', *flags])}"]
    with serving(command, port, course, root / "voila.log", settings=root) as server:
        yield Voila(f"http://127.0.0.1:{port}", server.seconds, root / "voila.log", server.pid)


class Server(NamedTuple):
    """A running server: its process and the seconds until its port answered."""

    pid: int
    seconds: float


@contextmanager
def serving(command: list[str], port: int, folder: Path, log: Path, settings: Path | None = None) -> Iterator[Server]:
    """Run a server in a folder, with settings of its own (in that folder or another), until the block ends."""
    settings = settings or folder
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),  # formgrader calls alembic
        "JUPYTER_CONFIG_DIR": str(settings / ".jupyter"),
        "IPYTHONDIR": str(settings / ".ipython"),
    }
    start = time.perf_counter()
    with log.open("w") as output:
        server = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        wait_for_port(port, server, log)
        yield Server(server.pid, time.perf_counter() - start)
    finally:
        stop(server, signal.SIGTERM)
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            stop(server, signal.SIGKILL)
            server.wait()


def stop(server: subprocess.Popen, kind: signal.Signals) -> None:
    """Send a signal to a server and to what it has started in its own session, such as the program that make runs."""
    with suppress(ProcessLookupError):
        os.killpg(server.pid, kind)


def free_port() -> int:
    """Return a port of this machine that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port: int, server: subprocess.Popen, log: Path, seconds: float = 90) -> None:
    """Wait until the server accepts connections; raise RuntimeError with the end of its log where it does not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(
        f"{log.stem} did not answer on port {port} within {seconds:g} s; its log ends:\n{log.read_text()[-2000:]}"
    )
