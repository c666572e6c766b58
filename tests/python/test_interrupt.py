# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C stops a map, which then is resumed as on the command line."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import EXAMPLES, assert_same_files

import pegrasp

@pytest.fixture(autouse=True)
def keyboard():
    """Python's own handler of SIGINT, which is not there in a process that a shell began in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


MAP_FILES = ("map.csv", "map.h5", "problem.toml")
SETS = {"grid.x_mm": [-1.0, 1.0], "grid.y_mm": [-10.0], "map.samples": 3000}


def test_ctrl_c_stops_and_resume_continues(tmp_path):
    problem = EXAMPLES / "gear" / "gear.toml"
    told = threading.Event()

    def interrupt():
        told.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    pressing = threading.Thread(target=interrupt)
    pressing.start()
    options = {"set": SETS, "no_step_check": True, "threads": 1}
    with pytest.raises(KeyboardInterrupt, match="--resume") as caught:
        pegrasp.map(problem, out=tmp_path / "out", progress=lambda *x: told.set(), **options)
    pressing.join()
    assert isinstance(caught.value, pegrasp.Stopped) and caught.value.exit_code == 130
    assert (tmp_path / "out" / "samples.journal").is_file() and not (tmp_path / "out" / "map.csv").exists()
    first = []
    pegrasp.map(problem, out=tmp_path / "out", resume=True, progress=lambda done, *x: first.append(done), **options)
    pegrasp.map(problem, out=tmp_path / "whole", quiet=True, **options)
    assert_same_files(tmp_path / "out", tmp_path / "whole", MAP_FILES)


def test_other_threads_run_meanwhile(tmp_path):
    count = [0]
    over = threading.Event()

    def work():
        while not over.is_set():
            count[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=work)
    thread.start()
    pegrasp.map(
        EXAMPLES / "gear" / "gear.toml", out=tmp_path / "out", set={**SETS, "map.samples": 1000}, quiet=True,
        no_step_check=True,
    )  # fmt: skip
    over.set()
    thread.join()
    assert count[0] > 20


def test_import_needs_numpy_alone():
    code = (
        "import sys, pegrasp; "
        "print([m for m in ('xarray', 'pandas', 'h5py', 'tqdm', 'dask', 'mujoco', 'trimesh') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_tqdm_a_line_is_printed(monkeypatch, capsys):
    from pegrasp import _call

    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    bar = _call._Bar("map")
    bar._told -= 10
    bar(3, 9, "trials")
    assert capsys.readouterr().err == "pegrasp map: 3 of 9 trials\n"


def test_tqdm_shows_the_count(monkeypatch, capsys):
    from pegrasp import _call

    short = _call._Bar("map")  # what takes less than a second shows nothing
    short(9, 9, "trials")
    short.close()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(_call, "_QUIET", 0.0)
    bar = _call._Bar("map")
    for done in (3, 9):
        bar(done, 9, "trials")
    bar.close()
    assert "9/9" in capsys.readouterr().err


def test_a_folder_in_use_is_to_be_tried_again(tmp_path):
    problem = EXAMPLES / "gear" / "gear.toml"
    told, results = threading.Event(), []
    options = {"set": SETS, "no_step_check": True, "threads": 1, "out": tmp_path / "out"}
    thread = threading.Thread(
        target=lambda: results.append(pegrasp.map(problem, progress=lambda *x: told.set(), **options))
    )
    thread.start()
    assert told.wait(60)
    with pytest.raises(pegrasp.TryAgainError, match="another"):
        pegrasp.map(problem, quiet=True, **options)
    thread.join()
    assert results[0].samples.values.tolist() == [[3000, 3000]]


@pytest.mark.parametrize("what", ["batch", "simulation"])
def test_ctrl_c_stops_batches_and_simulations(what):
    if what == "batch":
        batch = pegrasp.Batch(EXAMPLES / "gear" / "gear.toml", cell=200, sample=0, threads=1)
        rows = batch.rows(200_000)

        def work():
            batch.run(rows)

    else:
        simulation = pegrasp.Simulation(EXAMPLES / "scenes" / "stack.json", t_end=1e6)

        def work():
            simulation.run()

    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    begin = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        work()
    timer.join()
    assert time.monotonic() - begin < 5
