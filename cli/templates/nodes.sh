#!/bin/bash
# The worker nodes of a run, written by `kgtrain submit`: a job array whose members may come, go and be preempted at any time.
#SBATCH --job-name=@NAME@-nodes
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=TERM@@GRACE@
#SBATCH --output=@RUN@/logs/nodes-%A_%a.out
@DIRECTIVES@

run=@RUN@
export KGTRAIN_HOME=@HOME@
@SETUP@
name=node-$SLURM_ARRAY_TASK_ID
attempt=attempt-${SLURM_RESTART_COUNT:-0}
mkdir -p "$run/logs/$name/$attempt"
ln -sfn "$attempt" "$run/logs/$name/latest"

srun --output="$run/logs/$name/$attempt/node.log" \
  @COMMAND@ --name "$name" --key-name "$name"
status=$?
# 75: asked to stop (preemption, the time limit): the node comes back when there is room. 0: the run has ended.
if [ $status -eq 75 ]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit $status
