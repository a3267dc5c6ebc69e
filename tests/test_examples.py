"""The scripts of examples/: the same training in forks of this process and under torchrun."""

import re
import runpy
import subprocess

import pytest
from conftest import ROOT

from largebatch import ranks
from largebatch.ranks import RankFailed

EXAMPLES = ROOT / "examples"
LOSS = re.compile(r"loss .* nats per token after 20 steps; .*")


def test_training_is_the_same_in_forks_and_under_torchrun(capsys):
    train = runpy.run_path(str(EXAMPLES / "train.py"))["train"]
    (first, second) = ranks.run(train, 2, 20)
    assert first == second
    assert first[-1] < 0.6 * first[0]
    forked = LOSS.search(capsys.readouterr().out)[0]
    ranks.torchrun(EXAMPLES / "train.py", 2, timeout=120)
    output = capsys.readouterr().out
    assert LOSS.search(output)[0] == forked
    assert "2 ranks, 2 on this node with " in output


def test_a_script_that_fails_under_torchrun_is_quoted(tmp_path):
    script = tmp_path / "fails.py"
    script.write_text("raise ValueError('no such corpus')")
    with pytest.raises(
        RankFailed, match=r"(?s)fails\.py failed with status 1\. It printed.*ValueError: no such corpus"
    ):
        ranks.torchrun(script, 1)


def test_a_script_that_takes_too_long_is_ended_with_its_ranks(tmp_path):
    script = tmp_path / "sleeps.py"
    script.write_text("import time; print('asleep', flush=True); time.sleep(1000)")
    for timeout in (6, 60):  # on a busy machine torchrun alone takes longer than 6 s
        with pytest.raises(RankFailed, match=rf"not done after {timeout} s\. It had printed") as failed:
            ranks.torchrun(script, 1, timeout=timeout)
        if "asleep" in str(failed.value):
            break
    assert "asleep" in str(failed.value)
    assert str(script) not in subprocess.run(["ps", "-ef"], capture_output=True, text=True).stdout


def test_the_slurm_file_is_a_shell_script_that_starts_the_training():
    file = EXAMPLES / "train.slurm"
    subprocess.run(["bash", "-n", file], check=True)
    assert "examples/train.py" in file.read_text()
