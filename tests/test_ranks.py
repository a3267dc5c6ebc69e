"""Ranks: what comes back from them, and how every way to fail is reported in time, with nothing left behind."""

import math
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest
import torch
import torch.distributed as dist
from conftest import ROOT
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from largebatch import ranks
from largebatch.ranks import Difference, RankFailed, first_difference


def children() -> set[str]:
    """Return the processes that this one has started and that are still there."""
    listed = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "pid=,comm="], capture_output=True, text=True)
    return {line for line in listed.stdout.splitlines() if " ps" not in line}


@pytest.fixture(autouse=True)
def nothing_left():
    before = children()
    yield
    assert children() <= before


# -- what comes back -------------------------------------------------------------------------------------------------------------


def rank_times(factor):
    tensor = torch.full((3,), float(factor * dist.get_rank()))
    dist.all_reduce(tensor)
    return tensor, dist.get_rank(), dist.get_world_size(), torch.get_num_threads(), os.environ["LOCAL_RANK"]


def test_results_come_back_by_rank():
    results = ranks.run(rank_times, 3, 2)
    assert [row[1:] for row in results] == [(rank, 3, 1, str(rank)) for rank in range(3)]
    assert all(torch.equal(row[0], torch.full((3,), 6.0)) for row in results)


def test_a_result_larger_than_a_pipe_holds():
    assert [result.sum() for result in ranks.run(lambda: torch.ones(2_000_000), 2)] == [2e6, 2e6]


def test_one_rank_is_a_world_too():
    assert ranks.run(lambda: dist.get_world_size(), 1) == ranks.run(lambda: 1, np.int64(1)) == [1]


def test_ranks_start_as_copies_and_change_nothing_here():
    numbers = [1]

    def worker():
        numbers.append(dist.get_rank())
        return numbers, torch.rand(1)

    (first, drawn), (second, drawn_too) = ranks.run(worker, 2)
    assert (first, second, numbers) == ([1, 0], [1, 1], [1])
    assert torch.equal(drawn, drawn_too)


def test_many_launches_neither_hang_nor_abort():
    def worker():
        model = DistributedDataParallel(nn.Linear(2, 2))  # its work objects made one launch in four hang at exit
        model(torch.ones(1, 2)).sum().backward()
        return dist.get_rank()

    assert all(ranks.run(worker, 2, timeout=30) == [0, 1] for _ in range(30))


def test_a_kernel_with_threads_can_fork():
    busy = threading.Event()
    thread = threading.Thread(target=busy.wait)
    thread.start()
    try:
        assert ranks.run(lambda: 1, 2) == [1, 1]
    finally:
        busy.set()
        thread.join()


def test_the_example_of_the_readme_runs_as_it_stands(capsys):
    examples = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    (example,) = [code for code in examples if "ranks.run" in code]
    exec(example, {})
    assert capsys.readouterr().out == "None\n"


# -- what is printed -------------------------------------------------------------------------------------------------------------


def test_output_stands_side_by_side(capsys):
    def worker():
        print("from rank", dist.get_rank())
        print("a progress bar\rdone")
        os.write(2, b"from C++\n")

    ranks.run(worker, 2)
    rows = [[cell.strip() for cell in line.split("│")] for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["rank 0", "rank 1"]
    assert rows[2:] == [["from rank 0", "from rank 1"], ["done", "done"], ["from C++", "from C++"]]


@pytest.mark.parametrize("then", [lambda: 1, lambda: 1 / 0, lambda: os._exit(3), lambda: time.sleep(1000)])
def test_a_line_without_an_end_is_shown_whatever_follows(then, capsys):
    with suppress(RankFailed):
        ranks.run(lambda: (print("half a line", end=""), then()), 1, timeout=1)
    assert capsys.readouterr().out == "rank 0 │ half a line\n"


def test_bytes_that_are_not_text_are_shown_as_far_as_they_are(capsys):
    ranks.run(lambda: os.write(1, b"\xff kept\n"), 1)
    assert capsys.readouterr().out == "rank 0 │ � kept\n"


def test_output_of_one_rank_takes_the_whole_line(capsys):
    ranks.run(lambda: print("loss", 0.5) if dist.get_rank() == 1 else None, 2)
    assert capsys.readouterr().out == "rank 1 │ loss 0.5\n"


def test_only_the_end_of_endless_output_is_shown(capsys):
    ranks.run(lambda: print("\n".join(map(str, range(100_000)))), 1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "rank 0 │ …"
    assert lines[-1] == "rank 0 │ 99999"
    assert len(lines) < 5000


# -- what fails ------------------------------------------------------------------------------------------------------------------


def unequal(what):
    """Let rank 1 do something in the place of the all-reduce that the others wait in."""
    if dist.get_rank() == 1:
        print("last words")
        what()
    dist.all_reduce(torch.ones(2))


def divide():
    return 1 / 0


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (divide, "ZeroDivisionError: division by zero"),
        (lambda: os._exit(3), "ended without returning: exit status 3"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "signal SIGKILL (often: no memory left)"),
        (lambda: os.kill(os.getpid(), 37), "signal 37"),
        (lambda: sys.exit("enough"), "SystemExit: enough"),
        (lambda: (os.fork() and os._exit(4)) or time.sleep(20) or os._exit(0), "exit status 4"),
        (lambda: (dist.destroy_process_group(), os._exit(0)), "exit status 0"),
    ],
    ids=["raises", "exits", "killed", "killed without a name", "sys.exit", "leaves a child behind", "leaves"],
)
def test_the_rank_that_failed_first_is_named_at_once(what, says, capsys):
    start = time.monotonic()
    with pytest.raises(RankFailed) as failed:
        ranks.run(unequal, 3, what, timeout=60)
    assert time.monotonic() - start < 10
    assert str(failed.value).startswith("rank 1 of 3 failed.")
    assert says in str(failed.value)
    assert "last words" in capsys.readouterr().out


def test_the_traceback_shows_the_workers_lines_only():
    with pytest.raises(RankFailed) as failed:
        ranks.run(unequal, 2, divide)
    assert "in unequal" in str(failed.value) and "return 1 / 0" in str(failed.value)
    assert "in live" not in str(failed.value)
    assert failed.value._render_traceback_() == str(failed.value).splitlines()


def test_a_rank_that_sleeps_for_ever_is_reported_in_time_with_its_line():
    start = time.monotonic()
    with pytest.raises(RankFailed) as failed:
        ranks.run(unequal, 2, lambda: time.sleep(1000), timeout=1.5)
    assert time.monotonic() - start < 6
    text = str(failed.value)
    assert "not done after 1.5 s: ranks 0, 1." in text
    assert "time.sleep(1000)" in text.partition("rank 1 is still at")[2]
    assert "in all_reduce" in text.partition("rank 0 is still at")[2].partition("rank 1")[0]


def test_a_rank_that_does_not_tell_its_line_is_named():
    def deaf():
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        time.sleep(1000)

    with pytest.raises(RankFailed, match=r"rank 0 is still at\n  a line that it did not tell"):
        ranks.run(deaf, 1, timeout=1)


def test_a_rank_that_waits_for_one_that_has_returned():
    with pytest.raises(RankFailed, match=r"rank 0\. Returned: rank 1\. All ranks must call the same collectives"):
        ranks.run(lambda: dist.all_reduce(torch.ones(1)) if dist.get_rank() == 0 else None, 2, timeout=1.5)


def test_an_exercise_that_is_not_answered_says_so_and_names_no_rank():
    def your_turn():
        raise NotImplementedError("your turn")

    with pytest.raises(NotImplementedError) as failed:
        ranks.run(your_turn, 2)
    assert str(failed.value) == "NotImplementedError: your turn"
    assert isinstance(failed.value, RankFailed)


def test_a_result_that_cannot_be_sent():
    with pytest.raises(RankFailed, match=r"cannot be sent .* return numbers, arrays, tensors"):
        ranks.run(lambda: lambda: 1, 2)


@pytest.mark.parametrize(
    ("num_ranks", "timeout", "says"),
    [
        (0, 1, "num_ranks is a whole number"),
        (2.0, 1, "num_ranks is a whole number"),
        (2, 0, "timeout is a positive"),
        (2, float("inf"), "timeout is a positive"),
        (2, float("nan"), "timeout is a positive"),
    ],
)
def test_what_cannot_be_asked_for(num_ranks, timeout, says):
    with pytest.raises(ValueError, match=says):
        ranks.run(divide, num_ranks, timeout=timeout)


def test_windows_is_pointed_to_wsl(monkeypatch):
    monkeypatch.delattr(os, "fork")
    with pytest.raises(RuntimeError, match="WSL"):
        ranks.run(divide, 2)


def test_a_process_that_has_used_a_gpu_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    with pytest.raises(RuntimeError, match="can no longer be forked"):
        ranks.run(divide, 2)


def test_a_script_that_was_not_started_by_torchrun_is_told_so(monkeypatch):
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    with pytest.raises(RuntimeError, match="torchrun --standalone"):
        ranks.join()


def test_ranks_do_not_start_ranks():
    with pytest.raises(RankFailed, match="in a process group itself"):
        ranks.run(lambda: ranks.run(divide, 2), 1)


def test_a_rank_leaves_ctrl_c_to_the_process_that_started_it():
    assert ranks.run(lambda: os.kill(os.getpid(), signal.SIGINT) or 1, 2) == [1, 1]


@pytest.fixture
def hears_ctrl_c():
    """Hear Ctrl-C, here and in children, also where the tests run in the background of a shell, which has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_ends_the_ranks(tmp_path):
    script = tmp_path / "waits.py"
    script.write_text(
        textwrap.dedent("""
            import os, time
            from largebatch import ranks

            def worker():
                print(os.getpid())
                open(f"{os.environ['PIDS']}/{os.getpid()}", "w").close()
                time.sleep(1000)

            ranks.run(worker, 2, timeout=100)
        """)
    )
    pids = tmp_path / "pids"
    pids.mkdir()
    process = subprocess.Popen(
        [sys.executable, script], cwd=ROOT, env={**os.environ, "PIDS": str(pids)}, stderr=subprocess.PIPE
    )
    while len(list(pids.iterdir())) < 2:
        time.sleep(0.05)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in process.communicate(timeout=20)[1]
    assert not [pid.name for pid in pids.iterdir() if alive(int(pid.name))]


def test_ranks_end_themselves_when_the_process_that_started_them_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(ranks, "GRACE", 0.5)

    def worker():
        (tmp_path / str(os.getpid())).touch()
        time.sleep(1000)

    if (starter := os.fork()) == 0:
        try:
            ranks.run(worker, 2, timeout=4)
        finally:
            os._exit(0)
    limit = time.monotonic() + 30
    while len(pids := [file.name for file in tmp_path.iterdir()]) < 2:
        time.sleep(0.05)
        assert time.monotonic() < limit
    os.kill(starter, signal.SIGKILL)
    os.waitpid(starter, 0)
    running = pids
    while running and time.monotonic() < limit:
        time.sleep(0.1)
        listed = subprocess.run(["ps", "-o", "pid=,stat=", *pids], capture_output=True, text=True).stdout.splitlines()
        running = [line.split()[0] for line in listed if line.split()[1][0] != "Z"]
    for pid in running:
        os.kill(int(pid), signal.SIGKILL)
    assert not running


@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize("moment", ["start", "show"])
def test_ctrl_c_while_ranks_start_or_end_comes_after_it(moment, monkeypatch):
    undisturbed, finished = getattr(ranks, moment), []

    def interrupted(*arguments):
        signal.raise_signal(signal.SIGINT)
        finished.append(undisturbed(*arguments))
        signal.raise_signal(signal.SIGINT)
        return finished[-1]

    monkeypatch.setattr(ranks, moment, interrupted)
    with pytest.raises(KeyboardInterrupt):
        ranks.run(lambda: 1, 2)
    assert len(finished) == {"start": 2, "show": 1}[moment]


def test_ranks_run_in_another_thread_too():
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ranks.run, lambda: 1, 2).result() == [1, 1]


def alive(pid: int) -> bool:
    """Return whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


# -- the rank-divergence lens ----------------------------------------------------------------------------------------------------


def history(*steps):
    return [{"weight": torch.tensor(weight), "bias": torch.tensor(bias)} for weight, bias in steps]


def test_first_difference_in_step_then_in_order_of_names():
    same, other = history((1.0, 2.0), (3.0, 4.0), (5.0, 6.0)), history((1.0, 2.0), (3.0, 4.5), (5.5, 6.0))
    assert first_difference([same, other]) == Difference(1, "bias", (1,), (0,), 0.5)
    assert first_difference([same, same, same]) is None
    assert str(first_difference([same, other])) == "step 1, bias: rank 1 differs from rank 0 by up to 0.5"


def test_the_ranks_outside_the_largest_group_are_named():
    same, other = history((1.0, 2.0)), history((1.5, 2.0))
    assert first_difference([other, same, same]).ranks == (0,)
    assert first_difference([same, other, same, other, same]).ranks == (1, 3)
    assert str(first_difference([same, other, same, other, same])).endswith(
        "ranks 1, 3 differ from ranks 0, 2, 4 by up to 0.5"
    )


def test_nan_equals_nan_and_a_missing_tensor_differs():
    missing = [{"weight": torch.tensor(float("nan"))}]
    assert first_difference([missing, missing]) is None
    assert first_difference([missing, [{}]]).name == "weight"


def test_another_type_differs_and_so_does_the_last_bit():
    one, next_to_it = torch.tensor(1.0), torch.nextafter(torch.tensor(1.0), torch.tensor(2.0))
    assert first_difference([[{"w": one}], [{"w": next_to_it}]]).gap == pytest.approx(2**-23)
    assert math.isnan(first_difference([[{"w": one}], [{"w": one.double()}]]).gap)


def test_histories_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"different numbers of steps: \[1, 2\]"):
        first_difference([history((1.0, 2.0)), history((1.0, 2.0), (1.0, 2.0))])


def test_snapshot_copies_parameters_and_gradients():
    model = nn.Linear(2, 1)
    before = ranks.snapshot(model)
    assert list(before) == ["weight", "bias"]
    model(torch.ones(1, 2)).sum().backward()
    with torch.no_grad():
        model.weight += 1
    after = ranks.snapshot(model)
    assert list(after) == ["weight", "weight.grad", "bias", "bias.grad"]
    assert torch.equal(after["weight"], before["weight"] + 1)
    model.weight.grad.zero_()
    assert after["weight.grad"].sum() == 2
