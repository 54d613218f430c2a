"""A real one-node Slurm from Debian as a peer: munge, controller and node daemon in a folder of their own."""
import os
import pathlib
import shutil
import socket
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
TUNED = ("SchedulerParameters=batch_sched_delay=1,sched_min_interval=0,sched_interval=1,default_queue_depth=10000,"
         "partition_job_depth=10000,bf_interval=1,bf_max_job_test=10000,max_rpc_cnt=0\n")


def installed():
    return all(shutil.which(p, path=os.environ["PATH"] + ":/usr/sbin") for p in ("slurmctld", "slurmd", "munged", "sbatch"))


def _port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Slurm:
    """`with Slurm(folder, tuned=True) as slurm: slurm.run("sbatch", …)`"""

    def __init__(self, folder, tuned):
        self.folder = pathlib.Path(folder)
        self.tuned = tuned
        self.processes = []
        host = socket.gethostname().split(".")[0]
        for name in ("munge", "state", "spool", "log"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o755)
        (self.folder / "slurm.conf").write_text(f"""ClusterName=bench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={_port()}
SlurmdPort={_port()}
AuthType=auth/munge
AuthInfo=socket={self.folder}/munge/munge.sock
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/ctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
SlurmctldLogFile={self.folder}/log/ctld.log
SlurmdLogFile={self.folder}/log/slurmd.log
SlurmctldDebug=error
SlurmdDebug=error
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MaxJobCount=200000
MaxArraySize=20001
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=64 RealMemory=20000 State=UNKNOWN
PartitionName=p Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
""" + (TUNED if tuned else ""))
        self.env = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": os.environ["PATH"] + ":/usr/sbin"}

    def __enter__(self):
        munge = self.folder / "munge"
        key = munge / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        subprocess.run(["chown", "-R", "munge", munge], check=True)
        self._start("runuser", "-u", "munge", "--", "/usr/sbin/munged", "--foreground", "--force", f"--key-file={key}",
                    f"--socket={munge}/munge.sock", f"--pid-file={munge}/pid", f"--log-file={munge}/log",
                    f"--seed-file={munge}/seed", "--num-threads=4")
        self._until(lambda: (munge / "munge.sock").exists(), "munge")
        self._start("/usr/sbin/slurmctld", "-D", "-c")
        self._start("/usr/sbin/slurmd", "-D")
        self._until(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T", check=False), "the node")
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()

    def _start(self, *words):
        log = (self.folder / "log" / f"{pathlib.Path(words[0]).name}.out").open("ab")
        self.processes.append(subprocess.Popen(words, env=self.env, stdout=log, stderr=log, stdin=subprocess.DEVNULL))

    def _until(self, check, what, patience=30):
        deadline = time.monotonic() + patience
        while not check():
            if time.monotonic() > deadline:
                raise RuntimeError(f"Slurm: {what} did not come up; see {self.folder}/log")
            time.sleep(0.1)

    def run(self, *words, check=True):
        return subprocess.run(words, env=self.env, capture_output=True, text=True, check=check).stdout

    def jobs_per_second(self, count):
        """`true` jobs from the first submission to the last end, by one array: Slurm's fastest way in."""
        script = self.folder / "true.sh"
        script.write_text("#!/bin/sh\ntrue\n")
        began = time.monotonic()
        self.run("sbatch", "-Q", "-o", "/dev/null", f"--array=1-{count}", str(script))
        while self.run("squeue", "-h", "-o", "%i").strip():
            time.sleep(0.02)
        return count / (time.monotonic() - began)

    def first_instruction(self, times):
        """Seconds from calling sbatch to the first instruction of the job, on an idle machine."""
        seen = []
        script = self.folder / "stamp.sh"
        for i in range(times):
            out = self.folder / f"stamp.{i}"
            script.write_text(f"#!/bin/sh\ndate +%s.%N > {out}.new; mv {out}.new {out}\n")
            began = time.time()
            self.run("sbatch", "-Q", "-o", "/dev/null", str(script))
            self._until(out.exists, "a job")
            seen.append(float(out.read_text()) - began)
            while self.run("squeue", "-h", "-o", "%i").strip():
                time.sleep(0.02)
        return sorted(seen)[len(seen) // 2]

    def submissions_per_second(self, count, threads=16):
        """Held jobs through Slurm's own C API."""
        program = self.folder / "submit"
        subprocess.run(["cc", "-O2", "-o", program, HERE / "slurm_submit.c", "-lslurm", "-lpthread"], check=True)
        rate = float(self.run(str(program), str(count), str(threads)))
        self.run("scancel", "--me", check=False)
        return rate
