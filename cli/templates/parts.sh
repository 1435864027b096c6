#!/bin/bash
# Parts of one piece of work, written by `kgtrain submit`: a job array in which each member does its units and stores them separately.
#SBATCH --job-name=@NAME@-parts
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=TERM@@GRACE@
#SBATCH --output=@RUN@/logs/parts-%A_%a.out
@DIRECTIVES@

run=@RUN@
export KGTRAIN_HOME=@HOME@
@SETUP@
part=part-$SLURM_ARRAY_TASK_ID
attempt=attempt-${SLURM_RESTART_COUNT:-0}
mkdir -p "$run/logs/$part/$attempt"
ln -sfn "$attempt" "$run/logs/$part/latest"

srun --output="$run/logs/$part/$attempt/part.log" \
  @COMMAND@
status=$?
# 75: stopped by a signal; 143: ended by one, which is safe for commands that store each unit at once. It continues from there.
if [ $status -eq 75 ] || [ $status -eq 143 ]; then
  scontrol requeue "$SLURM_JOB_ID"
fi
exit $status
