# SPDX-License-Identifier: Apache-2.0
"""Maps on the workers of a dask.distributed cluster (pip install 'pegrasp[dask]')."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from . import _core
from .commands import map as simulate
from .commands import merge, rows_file
from .errors import InputError
from .problem import Problem, ProblemLike, placed

if TYPE_CHECKING:
    import xarray


def run_part(problem: Any, index: int, parts: int, options: dict[str, Any], revision: str) -> bytes:
    """One part of a map's trials, simulated on a worker: the contents of its file."""
    if _core.revision != revision:
        raise InputError(f"a worker has revision {_core.revision} of pegrasp, not {revision}; install the same one")
    with tempfile.TemporaryDirectory(prefix="pegrasp-part-") as folder:
        simulate(problem, out=folder, shard=f"{index}/{parts}", quiet=True, **options)
        files = [file for file in Path(folder).iterdir() if file.is_file()]
        if len(files) != 1:
            raise RuntimeError(f"a part makes one file, not {len(files)}")
        return files[0].read_bytes()


def map(
    problem: ProblemLike,
    client: Any,
    *,
    parts: Optional[int] = None,
    out: Optional[Any] = None,
    no_plot: bool = True,
    quiet: bool = False,
    **options: Any,
) -> xarray.Dataset:
    """Simulates a problem's trials in `parts` tasks on a dask.distributed client and joins them.

    The files are those of pegrasp.map(), byte by byte, whichever worker ran a part, and how often: a task that is lost
    with its worker runs again elsewhere. parts: two for each worker by default. options: as of pegrasp.map(); files
    that the problem names must be there for all workers, and a problem file is read here. Workers use `threads=1`
    unless it is given.

    Raises what pegrasp.map() raises, and InputError where a worker has another revision of pegrasp.
    """
    file, texts = placed(problem)
    name = Path(file).stem
    count = parts if parts is not None else 2 * max(1, len(client.ncores()))
    if count < 2:
        raise InputError(f"parts: is {count}; give 2 or more, or use pegrasp.map()")
    try:
        text = texts[file] if file in texts else Path(file).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    sent = Problem(text, folder=Path(file).parent.absolute(), name=name)
    options = {"threads": 1, **options}
    run = uuid.uuid4().hex
    place = Path(out) if out is not None else Path("out") / name
    if options.get("samples_from") is not None:
        options["samples_from"] = Path(rows_file(options["samples_from"], place)).absolute()
    tasks = [
        client.submit(run_part, sent, k, count, options, _core.revision, pure=False, key=f"pegrasp-{run}-{k}")
        for k in range(1, count + 1)
    ]
    try:
        contents = client.gather(tasks)
    except BaseException:
        client.cancel(tasks)
        raise
    folder = Path(tempfile.mkdtemp(prefix="pegrasp-parts-"))
    try:
        files = [folder / f"part-{k}-of-{count}.samples" for k in range(1, count + 1)]
        for part, content in zip(files, contents):
            part.write_bytes(content)
        return merge(files, out=place, no_plot=no_plot, quiet=quiet)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
