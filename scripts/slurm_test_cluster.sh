#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command with a Slurm of its own on this machine, which tests use: a controller, a daemon and Munge, with their
# configuration, ports and files in FOLDER. Needs root, and Debian's slurmctld, slurmd, slurm-client and munge
# (scripts/install_deps.sh --dev). Ends with 77 where they are missing, do not start, or run no job, and says why.
#   scripts/slurm_test_cluster.sh FOLDER COMMAND [ARGUMENT...]
set -euo pipefail
folder=$(cd "$1" && pwd)
shift
absent() {
  echo "no Slurm here: $1" >&2
  exit 77
}
for program in slurmctld slurmd sbatch scontrol munged; do
  PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || absent "$program is not installed"
done
[ "$(id -u)" = 0 ] || absent "its daemons need root"
PATH=$PATH:/usr/sbin
host=$(uname -n)
host=${host%%.*}
mkdir -p "$folder/state" "$folder/spool" "$folder/munge"
(umask 077 && head -c 64 /dev/urandom >"$folder/munge/key")
port=$((20000 + $$ % 20000))
cat >"$folder/slurm.conf" <<CONF
ClusterName=pegrasp
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
KillWait=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=main Nodes=$host Default=YES State=UP
CONF
export SLURM_CONF=$folder/slurm.conf
end_all() {
  local file
  for file in slurmd.pid slurmctld.pid munge/pid; do
    [ ! -s "$folder/$file" ] || kill "$(cat "$folder/$file")" 2>/dev/null || true
  done
}
trap end_all EXIT
munged --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/pid" \
  --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" --force >&2 || absent "munged does not start"
slurmctld -c -f "$SLURM_CONF" && slurmd -c -f "$SLURM_CONF" || absent "slurmctld or slurmd does not start"
for ((i = 0; i < 300; ++i)); do
  ! sinfo -h -o %t 2>/dev/null | grep -q idle || break
  sleep 0.1
done
[ "$i" -lt 300 ] || absent "the node does not become idle: $(tail -n 3 "$folder/slurmd.log")"
# A machine that confines processes may start the daemons and still run no job.
sbatch --output="$folder/probe.log" --wrap "echo runs" >/dev/null || absent "sbatch fails"
for ((i = 0; i < 300; ++i)); do
  if grep -qs runs "$folder/probe.log" && [ -z "$(squeue -h)" ]; then break; fi
  sleep 0.1
done
[ "$i" -lt 300 ] || absent "a job does not run: $(squeue -h; tail -n 3 "$folder/slurmd.log")"
"$@"
