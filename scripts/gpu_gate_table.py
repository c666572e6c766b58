# SPDX-License-Identifier: Apache-2.0
"""The short table that closes the output of gpu_gate.py, from the documents that it writes to gate.json and
bench.json."""

import json
import pathlib

PREDICTED = pathlib.Path(__file__).resolve().parents[1] / "bench/studies/gpu_static/predicted.json"
AUTOMATIC_TEAM = 8  # lanes that share a scene where nobody asks for another number

STAGES = ["tests", "maps", "scenes", "bench", "shapes", "fast", "batched", "sanitize"]


def verdict_of(result):
    if not result["passed"]:
        return "FAILED"
    return "passed" if not result.get("not_shown") else "in part"


def beside_prediction(name, rate):
    """What was predicted for a benchmark on a GPU, and where its measured rate lies; empty where nothing was."""
    known = json.loads(PREDICTED.read_text(encoding="utf-8"))
    for one in known["rates"]:
        if one["name"] != name or one["team_size"] != AUTOMATIC_TEAM:
            continue
        low, high = one["scene_steps_per_s"]
        where = (f"{low / rate:.1f} times below" if rate < low else f"{rate / high:.1f} times above"
                 if rate > high else "within")
        return f"  predicted for an {known['device']} {low:.2g} to {high:.2g}: {where}"
    return ""


def table(gate, bench):
    """The short table that closes the output."""
    yield f"pegrasp GPU gate, {gate['device']}, {gate['date']}"
    if gate["backend"] == "cpu":
        yield "tried out on the CPU: nothing of a GPU was shown"
    if (tests := gate.get("tests")) and "run" in tests:
        lost = f"; {len(tests['processes_lost'])} of {tests['processes']} processes did not end" if tests[
            "processes_lost"] else ""
        yield (f"tests    {verdict_of(tests):7} {tests['run']} run, {tests['failed']} failed, "
               f"{tests['skipped']} skipped{lost}")
    if (maps := gate.get("maps")) and "maps" in maps:
        equal = sum(row["verdict"] == "equal" for row in maps["maps"])
        whole = sum(row.get("hdf5") == "equal" for row in maps["maps"])
        yield (f"maps     {verdict_of(maps):7} {equal} of {len(maps['maps'])} have the same map.csv on CPU and GPU, "
               f"{whole} the same numbers in map.h5")
    if (scenes := gate.get("scenes")) and "comparisons" in scenes:
        rows = scenes["comparisons"]
        count = {verdict: sum(row["verdict"] == verdict for row in rows)
                 for verdict in ("equal", "differs", "failed", "refused", "skipped")}
        steps = sum(row["scene_steps"] for row in rows)
        yield (f"scenes   {verdict_of(scenes):7} {count['equal']} comparisons bit by bit equal, {count['differs']} "
               f"differ, {count['failed']} failed, {steps} scene-steps; "
               f"scenes stopped on their way {sum(row.get('stopped', 0) for row in rows)} times; {count['refused']} "
               f"not run so on any backend, {count['skipped']} skipped")
    if (shapes := gate.get("shapes")) and "shapes" in shapes:
        yield f"shapes   {verdict_of(shapes):7} teams, workspaces, model: scene-steps/s"
        for row in shapes["arrangements"]:
            yield f"  batches {row['arrangement']}: {row['verdict']}, {row['equal']} comparisons of the examples"
        for row in shapes["shapes"]:
            rates = ", ".join(f"{one['name']} {one['arithmetic']} "
                              f"{one['scene_steps_per_s']:,.0f}"
                              f"{'' if one['as_asked'] else ' (does not fit into shared memory)'}"
                              for one in row["measured"] if one["scene_steps_per_s"])
            compared = "same bits" if row["equal"] else ", ".join(sorted({one["verdict"]
                    for one in row["comparisons"]}))
            yield f"  {row['team_size']:3} {row['workspaces']:7} {row['model']:7} {compared}  {rates}"
    if (fast := gate.get("fast")) and "fast" in fast:
        yield f"fast     {verdict_of(fast):7} outcomes that fast arithmetic changed, and its speed by that of strict"
        for row in fast["fast"]:
            if row["verdict"] != "compared":
                yield f"  {row['scene']:24} {row['verdict']}: {row['why']}"
                continue
            yield (f"  {row['scene']:24} {row['changed']} of {row['trials']} changed ({row['lost']} lost, {row['won']} "
                   f"won, {row['unresolved_alone']} unresolved by one alone), "
                   f"unresolved {row['strict']['unresolved']} strict, {row['fast']['unresolved']} fast; "
                   f"{row['gain']:.2f} times as fast")
    if (batched := gate.get("batched")) and "runs" in batched:
        yield f"batched  {verdict_of(batched):7} large scenes with both strategies: scene-steps/s"
        for row in batched["runs"]:
            rate = f"{row['scene_steps_per_s']:,.1f}" if row["scene_steps_per_s"] else row["verdict"]
            yield f"  {row['name']:12} {row['strategy']:9} {row['arithmetic']:6} {rate}  {row['shape']}"
    if (sanitized := gate.get("sanitize")) and "runs" in sanitized:
        clean = sum(row["verdict"] == "clean" for row in sanitized["runs"])
        yield (f"sanitize {verdict_of(sanitized) if sanitized['runs'] else 'NOTHING SHOWN'} {clean} of "
               f"{sanitized['planned']} runs of compute-sanitizer ended without a finding")
    if bench:
        yield f"bench    {verdict_of(bench)}"
        for backend in dict.fromkeys(("cpu", gate["backend"])):
            for row in (bench.get(backend) or {}).get("benchmarks", []):
                yield (f"  {row['name']:12} {backend:5} {row['threads']:3} threads {row['scenes']:8} scenes "
                       f"{row['scene_steps_per_s']:14,.0f} scene-steps/s  {row['wall_min_s']:8.3f} s"
                       f"{beside_prediction(row['name'], row['scene_steps_per_s']) if backend == 'cuda' else ''}")
    for name, result in parts_of(gate, bench):
        if "error" in result:
            yield f"{name} was not finished: {result['error']}"
        for what in result.get("not_shown", []):
            yield f"{name} has not shown {what}"
    yield "gate     " + ("FAILED" if not gate["passed"] else "passed, but for what was not shown" if gate["not_shown"]
                         else "passed")


def parts_of(gate, bench):
    parts = {**{name: gate.get(name) for name in STAGES}, "bench": bench}
    return [(name, parts[name]) for name in STAGES if parts[name]]
