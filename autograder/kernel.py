"""`--kernel`: run each submission in a real IPython kernel of its own, for notebooks that need one, and as the mode whose sandbox others have audited.

bubblewrap shuts the kernel in, setpriv and prlimit (util-linux) take away its rights and set its limits; nbclient runs the cells. It is slow, as every
kernel imports everything anew. Two things are weaker than in executor.py: what a cell may take is measured by the clock alone; and checks run in
IPython beside their tripwires (inside/kernel.py), where whoever sets out to can reach both.
Where the grader is no root, the folder of the kernel's sockets stays writable for it, so that a submission could fill the disk.
"""

import ast
import asyncio
import functools
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from multiprocessing import Pipe
from multiprocessing.connection import Connection

import zmq
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner
from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from nbformat.v4 import new_code_cell, new_notebook, new_output
from traitlets import Instance, Tuple, Unicode

from autograder import sandbox
from autograder.executor import (
    ENDED,
    GARBLED,
    MEDDLED,
    MOST_TAMPERED,
    OPEN,
    SLOW,
    Executed,
    Fault,
    Job,
    Limits,
    keep_cell,
    readable,
    reason_of_guard,
    twice,
)
from autograder.inside.enclosure import OPEN_FILES, PRIVATE
from autograder.inside.shell import CUT, error_output

KERNEL = ["python", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
START_SECONDS = 120  # until a kernel answers, on a busy machine
NOT_OUTPUT = ("status", "execute_input")  # messages of a kernel that are no output of a cell


def execute(job: Job) -> Executed:
    """Run a submission and return what came of it, whatever it does."""
    if job.enclosed:
        require(job.limits)
    return twice(attempt, job)


def attempt(job: Job) -> Executed:
    """Run a submission in a kernel of its own."""
    done = Executed()
    with lifeline() as held, tempfile.TemporaryDirectory(prefix="kernel-") as folder:
        manager = Manager(job, folder, held)
        try:
            asyncio.run(Client(job, manager).run_all(done, folder))
        except Exception as error:  # of any kind, as a kernel may send anything
            if not done.ready:
                raise Fault(f"a kernel could not be started ({error}); is the machine very busy?") from error
            done.reason = reason_of_guard(manager.status, job.limits) or why(error)
            done.tampered += [MEDDLED] if done.reason == GARBLED else []
    return done


def why(error: Exception) -> str:
    """Return why a submission did not run to its end."""
    if isinstance(error, DeadKernelError):
        return ENDED
    return SLOW if isinstance(error, TimeoutError) else GARBLED


@contextmanager
def lifeline() -> Iterator[tuple[Connection, Connection]]:
    """Give the guard's end and the grader's end of a pipe; a kernel lives while the grader's is open."""
    theirs, ours = Pipe(duplex=False)
    OPEN.add(ours)
    with theirs, ours:
        yield theirs, ours
    OPEN.discard(ours)


# -- the cells -------------------------------------------------------------------------------------------------------------------


class Client(NotebookClient):
    """Runs the cells of a submission; what a cell shows beyond its limit is dropped."""

    def __init__(self, job: Job, manager: AsyncKernelManager):
        super().__init__(
            new_notebook(cells=[new_code_cell(cell["source"]) for cell in job.cells]),
            manager,
            timeout_func=self.time_left,
            timeout=START_SECONDS,  # for what the grader asks
            iopub_timeout=int(job.limits.cell_seconds),
            raise_on_iopub_timeout=True,
            interrupt_on_timeout=True,
            error_on_timeout={
                "ename": "TimeLimit",
                "evalue": "this cell took too long: is there a loop without an end?",
            },
            startup_timeout=START_SECONDS,
            allow_errors=True,
            on_cell_executed=keep_error,
        )
        self.job = job
        self.end = time.monotonic() + job.limits.notebook_seconds

    def time_left(self, _cell) -> float:
        """Return the seconds that a cell may take; raise TimeoutError where the notebook has had its time."""
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return min(left, self.job.limits.cell_seconds * self.job.limits.waiting_factor)

    async def run_all(self, done: Executed, folder: str) -> None:
        """Run the cells one after the other and keep what came of each."""
        manager = self.km
        await self.async_start_new_kernel(cwd=folder)
        try:
            await self.async_start_new_kernel_client()
            os.chown(folder, os.geteuid(), os.getegid())  # its sockets are there: nothing more may come
            if said := await self.ask("prepare", self.job.files, self.job.modules):
                raise Fault(f"a submission could not be prepared: {said[0]}")
            done.ready = True
            for index, cell in enumerate(self.job.cells):
                await self.run(index, cell, done)
            done.finished = True
        finally:
            if self.kc:
                self.kc.stop_channels()
            if manager.has_kernel:
                manager.status = await manager.provisioner.poll()
                await manager.shutdown_kernel(now=True)

    async def run(self, index: int, cell: dict, done: Executed) -> None:
        """Run one cell; a check with a look at the tripwires before and after, and without a trace in the history."""
        start = time.monotonic()
        self.left = self.job.limits.output_bytes
        before = await self.ask("caught", cell["source"]) if cell["check"] else []
        outputs = (await self.async_execute_cell(self.nb.cells[index], index, store_history=not cell["check"])).outputs
        after = await self.ask("caught", cell["source"]) if cell["check"] else []
        seconds = time.monotonic() - start
        done.tampered = list(dict.fromkeys([*done.tampered, *before, *after]))[:MOST_TAMPERED]
        keep_cell(
            {"cell": cell["index"], "outputs": outputs, "error": None, "seconds": seconds}, cell, done, self.job.limits
        )

    async def ask(self, function: str, *arguments) -> list[str]:
        """Return the answer of a function of inside/kernel.py; what is no answer counts as caught."""
        call = f"__import__('autograder.inside.kernel', fromlist=['kernel']).{function}(*{arguments!r})"
        asked = self.kc.execute("", silent=True, user_expressions={"answer": call})
        reply = await self.async_wait_for_reply(asked)
        try:
            answer = ast.literal_eval(reply["content"]["user_expressions"]["answer"]["data"]["text/plain"])
            return [readable(what) for what in answer or []]
        except (KeyError, TypeError, ValueError, SyntaxError):
            return ["the kernel does not answer the grader"]

    def process_message(self, message, cell, cell_index):
        """Take what a cell shows, up to its limit."""
        if message["msg_type"] not in NOT_OUTPUT:
            had_room = self.left >= 0
            self.left -= len(str(message["content"]))
            if self.left < 0:
                cell.outputs += [new_output("stream", text=CUT)] if had_room else []
                return None
        return super().process_message(message, cell, cell_index)


def keep_error(cell, execute_reply, **_more) -> None:
    """See that a cell that failed shows an error, even where the error was not shown: a check that shows none has all its points."""
    reply = execute_reply["content"]
    if reply["status"] != "ok" and not any(output.output_type == "error" for output in cell.outputs):
        cell.outputs.append(
            new_output(**error_output(str(reply.get("ename", "NotRun")), str(reply.get("evalue", "it was not run"))))
        )


# -- the kernel -------------------------------------------------------------------------------------------------------------------


class Manager(AsyncKernelManager):
    """Starts one kernel, for one submission."""

    kernel_spec = Instance(KernelSpec)

    def __init__(self, job: Job, folder: str, lifeline: tuple[Connection, Connection]):
        config = {"job": job, "folder": folder, "lifeline": lifeline}
        metadata = {"kernel_provisioner": {"provisioner_name": "enclosed", "config": config}}
        spec = KernelSpec(argv=KERNEL, interrupt_mode="message", metadata=metadata)
        # Sockets are files, as the kernel's network is its own.
        super().__init__(kernel_spec=spec, transport="ipc", connection_file=f"{folder}/connection.json")
        self.most = job.limits.file_bytes
        self.status: int | None = None  # with which the guard has ended

    def client(self, **settings):
        """Return a client that takes no message larger than a file may be: a kernel must not fill the grader's memory."""
        client = super().client(**settings)
        client.context.setsockopt(zmq.MAXMSGSIZE, self.most)
        return client


class Enclosed(LocalProvisioner):
    """Starts a kernel in the outer layer of the sandbox, with a guard.

    folder   : of its connection file and its sockets, the only one that it shares with the grader
    lifeline : see there
    """

    job, folder, lifeline = Instance(Job), Unicode(), Tuple()

    async def pre_launch(self, **settings):
        """Write the connection file and return how to start the kernel."""
        settings = await super().pre_launch(**settings)
        own = 2**30 + secrets.randbelow(2**29)
        if self.job.enclosed and os.geteuid() == 0:
            for path in (self.folder, self.parent.connection_file):
                os.chown(path, own, own)
        theirs = self.lifeline[0].fileno()
        line = [*shut_in(self.job, own, self.folder, theirs), *settings["cmd"]]
        nowhere = {name: subprocess.DEVNULL for name in ("stdin", "stdout", "stderr")}
        return settings | nowhere | {"cmd": line, "pass_fds": [theirs], "independent": True}

    async def kill(self, restart: bool = False) -> None:
        """Let the guard end the kernel; in the sandbox, end that as well."""
        self.lifeline[1].close()
        if self.job.enclosed:
            await super().kill(restart)


KernelProvisionerFactory.instance().provisioners["enclosed"] = EntryPoint(
    "enclosed", f"{__name__}:Enclosed", KernelProvisionerFactory.GROUP_NAME
)


def shut_in(job: Job, own: int, folder: str, lifeline: int) -> list[str]:
    """Return the beginning of a command line that runs the rest of it as a submission; own: the user id that it is to have."""
    guard = [sys.executable, "-m", "autograder.inside.guard", str(lifeline)]
    limits = job.limits
    if not job.enclosed:
        return [*sandbox.open_command(), *guard, "inf", str(limits.notebook_seconds)]
    private = [
        word for path in PRIVATE for word in ("--size", str(limits.file_bytes), "--perms", "1777", "--tmpfs", path)
    ]
    rights = [word for kind in ("--bounding-set", "--inh-caps", "--ambient-caps") for word in (kind, "-all")]
    no_root = ["--reuid", str(own), "--regid", str(own), "--clear-groups", *rights] if os.geteuid() == 0 else []
    return [
        *sandbox.command(*private, *sandbox.parents(folder), "--bind", folder, folder),
        *guard,
        *(str(limits.memory), str(limits.notebook_seconds)),
        *(sys.executable, "-m", "autograder.inside.calls"),
        *("choom", "--adjust", "1000", "--"),
        *("setpriv", *no_root, "--no-new-privs"),
        *("prlimit", f"--data={limits.memory}", f"--fsize={limits.file_bytes}", f"--nproc={limits.processes}"),
        *(f"--cpu={limits.notebook_seconds}", f"--nofile={OPEN_FILES}", "--core=0"),
    ]


@functools.cache
def require(limits: Limits) -> None:
    """Raise NoSandbox, with what to do, where kernels cannot be shut in on this machine."""
    sandbox.require()
    job = Job([], {}, (), limits)
    with lifeline() as (theirs, _ours), tempfile.TemporaryDirectory() as folder:
        line = [*shut_in(job, 2**30, folder, theirs.fileno()), "true"]
        probe = subprocess.run(line, pass_fds=[theirs.fileno()], capture_output=True, text=True)
    if probe.returncode or probe.stderr:  # the guard has no status of its own
        raise sandbox.NoSandbox(
            f"--kernel needs bubblewrap 0.7 or newer, and choom, setpriv and prlimit of util-linux: {probe.stderr.strip()}"
        )
