# SPDX-License-Identifier: Apache-2.0
"""The functions do what the commands do: the same options, the same files byte by byte, the same faults."""

import inspect
import json
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import EXAMPLES, assert_same_files, words_of

import pegrasp
from pegrasp import _core

MAP_FILES = ("map.csv", "map.h5", "problem.toml")
# What has no argument: the functions return what --json prints.
NO_ARGUMENT = {"json"}


@pytest.mark.parametrize("command", sorted(_core.commands()))
def test_every_option_has_its_argument(command):
    function = getattr(pegrasp, command)
    arguments = set(inspect.signature(function).parameters)
    positional = {"problem", "grasps", "parts", "file", "mesh", "a", "b", "folder", "files"}
    for option in _core.commands()[command]:
        name = option["name"].replace("-", "_")
        if option["positional"]:
            assert name in positional
        elif name not in NO_ARGUMENT:
            assert name in arguments, f"pegrasp {command} --{option['name']} has no argument in pegrasp.{command}()"


def test_arguments_are_options(tmp_path):
    for command, options in _core.commands().items():
        known = {o["name"].replace("-", "_") for o in options} | {"progress", "overrides", "scene", "problem"}
        for name in inspect.signature(getattr(pegrasp, command)).parameters:
            assert name in known, f"pegrasp.{command}({name}=...) is no option of pegrasp {command}"


def test_map_writes_the_files_of_the_command(cli, gear, tmp_path):
    problem, sets = gear
    ds = pegrasp.map(problem, out=tmp_path / "python", **sets, quiet=True)
    cli("map", problem, "--out", tmp_path / "cli", "--quiet", "--no-plot", *words_of(sets))
    assert_same_files(tmp_path / "python", tmp_path / "cli", MAP_FILES)
    assert ds.sizes == {"y_mm": 2, "x_mm": 2}
    rows = np.genfromtxt(tmp_path / "cli" / "map.csv", delimiter=",", names=True)
    assert np.array_equal(ds.p.values.ravel(), rows["p"])
    assert np.array_equal(ds.ci_low.values.ravel(), rows["ci_low"])
    assert ds.samples.values.tolist() == [[2, 2], [2, 2]]
    assert ds.attrs["seed"] == 1 and ds.attrs["revision"] == _core.revision
    assert "[[body]]" in ds.attrs["problem_toml"]
    assert {"step_error", "step_error_ci_low", "sampling_error"} <= set(ds.attrs)


def test_map_of_a_dict_and_a_text_is_that_of_the_file(gear, tmp_path):
    problem, sets = gear
    whole = pegrasp.map(problem, out=tmp_path / "file", set=sets, quiet=True)
    loaded = pegrasp.Problem.load(problem)
    loaded["grid"].update(x_mm=[-1.0, 1.0], y_mm=np.array([-12.0, -10.0]))
    loaded["map"]["samples"] = 2
    pegrasp.map(loaded, out=tmp_path / "dict", quiet=True)
    pegrasp.map(problem.read_text(), out=tmp_path / "text", set=sets, quiet=True)
    assert whole.p.notnull().all()
    for other in ("dict", "text"):
        assert_same_files(tmp_path / "file", tmp_path / other, MAP_FILES)


def test_rows_in_memory_are_those_of_a_file(cli, gear, tmp_path):
    import pandas

    problem, sets = gear
    del sets["map.samples"]
    mass = np.linspace(0.02, 0.07, 5)
    rows = pandas.DataFrame({"body.gear.mass_kg": mass, "gripper_friction": 0.1 + mass})
    pegrasp.map(problem, out=tmp_path / "python", samples_from=rows, **sets, quiet=True)
    file = tmp_path / "python" / "rows.csv"
    assert np.array_equal(pandas.read_csv(file), rows)
    cli("map", problem, "--out", tmp_path / "cli", "--quiet", "--no-plot", "--samples-from", file, *words_of(sets))
    assert_same_files(tmp_path / "python", tmp_path / "cli", (*MAP_FILES, "rows_out.csv"))
    with pytest.raises(pegrasp.InputError, match="equal length"):
        pegrasp.map(problem, out=tmp_path / "bad", samples_from={"a": [1], "b": [1, 2]})
    with pytest.raises(pegrasp.InputError, match="comma"):
        pegrasp.map(problem, out=tmp_path / "bad", samples_from={"a,b": [1]})
    assert not (tmp_path / "bad").exists()


def test_samples_are_the_trials(gear, tmp_path):
    problem, sets = gear
    ds = pegrasp.map(problem, out=tmp_path / "out", **sets, quiet=True)
    table = ds.pegrasp.samples()
    assert len(table) == 8 and table.columns[:3].tolist() == ["x_mm", "y_mm", "cell"]
    assert np.array_equal(table.groupby("cell").success.sum().values, ds.successes.values.ravel())
    assert table.loc[table.cell == 1, "x_mm"].eq(1.0).all() and table.loc[table.cell == 1, "y_mm"].eq(-12.0).all()
    assert table["surface_friction"].between(0, 2).all() and "gear.x_m" in table


def test_parquet_and_zarr_keep_the_numbers(gear, tmp_path):
    import pandas
    import xarray

    problem, sets = gear
    ds = pegrasp.map(problem, out=tmp_path / "out", **sets, quiet=True)
    ds.pegrasp.to_parquet(tmp_path / "trials.parquet")
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "trials.parquet"), ds.pegrasp.samples())
    ds.pegrasp.to_zarr(tmp_path / "map.zarr")
    with xarray.open_zarr(tmp_path / "map.zarr", consolidated=False) as again:
        assert again.load().identical(ds)


def test_axes_become_dimensions(tmp_path):
    sets = {"map.samples": 2, "grid.x_mm": [0.0], "grid.y_mm": [-10.0, -8.0, -6.0]}
    problem = pegrasp.Problem.load(EXAMPLES / "gear" / "gear.toml")
    problem.tree["axis"] = [{"key": "body.gear.mass_kg", "values": [0.03, 0.06]}]
    ds = pegrasp.map(problem, out=tmp_path / "out", set=sets, quiet=True, no_step_check=True)
    assert [ds.sizes[d] for d in ds.p.dims] == [2, 3, 1]
    assert ds[ds.p.dims[0]].values.tolist() == [0.03, 0.06]


def test_evaluate_writes_the_files_of_the_command(cli, tmp_path):
    place = EXAMPLES / "evaluate"
    common = {"samples": 2, "no_step_check": True, "friction": (0.4, 0.6)}
    ds = pegrasp.evaluate(
        place / "grasps.csv", part=place / "block.obj", gripper=place / "hand.urdf", out=tmp_path / "python",
        quiet=True, **common,
    )  # fmt: skip
    cli(
        "evaluate", place / "grasps.csv", "--part", place / "block.obj", "--gripper", place / "hand.urdf", "--out",
        tmp_path / "cli", "--quiet", "--samples", 2, "--no-step-check", "--friction", 0.4, 0.6,
    )  # fmt: skip
    assert_same_files(tmp_path / "python", tmp_path / "cli", ("grasps.csv", "grasps.h5", "scored_grasps.csv"))
    assert ds.p.dims == ("grasp",) and "grasp_dropped" in ds and ds.grasp_id.values[0] == "top_x_0"
    assert len(ds.pegrasp.samples()) == 2 * ds.sizes["grasp"]


def test_shards_merge_to_the_map(gear, tmp_path):
    problem, sets = gear
    pegrasp.map(problem, out=tmp_path / "whole", **sets, quiet=True)
    for k in (1, 2):
        part = pegrasp.map(problem, out=tmp_path / "parts", shard=f"{k}/2", **sets, quiet=True)
        assert part["part"] == k
    pegrasp.merge(tmp_path / "parts", out=tmp_path / "joined", quiet=True)
    assert_same_files(tmp_path / "whole", tmp_path / "joined", MAP_FILES)


def test_run_reports_what_the_command_reports(cli, tmp_path):
    scene = EXAMPLES / "scenes" / "momentum.json"
    report = pegrasp.run(scene, trajectory=tmp_path / "python.csv", contacts=tmp_path / "contacts.csv", loads=True)
    done = cli(
        "run", scene, "--json", "--trajectory", tmp_path / "cli.csv", "--contacts", tmp_path / "c.csv", "--loads"
    )
    assert (tmp_path / "python.csv").read_bytes() == (tmp_path / "cli.csv").read_bytes()
    assert (tmp_path / "contacts.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()
    other = json.loads(done.stdout)
    same = {k for k in other if "wall" not in k and "per_second" not in k and "speed" not in k}
    assert {k: report[k] for k in same} == {k: other[k] for k in same}


def test_decisions_write_the_files_of_the_commands(cli, gear, tmp_path):
    problem, sets = gear
    sets.update({"grid.x_mm": [-10.0, -9.0], "grid.y_mm": [-7.0], "map.samples": 100})
    pegrasp.map(problem, out=tmp_path / "map", **sets, quiet=True, no_step_check=True)
    cases = {
        "best": (("best.csv", "best.json"), {}),
        "explain": (("explain.csv", "explain.json", "explain_failures.csv"), {"cell": 0}),
    }
    for name, (files, options) in cases.items():
        result = getattr(pegrasp, name)(tmp_path / "map", out=tmp_path / f"python-{name}", **options)
        words = [word for k, v in options.items() for word in (f"--{k}", v)]
        cli(name, tmp_path / "map", "--out", tmp_path / f"cli-{name}", "--no-plot", "--quiet", *words)
        assert_same_files(tmp_path / f"python-{name}", tmp_path / f"cli-{name}", files)
        assert result == json.loads((tmp_path / f"cli-{name}" / f"{name}.json").read_text())


def test_pages_are_those_of_the_commands(cli, gear, tmp_path):
    problem, sets = gear
    pegrasp.map(problem, out=tmp_path / "m", **sets, quiet=True)
    page = pegrasp.report(tmp_path / "m")
    assert page == tmp_path / "m" / "report.html"
    by_function = page.read_bytes()
    cli("report", tmp_path / "m", "--quiet")
    assert page.read_bytes() == by_function
    pegrasp.replay(tmp_path / "m", cell=1, sample=0, html=tmp_path / "trial.html")
    pegrasp.show(problem, html=tmp_path / "start.html")
    for name in ("trial.html", "start.html"):
        assert b"</html>" in (tmp_path / name).read_bytes(), name


def test_rare_writes_the_files_of_the_command(cli, tmp_path):
    problem, sets = EXAMPLES / "puck" / "puck.toml", {"success.displacement_below_mm": 60.0}
    found = pegrasp.rare(problem, out=tmp_path / "a", runs=4, per_level=100, **sets, quiet=True)
    words = ("--runs", 4, "--per-level", 100, "--no-plot", "--quiet", *words_of(sets))
    cli("rare", problem, "--out", tmp_path / "b", *words)
    assert_same_files(tmp_path / "a", tmp_path / "b", ("rare.csv", "problem.toml"))
    assert 0.0 < found["probability"] < 0.02 and found["runs"] == 4


def test_design_writes_the_files_of_the_command(cli, tmp_path):
    problem = EXAMPLES / "feeder" / "feeder.toml"
    found = pegrasp.design(problem, out=tmp_path / "a", designs=3, samples=2, naive=True, quiet=True)
    words = ("--designs", 3, "--samples", 2, "--naive", "--no-plot", "--quiet")
    cli("design", problem, "--out", tmp_path / "b", *words)
    other = json.loads((tmp_path / "b" / "summary.json").read_text())
    assert found["designs"] == 3 and found["passed"] == other["passed"]
    for name in ("refused", "trials"):
        assert [level[name] for level in found["levels"]] == [level[name] for level in other["levels"]]


def test_optimise_writes_the_files_of_the_command(cli, tmp_path):
    problem = EXAMPLES / "optimise" / "putt.toml"
    found = pegrasp.optimise(problem, out=tmp_path / "a", evaluations=12, samples=50, quiet=True)
    cli("optimise", problem, "--out", tmp_path / "b", "--evaluations", 12, "--samples", 50, "--no-plot", "--quiet")
    assert_same_files(tmp_path / "a", tmp_path / "b", ("evaluations.csv", "optimum.toml", "optimise.json"))
    assert found["kind"] == "optimise" and 3 < found["evaluations"] <= 13


def test_plan_writes_the_files_of_the_command(cli, tmp_path):
    problem = EXAMPLES / "needle" / "needle.toml"
    few = {"plans": 6, "finalists": 2, "refined": 1, "evaluations": 3, "samples": 2, "fresh": 3}
    found = pegrasp.plan(problem, out=tmp_path / "a", **few, quiet=True)
    words = [word for name, value in few.items() for word in (f"--{name}", value)]
    cli("plan", problem, "--out", tmp_path / "b", *words, "--no-plot", "--quiet")
    assert_same_files(tmp_path / "a", tmp_path / "b", ("plans.csv", "best.toml", "plan.json"))
    assert found["kind"] == "plan" and found["drawn"] == 6 and found["fresh"]["trials"] == 3


def test_identify_writes_the_files_of_the_command(cli, tmp_path):
    problem, data = EXAMPLES / "identify" / "block.toml", EXAMPLES / "identify" / "track.csv"
    key = "body.block.support.friction"
    for method in ("batch", "window:50", "particles"):
        few = {"noise_mm": 0.5, "noise_deg": 0.5, "particles": 20, "walk": 0.02, "method": method}
        a, b = tmp_path / "a" / method, tmp_path / "b" / method
        found = pegrasp.identify(problem, data=data, fit=[f"{key}:0:1"], out=a, **few, quiet=True)
        words = [word for name, value in few.items() for word in (f"--{name.replace('_', '-')}", value)]
        words += ["--data", data, "--fit", f"{key}:0:1", "--no-plot", "--quiet"]
        cli("identify", problem, "--out", b, *words)
        assert_same_files(a, b, ("estimate.csv", "estimate.json"))
        assert found == json.loads((a / "estimate.json").read_text())
        assert found["kind"] == "identify" and found["method"] == method and found["numbers"] == 183
        assert found["parameters"][0]["name"] == key
        assert abs(found["parameters"][0]["value"] - 0.33) < (0.1 if method == "particles" else 0.01)
    with pytest.raises(pegrasp.InputError, match="low is not below high"):
        pegrasp.identify(problem, data=data, fit=[f"{key}:1:0"], out=tmp_path / "c", quiet=True)
    assert not (tmp_path / "c").exists()


def test_compare_of_two_problems(cli, gear, tmp_path):
    problem, sets = gear
    a, b = pegrasp.Problem.load(problem), pegrasp.Problem.load(problem)
    b.name = "heavier"
    b["body"][0]["mass_kg"] = 0.05
    result = pegrasp.compare(a, b, set=sets, out=tmp_path / "python", quiet=True)
    assert result == json.loads((tmp_path / "python" / "compare.json").read_text())
    (tmp_path / "heavier.toml").write_text(b.to_toml())
    cli(
        "compare",
        problem,
        tmp_path / "heavier.toml",
        "--out",
        tmp_path / "cli",
        "--quiet",
        "--no-plot",
        *words_of(sets),
    )
    assert_same_files(tmp_path / "python", tmp_path / "cli", ("compare.csv", "flips.csv"))
    b.name = a.name
    with pytest.raises(pegrasp.InputError, match="two problems in memory"):
        pegrasp.compare(a, b)


def test_check_and_info(cli, gear):
    problem, sets = gear
    assert pegrasp.check(problem, **sets) == cli("check", problem, *words_of(sets)).stdout
    assert pegrasp.info() == json.loads(cli("info", "--json").stdout)
    assert pegrasp.__version__ == pegrasp.info()["version"]


def test_validate(gear):
    problem, sets = gear
    report = pegrasp.validate(problem, set=sets, samples=2, quiet=True)
    assert report["trajectories"] if "trajectories" in report else report


def test_dump_and_solve(tmp_path):
    pegrasp.dump(EXAMPLES / "scenes" / "momentum.json", steps="1:40", out=tmp_path / "steps.h5", quiet=True)
    summary = pegrasp.solve(tmp_path / "steps.h5", solver=["path", "lemke"], out=tmp_path / "out", quiet=True)
    assert {"path", "lemke"} <= set(json.dumps(summary).replace('"', " ").split())


def test_faults_have_types(gear, tmp_path):
    problem, sets = gear
    with pytest.raises(pegrasp.InputError, match=r"gear\.toml: .*samplse.*did you mean"):
        pegrasp.map(problem, out=tmp_path / "a", **{"map.samplse": 3})
    assert issubclass(pegrasp.InputError, ValueError) and not (tmp_path / "a").exists()
    with pytest.raises(pegrasp.InputError, match="nothing.toml"):
        pegrasp.check(tmp_path / "nothing.toml")
    with pytest.raises(pegrasp.InputError, match="--samples"):
        pegrasp.map(problem, samples=0)
    with pytest.raises(TypeError, match="sampels"):
        pegrasp.map(problem, sampels=3)
    with pytest.raises(TypeError, match="not int"):
        pegrasp.map(3)
    with pytest.raises(pegrasp.InputError, match="no finished map"):
        pegrasp.open_map(tmp_path)


def test_exit_code_1_is_unresolved():
    scene = EXAMPLES / "scenes" / "gear_squeeze.json"
    with pytest.raises(pegrasp.UnresolvedError, match="not converged") as caught:
        pegrasp.run(scene, set={"simulation.max_iterations": 1, "simulation.solver": "pgs"})
    assert caught.value.exit_code == 1 and caught.value.result["steps"] > 0


def test_progress_is_told(gear, tmp_path):
    problem, sets = gear
    told = []
    pegrasp.map(problem, out=tmp_path / "out", **{**sets, "map.samples": 400}, progress=lambda *x: told.append(x))
    assert told and told[-1][2] == "trials" and told[-1][0] <= told[-1][1]
    with pytest.raises(ZeroDivisionError):
        pegrasp.map(problem, out=tmp_path / "b", **{**sets, "map.samples": 400}, progress=lambda *x: 1 / 0)


def test_one_scene_tells_its_steps(tmp_path):
    scene = EXAMPLES / "scenes" / "momentum.json"
    for call in (pegrasp.run, lambda s, **k: pegrasp.replay(s, html=tmp_path / "page.html", **k)):
        told = []
        call(scene, progress=lambda *x: told.append(x))
        assert told and told[-1][2] == "steps" and 0 < told[-1][0] <= told[-1][1]
        with pytest.raises(ZeroDivisionError):
            call(scene, progress=lambda *x: 1 / 0)


def test_solves_are_told(tmp_path):
    pegrasp.dump(EXAMPLES / "scenes" / "momentum.json", steps="1:40", out=tmp_path / "steps.h5", quiet=True)
    told, out = [], tmp_path / "out"
    pegrasp.solve(tmp_path / "steps.h5", solver=["path", "lemke"], out=out, progress=lambda *x: told.append(x))
    assert told[-1] == (told[-1][1], 2 * (told[-1][1] // 2), "solves")
    silent = []
    pegrasp.solve(tmp_path / "steps.h5", out=out, quiet=True, progress=lambda *x: silent.append(x))
    assert not silent


def test_two_threads_write_the_bytes_of_one(gear, tmp_path):
    problem, sets = gear
    for seed in (1, 2):
        pegrasp.map(problem, out=tmp_path / f"alone-{seed}", seed=seed, **sets, quiet=True)

    def work(seed):
        for _ in range(3):
            pegrasp.map(problem, out=tmp_path / f"both-{seed}", seed=seed, **sets, quiet=True)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed in (1, 2):
        assert_same_files(tmp_path / f"alone-{seed}", tmp_path / f"both-{seed}", MAP_FILES)


def test_the_package_has_the_command_line(cli, gear):
    problem, _ = gear

    def module(*words):
        done = subprocess.run([sys.executable, "-m", "pegrasp", *map(str, words)], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    for words, code in ((("check", problem), 0), (("check", "nothing.toml"), 2), (("map", "--sampels", 3), 2)):
        done = cli(*words, code=code)
        assert module(*words) == (code, done.stdout, done.stderr)
    assert module("map", "--help")[1] == cli("map", "--help").stdout
