# SPDX-License-Identifier: Apache-2.0
"""Maps on a cluster of Dask, one of whose workers is killed."""

import os
import signal
import threading
import time

import pytest
from conftest import EXAMPLES, assert_same_files

import pegrasp

distributed = pytest.importorskip("distributed")

MAP_FILES = ("map.csv", "map.h5", "problem.toml")
SETS = {"grid.x_mm": [-1.0, 1.0], "grid.y_mm": [-12.0, -10.0], "map.samples": 1000}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    import dask

    with dask.config.set(
        {"temporary-directory": str(tmp_path_factory.mktemp("dask")), "distributed.scheduler.allowed-failures": 10}
    ):
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        with cluster, distributed.Client(cluster) as client:
            yield client


def test_a_lost_worker_changes_no_byte(client, tmp_path):
    from pegrasp import dask

    problem = EXAMPLES / "gear" / "gear.toml"
    pegrasp.map(problem, out=tmp_path / "one", set=SETS, quiet=True)
    before = client.run(os.getpid)
    killed = []

    def kill():
        time.sleep(0.5)
        victim = next(iter(before.values()))
        killed.append(victim)
        os.kill(victim, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    ds = dask.map(problem, client, parts=6, out=tmp_path / "many", set=SETS, quiet=True)
    thread.join()
    assert killed and killed[0] not in client.run(os.getpid).values()
    assert_same_files(tmp_path / "one", tmp_path / "many", MAP_FILES)
    assert ds.samples.values.tolist() == [[1000, 1000], [1000, 1000]]


def test_a_fault_comes_back(client, tmp_path):
    from pegrasp import dask

    with pytest.raises(pegrasp.InputError, match="samplse"):
        dask.map(EXAMPLES / "gear" / "gear.toml", client, parts=2, out=tmp_path, set={"map.samplse": 3})
    with pytest.raises(pegrasp.InputError, match="nothing.toml: cannot be read"):
        dask.map(tmp_path / "nothing.toml", client)
    with pytest.raises(pegrasp.InputError, match="parts"):
        dask.map(EXAMPLES / "gear" / "gear.toml", client, parts=1)
