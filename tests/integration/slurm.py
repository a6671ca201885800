"""A Slurm cluster of this machine alone, on loopback: for tests of what srun, sbatch and scancel do."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from program import environment

DAEMONS = ("munged", "slurmctld", "slurmd")
CLIENTS = ("srun", "sbatch", "scancel", "scontrol", "sinfo", "squeue")
SETTINGS = """\
ClusterName=qanat
SlurmctldHost=localhost
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# A job that is put back into the queue starts when its credentials have expired.
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
MailProg=/bin/true
NodeName=localhost CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def program(name):
    """Its path; daemons are where users rarely look. None: not installed."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def why_not():
    """Why there can be no cluster here; empty: there can."""
    missing = [name for name in (*DAEMONS, *CLIENTS) if not program(name)]
    if missing:
        return f"no {', '.join(missing)} (packages slurm-wlm and munge)"
    return "" if os.geteuid() == 0 else "slurmd needs root"


class Cluster:
    """Runs until stop(). Its files are in a folder of its own."""

    def __init__(self, ports):
        # Short: the path of a socket has to fit into 108 bytes.
        self.temporary = tempfile.TemporaryDirectory(prefix="slurm")
        self.folder = pathlib.Path(self.temporary.name)
        self.processes = []
        self.variables = {"SLURM_CONF": str(self.folder / "slurm.conf")}
        try:
            self.start(ports)
        except BaseException:
            self.stop()
            raise

    def start(self, ports):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        (self.folder / "slurm.conf").write_text(SETTINGS.format(
            ports=ports, folder=self.folder, cores=max(2, os.cpu_count())))
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.folder.chmod(0o755)
        self.run_daemon("munged", "--foreground", "--force", f"--key-file={key}",
                        *(f"--{name}-file={self.folder}/munged.{name}" for name in ("pid", "seed", "log")),
                        f"--socket={self.folder}/munge.socket")
        self.wait_until("munged", (self.folder / "munge.socket").exists)
        self.run_daemon("slurmctld", "-D", "-c")
        self.run_daemon("slurmd", "-D", "-c")
        self.wait_until("the node", lambda: self.ask("sinfo", "--noheader", "--format=%T") == "idle")

    def run_daemon(self, name, *arguments):
        with open(self.folder / f"{name}.out", "w", encoding="utf-8") as output:
            self.processes.append(subprocess.Popen(
                [program(name), *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env=environment(**self.variables)))

    def ask(self, *command):
        """What a client prints."""
        result = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, timeout=60, env=environment(**self.variables))
        return result.stdout.strip()

    def wait_until(self, what, is_so, timeout=60):
        deadline = time.monotonic() + timeout
        while not is_so():
            if time.monotonic() > deadline:
                raise TimeoutError(f"Slurm: no {what}\n{self.said()}")
            time.sleep(0.1)

    def said(self):
        return "\n".join(f"{path.name}:\n{path.read_text(errors='replace')[-2000:]}"
                         for path in sorted(self.folder.glob("*.out")))

    def job_state(self, job):
        """RUNNING, COMPLETED, ..."""
        shown = self.ask("scontrol", "--oneliner", "show", "job", job)
        return dict(part.partition("=")[::2] for part in shown.split()).get("JobState", "")

    def stop(self):
        if len(self.processes) == len(DAEMONS):
            self.ask("scancel", "--user=root")  # what is still running
            self.wait_until("end of jobs", lambda: not self.ask("squeue", "--noheader"))
        for process in reversed(self.processes):
            process.terminate()
        for process in reversed(self.processes):
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.temporary.cleanup()
