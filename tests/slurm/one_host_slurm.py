"""A Slurm of this host alone: slurmctld and several slurmd, without munge and without cgroups. For tests of what `kgtrain submit`
gives to Slurm; needs Debian's slurm-wlm (scripts/setup.sh --with-slurm) and root.

    with OneHostSlurm(folder, nodes=5) as slurm:
        slurm.run("sbatch", ...)

    one_host_slurm.py FOLDER [NODES]    starts one, prints the environment it wants, and stops it at a line on standard input
"""
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

PARTITIONS = """\
PartitionName=low Nodes={nodes} Default=YES PriorityTier=1 PreemptMode=REQUEUE GraceTime={grace} State=UP MaxTime=60
PartitionName=high Nodes={nodes} PriorityTier=10 PreemptMode=OFF State=UP MaxTime=60
"""

CONFIGURATION = """\
ClusterName=kgtest
SlurmctldHost=localhost
SlurmUser=root
AuthType=auth/none
CredType=cred/none
PluginDir={plugins}
SlurmctldPort={controller}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=30
KillWait=10
MaxArraySize=64
EnforcePartLimits=ALL
JobRequeue=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmdParameters=config_overrides
NodeName=n[1-{count}] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[{first}-{last}] CPUs={cpus} RealMemory=8000
"""


def missing():
    """What stands in the way of a Slurm on this host, or an empty string."""
    programs = ["slurmctld-wlm", "slurmd-wlm", "slurmstepd-wlm", "sbatch", "srun", "scontrol", "squeue", "sinfo", "scancel"]
    absent = [name for name in programs if not find(name)]
    if absent:
        return f"not installed: {', '.join(absent)} (scripts/setup.sh --with-slurm)"
    return "" if os.geteuid() == 0 else "slurmctld and slurmd must be started by root"


def find(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_ports(count):
    """The first of so many consecutive ports that nobody listens on."""
    for first in range(17000, 30000, 100):
        try:
            for port in range(first, first + count):
                with socket.socket() as listener:
                    listener.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
    raise RuntimeError("no free ports")


class OneHostSlurm:
    def __init__(self, folder, nodes=4, cpus=2, grace=20):
        self.folder, self.nodes, self.cpus, self.grace = pathlib.Path(folder), nodes, cpus, grace
        self.daemons = []
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))

    def __enter__(self):
        (self.folder / "state").mkdir(parents=True)
        first = free_ports(self.nodes + 1)
        plugins = next(pathlib.Path("/usr/lib").glob("*/slurm-wlm"))
        for node in range(1, self.nodes + 1):
            (self.folder / f"spool-n{node}").mkdir()
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(plugins=plugins, controller=first, folder=self.folder, count=self.nodes, first=first + 1,
                                 last=first + self.nodes, cpus=self.cpus) +
            PARTITIONS.format(nodes=f"n[1-{self.nodes}]", grace=self.grace))
        self.start("slurmctld", [find("slurmctld-wlm"), "-D", "-i"])
        for node in range(1, self.nodes + 1):
            self.start_node(f"n{node}")
        self.wait_until(lambda: self.states() == {"idle": self.nodes}, "all nodes are idle", 60)
        return self

    def __exit__(self, *ignored):
        for name, daemon in reversed(self.daemons):
            daemon.terminate()
        for name, daemon in self.daemons:
            try:
                daemon.wait(timeout=10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def start(self, name, command):
        with open(self.folder / f"{name}.out", "ab") as log:
            self.daemons.append((name, subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                                        stderr=log)))

    def start_node(self, name):
        self.start(f"slurmd-{name}", [find("slurmd-wlm"), "-D", "-N", name, "-d", find("slurmstepd-wlm")])

    def run(self, *words, check=True):
        done = subprocess.run([str(word) for word in words], env=self.environment, capture_output=True, text=True)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
        return done.stdout

    def states(self):
        counts = {}
        for line in self.run("sinfo", "--noheader", "--Node", "--partition", "low", "--format", "%T", check=False).split():
            counts[line] = counts.get(line, 0) + 1
        return counts

    def jobs(self, job=None):
        """{member's id: (state, node, restarts)} of what squeue shows."""
        words = ["squeue", "--noheader", "--array", "--format", "%i %T %N", "--states", "all"]
        lines = self.run(*words, *(["--jobs", job] if job else []), check=False).splitlines()
        fields = [line.split() for line in lines]
        return {line[0]: (line[1], line[2] if len(line) > 2 else "") for line in fields if len(line) > 1}

    def wait_until(self, condition, what, seconds):
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise RuntimeError(f"waited {seconds} s until {what}; {self.run('squeue', '--array', check=False)}")
            time.sleep(0.5)


if __name__ == "__main__":
    if missing():
        sys.exit(missing())
    with OneHostSlurm(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 4) as running:
        print(f"export SLURM_CONF={running.environment['SLURM_CONF']}", flush=True)
        sys.stdin.readline()
