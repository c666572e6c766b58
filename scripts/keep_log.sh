#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A compiler launcher that keeps what the compiler says: keep_log.sh COMMAND... -o OBJECT ... runs the command and
# leaves its output in OBJECT.log, too. scripts/lint_ptx.py --kept reads there what ptxas -v says of each kernel.
# KEEP_PTX_ONLY, a regular expression: objects with such names get PTX and no machine code, and their log says so. For
# machines without a GPU, where ptxas would take minutes for code that nothing runs.
object=
for ((i = 1; i < $#; ++i)); do
  [ "${!i}" = -o ] && { next=$((i + 1)); object=${!next}; }
done
[ -n "$object" ] || exec "$@"
: >"$object.log"
if [ -n "${KEEP_PTX_ONLY:-}" ] && [[ $object =~ $KEEP_PTX_ONLY ]]; then
  echo "ptxas info: PTX only" >"$object.log"
  set -- "${@/%code=\[sm_90\]/code=[compute_90]}"
fi
"$@" >>"$object.log" 2>&1
result=$?
# ptxas reports on every kernel: of these lines a build shows none, of warnings and errors all.
grep -vE '^ptxas info|Function properties for|bytes stack frame|^ptxas \.|^$' "$object.log" >&2
exit $result
