#!/bin/bash
# The learner of a run, written by `kgtrain submit`. Submitted again unchanged, it continues from the newest checkpoint.
#SBATCH --job-name=@NAME@-learner
#SBATCH --nodes=@LEARNERS@
#SBATCH --ntasks-per-node=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=TERM@@GRACE@
#SBATCH --output=@RUN@/logs/learner-%j.out
@DIRECTIVES@

run=@RUN@
export KGTRAIN_HOME=@HOME@
@SETUP@
attempt=attempt-${SLURM_RESTART_COUNT:-0}
mkdir -p "$run/logs/learner/$attempt"
ln -sfn "$attempt" "$run/logs/learner/latest"

# The address where several learners meet: the job's first node.
first=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
address=$(scontrol show node "$first" | sed -n 's/.*NodeAddr=\([^ ]*\).*/\1/p')
export MASTER_ADDR=${address:-$first} MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))

srun --wait=300 --output="$run/logs/learner/$attempt/rank-%t.log" bash -c '
  export RANK=$SLURM_PROCID WORLD_SIZE=$SLURM_NTASKS
  exec "$@"' learner \
  @COMMAND@
status=$?
# 75: stopped by a signal, its checkpoint written. A script that ends well within the grace time is not requeued by Slurm.
if [ $status -eq 75 ]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit $status
