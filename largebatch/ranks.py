"""Ranks: the processes of data parallelism, started from a notebook cell, a script or a check.

    def worker(scale):
        tensor = scale * torch.ones(3) * dist.get_rank()
        dist.all_reduce(tensor)
        return tensor

    ranks.run(worker, 2, 10.0)  # [what rank 0 returned, what rank 1 returned]

Each rank is a fork of this process: it starts with copies of all variables, and with the same random numbers ahead. What a worker changes
stays in its process; what it returns and prints comes back. Inside, torch.distributed is ready, with gloo on the CPU and one thread a rank, so
the same worker runs unchanged in a script under torchrun, on one machine or on many (examples/train.py).

A process that has used a GPU cannot be forked, nor, where there is a GPU, one that has run a backward pass. A notebook that forks ranks therefore
hides the GPUs before either happens, os.environ["CUDA_VISIBLE_DEVICES"] = "", and starts what needs them with torchrun().

Once all have returned, ranks are killed. Left to Python's own exit, gloo's threads meet a dying interpreter, and about one launch in four
hung or aborted (torch 2.13). Processes that a worker starts are its own to end.
"""

import faulthandler
import io
import linecache
import math
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import takewhile, zip_longest
from multiprocessing import connection, get_context
from multiprocessing.process import BaseProcess
from numbers import Integral
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep

import torch
import torch._dynamo  # as some below: imported here once, in the place of seconds in every rank
import torch.distributed as dist
import torch.nn.parallel.distributed

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # torch's own, on importing this
    import torch.distributed.optim

WIDTH = 92  # characters of a line of output, as many as JupyterLab shows on a laptop
MOST_OUTPUT = 20_000  # characters of one rank
POLL = 0.5  # seconds between looks at whether the ranks live
SETTLE = 0.5  # seconds to wait for the rank that broke a connection, once another has noticed
GRACE = 10.0  # seconds after the time limit at which a rank ends itself, should this process be gone
LOOPBACK = {"linux": "lo", "darwin": "lo0"}
CHATTER = re.compile(
    r"^(\[Gloo\] Rank \d+ is connected to|USDT:.*profiler_st(art|op)).*$\n?", re.M
)  # of gloo and the profiler
FRAME = re.compile(r'File "(.+)", line (\d+) in (.+)')


class RankFailed(RuntimeError):
    """A rank that raised, ended or did not return in time: which one, and where."""

    def _render_traceback_(self) -> list[str]:
        """Show the worker's lines only (IPython looks for this method)."""
        return str(self).splitlines()


class Unanswered(RankFailed, NotImplementedError):
    """The worker called something that is not written yet: the same on every rank, so none is named."""


# -- start, wait, end ------------------------------------------------------------------------------------------------------------


@dataclass
class Rank:
    """One process, the pipe to it, and the files that it writes."""

    number: int
    process: BaseProcess
    pipe: connection.Connection
    folder: Path

    @property
    def output(self) -> Path:
        return self.folder / f"output_{self.number}"

    @property
    def stack(self) -> Path:
        return self.folder / f"stack_{self.number}"


def run(worker: Callable, num_ranks: int, *args, timeout: float = 60.0) -> list:
    """Call worker(*args) in num_ranks processes joined by torch.distributed; return what each returned, by rank.

    What the ranks print is shown side by side at the end. timeout: seconds for the whole. RankFailed where a rank raises, ends or is not
    done in time; the others are then ended. Return values travel by pickle: numbers, arrays, tensors, and lists or dicts of them.
    """
    refuse(num_ranks, timeout)
    with TemporaryDirectory(prefix="ranks_") as folder:
        ranks: list[Rank] = []
        try:
            with interrupts_held():
                for number in range(num_ranks):
                    ranks.append(start(number, num_ranks, Path(folder), timeout, worker, args))
            return collect(ranks, monotonic() + timeout, timeout)
        finally:
            with interrupts_held():
                for rank in ranks:
                    rank.process.kill()
                for rank in ranks:
                    rank.process.join()
                    rank.pipe.close()
                show([printed(rank.output) for rank in ranks])


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back until the end: one that comes in the midst of a fork leaves a process that nobody knows, or two of this one."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread hears it
        yield
        return
    held = []
    handler = signal.signal(signal.SIGINT, lambda *_: held.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if held:
        signal.raise_signal(signal.SIGINT)


def refuse(num_ranks: int, timeout: float) -> None:
    """Raise where ranks cannot be started, with what to do about it."""
    if not isinstance(num_ranks, Integral) or num_ranks < 1:
        raise ValueError(f"num_ranks is a whole number from 1, not {num_ranks!r}")
    if not (timeout > 0 and math.isfinite(timeout)):
        raise ValueError(f"timeout is a positive number of seconds, not {timeout!r}")
    if not hasattr(os, "fork"):
        raise RuntimeError("ranks are forked, which Windows cannot do: open the course in WSL (wsl --install)")
    if torch.cuda.is_initialized():
        raise RuntimeError(
            "this process has used a GPU and can no longer be forked: restart the kernel and run "
            'os.environ["CUDA_VISIBLE_DEVICES"] = "" first, or put the worker into a file and use ranks.torchrun'
        )
    if dist.is_initialized():
        raise RuntimeError("this process is in a process group itself: call dist.destroy_process_group() first")


def start(number: int, num_ranks: int, folder: Path, timeout: float, worker: Callable, args: tuple) -> Rank:
    """Fork one rank."""
    here, there = get_context("fork").Pipe()
    process = get_context("fork").Process(target=live, args=(number, num_ranks, folder, timeout, there, worker, args))
    with warnings.catch_warnings():
        # Python 3.12 and newer warn that this process has threads. None of a kernel's threads holds a lock that a rank needs.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    there.close()
    return Rank(number, process, here, folder)


def live(
    number: int,
    num_ranks: int,
    folder: Path,
    timeout: float,
    pipe: connection.Connection,
    worker: Callable,
    args: tuple,
) -> None:
    """Be a rank: join the others, work, report, and wait to be killed."""
    me = Rank(number, None, pipe, folder)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears Ctrl-C and ends its ranks
    # Unbuffered, for a rank that is killed or leaves with os._exit flushes nothing.
    output = me.output.open("wb", buffering=0)
    sys.stdout = sys.stderr = io.TextIOWrapper(output, encoding="utf-8", errors="replace", write_through=True)
    for descriptor in (1, 2):
        os.dup2(output.fileno(), descriptor)
    stack = me.stack.open("w")
    faulthandler.register(signal.SIGUSR1, file=stack, all_threads=False)
    faulthandler.dump_traceback_later(timeout + GRACE, exit=True, file=stack)
    os.environ.update(
        RANK=str(number), LOCAL_RANK=str(number), WORLD_SIZE=str(num_ranks), LOCAL_WORLD_SIZE=str(num_ranks)
    )
    if sys.platform in LOOPBACK:  # else gloo looks up the name of this machine, which fails on many a laptop
        os.environ.setdefault("GLOO_SOCKET_IFNAME", LOOPBACK[sys.platform])
    torch.set_num_threads(1)
    try:
        store = dist.FileStore(str(folder / "store"), num_ranks)
        limit = timedelta(seconds=timeout + GRACE)
        dist.init_process_group("gloo", store=store, rank=number, world_size=num_ranks, timeout=limit)
        report = "result", packed(worker(*args))
    except BaseException as error:  # SystemExit, too: a rank must report
        report = "error", failure(error)
    pipe.send(report)
    with suppress(EOFError):
        pipe.recv()  # nothing ever comes: a rank that left now would close connections that others still use
    os._exit(0)


def packed(result) -> bytes:
    """Return what a worker returned as bytes."""
    try:
        return pickle.dumps(result)
    except Exception as error:
        raise TypeError(
            f"the worker returned something that cannot be sent to the notebook ({error}): "
            "return numbers, arrays, tensors, or lists and dicts of them"
        ) from None


def failure(error: BaseException) -> str:
    """Return an error and where in the worker it happened."""
    inside = error.__traceback__.tb_next
    return f"{type(error).__name__}: {error}\n" + "".join(traceback.format_tb(inside))


def collect(ranks: list[Rank], deadline: float, timeout: float) -> list:
    """Return the results of all ranks; raise RankFailed for the first that fails."""
    results, noticed = {}, {}
    while len(results) < len(ranks):
        waiting = [rank for rank in ranks if rank.number not in results and rank.number not in noticed]
        handles = [handle for rank in waiting for handle in (rank.pipe, rank.process.sentinel)]
        connection.wait(handles, min(POLL, max(0.0, deadline - monotonic())))
        # Of a rank that has died, a process that it had started keeps both handles open: ask the system, too.
        reports = {rank.number: report(rank) for rank in waiting if rank.pipe.poll() or not rank.process.is_alive()}
        results |= {number: content for number, (kind, content) in reports.items() if kind == "result"}
        failed = {number: content for number, (kind, content) in reports.items() if kind == "error"}
        for number, text in failed.items():
            if text.startswith("NotImplementedError"):
                raise Unanswered(text.partition("\n")[0])
            if "gloo/" not in text:  # else it only noticed that another rank has gone
                raise RankFailed(f"rank {number} of {len(ranks)} failed. {text}")
        noticed |= failed
        if failed:
            deadline = min(deadline, monotonic() + SETTLE)
        if reports or monotonic() < deadline:
            continue
        if noticed:
            number, text = next(iter(noticed.items()))
            raise RankFailed(f"rank {number} of {len(ranks)} failed. {text}")
        raise RankFailed(late(waiting, sorted(results), timeout))
    return [pickle.loads(results[rank.number]) for rank in ranks]


def report(rank: Rank) -> tuple[str, str | bytes]:
    """Return what a rank reports, or how it ended without a report."""
    with suppress(EOFError, ConnectionResetError):
        if rank.pipe.poll():
            return rank.pipe.recv()
    rank.process.join(SETTLE)
    code = rank.process.exitcode
    names = {each.value: each.name for each in signal.Signals}  # not of all: real-time signals have none
    how = f"exit status {code}" if code is None or code >= 0 else f"signal {names.get(-code, -code)}"
    hint = " (often: no memory left)" if code == -signal.SIGKILL else ""
    return "error", f"Its process ended without returning: {how}{hint}"


def late(waiting: list[Rank], returned: list[int], timeout: float) -> str:
    """Return what the ranks that are not done are doing."""
    for rank in waiting:
        os.kill(rank.process.pid, signal.SIGUSR1)
    sleep(SETTLE)
    parts = [f"rank {rank.number} is still at\n{where(rank.stack)}" for rank in waiting]
    done = f" Returned: {named(returned)}." if returned else ""
    rule = " All ranks must call the same collectives in the same order." if len(waiting) + len(returned) > 1 else ""
    return f"not done after {timeout:g} s: {named([rank.number for rank in waiting])}.{done}{rule}\n" + "\n".join(parts)


def named(numbers: Sequence[int]) -> str:
    """Return ranks in words."""
    return f"rank{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


def where(stack: Path) -> str:
    """Return the worker's frames and the innermost one of a library, outermost first, from what faulthandler wrote, if it did."""
    frames = [match.groups() for match in map(FRAME.search, stack.read_text().splitlines()) if match]
    inside = list(takewhile(lambda frame: frame[0] != __file__, frames))
    own = [frame for frame in inside if "site-packages" not in frame[0]]
    kept = [*reversed(own), *inside[: inside[0] not in own]] if inside else []
    return (
        "\n".join(
            f'  File "{file}", line {line}, in {function}\n    {linecache.getline(file, int(line)).strip()}'
            for file, line, function in kept
        )
        or "  a line that it did not tell"
    )


# -- what ranks print ------------------------------------------------------------------------------------------------------------


def printed(file: Path) -> list[str]:
    """Return the lines that a rank printed, the last ones where there are many."""
    text = CHATTER.sub("", end_of(file).decode(errors="replace")) if file.exists() else ""
    lines = [line.rpartition("\r")[2] for line in text[-MOST_OUTPUT:].removesuffix("\n").split("\n")] if text else []
    return ["…", *lines[1:]] if len(text) > MOST_OUTPUT else lines


def end_of(file: Path) -> bytes:
    """Return the end of a file, enough for MOST_OUTPUT characters and some chatter; a loop that prints can fill gigabytes."""
    with file.open("rb") as stream:
        stream.seek(max(0, file.stat().st_size - 8 * MOST_OUTPUT))
        return stream.read()


def show(outputs: list[list[str]]) -> None:
    """Print the output of all ranks: up to four side by side, else, or where only one has any, one below the other."""
    spoken = [number for number, lines in enumerate(outputs) if lines]
    if len(spoken) < 2 or len(outputs) > 4:
        for number in spoken:
            print("\n".join(f"rank {number} │ {line}" for line in outputs[number]))
        return
    width = (WIDTH - 3 * (len(outputs) - 1)) // len(outputs)
    columns = [
        [f"rank {number}", "─" * width, *(piece for line in lines for piece in textwrap.wrap(line, width) or [""])]
        for number, lines in enumerate(outputs)
    ]
    for row in zip_longest(*columns, fillvalue=""):
        print(" │ ".join(cell.ljust(width) for cell in row).rstrip())


# -- scripts ---------------------------------------------------------------------------------------------------------------------


def num_gpus() -> int:
    """Return how many NVIDIA GPUs this machine has, without touching them (so that it can still be forked)."""
    if not (tool := shutil.which("nvidia-smi")):
        return 0
    listed = subprocess.run([tool, "-L"], capture_output=True, text=True, check=False, timeout=30)
    return sum(line.startswith("GPU ") for line in listed.stdout.splitlines())


def torchrun(script: str | Path, num_ranks: int, *arguments, timeout: float = 300.0) -> None:
    """Run a script with torchrun on this machine, GPUs visible, and print what it prints; RankFailed where it fails."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={num_ranks}"]
    environment = {"OMP_NUM_THREADS": "1", **os.environ}
    if not environment.get("CUDA_VISIBLE_DEVICES", "all"):  # hidden for the sake of run()
        del environment["CUDA_VISIBLE_DEVICES"]
    process = subprocess.Popen(
        [*command, str(script), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env=environment,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=timeout)
    except BaseException as error:  # Ctrl-C, too: nothing of it may stay behind
        process.terminate()  # torchrun then ends its ranks, which are not in its own process group
        output, _ = process.communicate()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
        raise RankFailed(f"{script} was not done after {timeout:g} s. It had printed\n{output}") from None
    if process.returncode:
        raise RankFailed(f"{script} failed with status {process.returncode}. It printed\n{output}")
    print(CHATTER.sub("", output), end="")


def join() -> torch.device:
    """Join the process group that torchrun prepared, and return the device of this rank; say which backend and why.

    NCCL with one rank a GPU. It refuses two ranks on one GPU, so more ranks than GPUs share them by gloo; without a GPU, gloo on the CPU.
    """
    if "LOCAL_RANK" not in os.environ:
        raise RuntimeError("nobody started ranks: torchrun --standalone --nproc-per-node=2 and the script")
    local_rank, on_node = int(os.environ["LOCAL_RANK"]), int(os.environ["LOCAL_WORLD_SIZE"])
    gpus = torch.cuda.device_count()
    backend = "nccl" if gpus >= on_node else "gloo"
    device = torch.device(f"cuda:{local_rank % gpus}" if gpus else "cpu")
    if gpus:
        torch.cuda.set_device(device)
    dist.init_process_group(backend)
    if dist.get_rank() == 0:
        print(f"{dist.get_world_size()} ranks, {on_node} on this node with {gpus} GPUs: {backend} on {device.type}")
    return device


def leave() -> None:
    """End a script that called join(): wait for all ranks, then leave without the teardown of gloo's threads (see above)."""
    dist.barrier()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


# -- the rank-divergence lens ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """The first tensor that is not the same on all ranks. step: from 0; others: the largest group that agrees; ranks: those outside it."""

    step: int
    name: str
    ranks: tuple[int, ...]
    others: tuple[int, ...]
    gap: float

    def __str__(self) -> str:
        differ = f"differ{'s' * (len(self.ranks) == 1)} from {named(self.others)}"
        return f"step {self.step}, {self.name}: {named(self.ranks)} {differ} by up to {self.gap:.2g}"


def snapshot(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Return copies of all parameters by name, and of their gradients, where there are any, as "<name>.grad"."""
    record = {}
    for name, parameter in model.named_parameters():
        record[name] = parameter.detach().clone()
        if parameter.grad is not None:
            record[f"{name}.grad"] = parameter.grad.detach().clone()
    return record


def first_difference(histories: Sequence[Sequence[Mapping[str, torch.Tensor]]]) -> Difference | None:
    """Return the first difference between ranks; None where they agree to the last bit, as replicas must.

    histories[rank][step] is a record, name → tensor, such as a snapshot. ValueError where ranks recorded different numbers of steps.
    """
    lengths = [len(history) for history in histories]
    if len(set(lengths)) != 1:
        raise ValueError(f"the ranks recorded different numbers of steps: {lengths}")
    for step, records in enumerate(zip(*histories, strict=True)):
        for name in dict.fromkeys(name for record in records for name in record):
            tensors = [record.get(name) for record in records]
            groups = agreeing(tensors)
            if len(groups) > 1:
                others = max(groups, key=len)
                ranks = (rank for rank in range(len(tensors)) if rank not in others)
                return Difference(step, name, tuple(ranks), tuple(others), gap(tensors))
    return None


def agreeing(tensors: Sequence[torch.Tensor | None]) -> list[list[int]]:
    """Return the ranks in groups that hold the same tensor, to the last bit; a missing tensor is like no other."""
    groups: list[list[int]] = []
    for rank, tensor in enumerate(tensors):
        for group in groups:
            if same(tensors[group[0]], tensor):
                group.append(rank)
                break
        else:
            groups.append([rank])
    return groups


def same(one: torch.Tensor | None, other: torch.Tensor | None) -> bool:
    """Return whether two tensors are equal, with nan equal to nan."""
    if one is None or other is None:
        return one is other
    alike = one.shape == other.shape and one.dtype == other.dtype
    return alike and torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


def gap(tensors: Sequence[torch.Tensor | None]) -> float:
    """Return the largest difference between two of the tensors; nan where they are not of one kind."""
    if len({(tensor.shape, tensor.dtype) if tensor is not None else None for tensor in tensors}) > 1:
        return float("nan")
    stacked = torch.stack([tensor.double() for tensor in tensors])
    return float((stacked.amax(0) - stacked.amin(0)).max())
