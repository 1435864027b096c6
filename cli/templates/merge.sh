#!/bin/bash
# Joins the parts when all of them are done, written by `kgtrain submit`.
#SBATCH --job-name=@NAME@-merge
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=@RUN@/logs/merge-%j.out
@DIRECTIVES@

export KGTRAIN_HOME=@HOME@
@SETUP@
srun @COMMAND@
