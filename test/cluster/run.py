#!/usr/bin/env python3
"""Runs ccbf-pipeline on Prism, Apache Spark and Apache Flink on this machine: make cluster.

It downloads each engine into build/cluster, starts it, runs each case, compares the
sorted output byte by byte with that of DuckDB alone, kills a worker in the middle of one more
run, and stops the engine again. The table that it prints is the one of docs/SCALE.md. What
could not be downloaded is named, and left out.
"""
import argparse, glob, json, os, re, shutil, signal, socket, subprocess, sys, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIR = ROOT + "/build/cluster"
SHELL, PIPELINE = ROOT + "/build/ccbfsql", ROOT + "/build/ccbf-pipeline"
BEAM = "2.62.0"  # of the job servers: the newest that Maven Central has whole
LOGGING = ("org.slf4j", "slf4j-jdk14", "1.7.30")
JAVA = [f"--add-opens=java.base/{p}=ALL-UNNAMED" for p in (
    "java.lang java.lang.invoke java.lang.reflect java.io java.net java.nio java.util java.util.concurrent "
    "java.util.concurrent.atomic sun.nio.ch sun.nio.cs sun.security.action sun.util.calendar").split()]
TMP = DIR + "/tmp"


class Missing(Exception):
    """Something that cannot be downloaded."""


def load(what, folder, command, **kw):
    """Downloads once: the folder is complete when its mark is there."""
    mark = folder + "/.complete"
    if not os.path.exists(mark):
        print("Downloading", what, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **kw)
        if done.returncode:
            raise Missing(f"{what}: {' '.join(command[:4])} ...\n{done.stdout[-1500:]}")
        open(mark, "w").close()
    return folder


def package(name):
    return load(name, f"{DIR}/{name}", [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--root-user-action=ignore",
                                         "--target", f"{DIR}/{name}", name])


def jars(runner, without=(), more=()):
    """The jars of a job server, without those that the engine brings, and some more."""
    folder = f"{DIR}/{runner}-{BEAM}"
    os.makedirs(DIR + "/pom", exist_ok=True)
    pom = f"{DIR}/pom/{runner}.xml"
    with open(pom, "w") as f:
        f.write('<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
                '<groupId>ccbf</groupId><artifactId>job-server</artifactId><version>1</version><dependencies>')
        beam = [("org.apache.beam", a, BEAM) for a in (runner, "beam-runners-java-job-service")]
        for group, a, version in (*beam, *more):
            f.write(f"<dependency><groupId>{group}</groupId><artifactId>{a}</artifactId><version>{version}</version><exclusions>"
                    + "".join(f"<exclusion><groupId>{g}</groupId><artifactId>*</artifactId></exclusion>" for g in without) + "</exclusions></dependency>")
        f.write("</dependencies></project>")
    return load(f"{runner} {BEAM}", folder, ["mvn", "-B", "-q", "-f", pom, "dependency:copy-dependencies",
                                             "-DincludeScope=runtime", "-DoutputDirectory=" + folder])


started = []  # processes, each the leader of a group of its own


def start(name, command, **env):
    log = open(f"{DIR}/{name}.log", "w")
    p = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=DIR, start_new_session=True,
                         env={**os.environ, "TMPDIR": TMP, **env})
    started.append(p)
    return p


def stop():
    """Asks each process to end, which then ends its workers, and kills what is left of its group."""
    for p in reversed(started):
        p.terminate()
        try:
            p.wait(10)
        except subprocess.TimeoutExpired:
            pass
        time.sleep(0.5)
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        p.wait()
    started.clear()


def await_port(port, process):
    end = time.time() + 60
    while time.time() < end and process.poll() is None:
        try:
            socket.create_connection(("localhost", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"nothing listens at port {port}: see the logs in {DIR}")


def processes():
    """Process ID, group, own processor time in s, and command line of every process."""
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            f = open(stat).read().rpartition(")")[2].split()
            command = open(stat[:-4] + "cmdline").read().split("\0")
        except (OSError, ValueError):
            continue  # the process has ended meanwhile
        yield int(stat.split("/")[2]), int(f[2]), (int(f[11]) + int(f[12])) / os.sysconf("SC_CLK_TCK"), command


class Meter(threading.Thread):
    """Processor time and peak memory of all that was started, ten times a second."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self.before = self.look()[0]
        self.client, self.seen, self.peak, self.done = client, dict(self.before), 0, threading.Event()

    @staticmethod
    def look(client=0):
        groups = {p.pid for p in started} | {client}
        cpu, memory = {}, 0
        for pid, group, own, _ in processes():
            if group in groups:
                if group != client:  # whose time the system counts when it has ended
                    cpu[pid] = own
                try:  # the proportional share (PSS): memory that several processes share counts once
                    memory += int(re.search(r"^Pss:\s+(\d+)", open(f"/proc/{pid}/smaps_rollup").read(), re.M)[1])
                except (OSError, TypeError):
                    pass
        return cpu, memory

    def run(self):
        while not self.done.wait(0.1):
            cpu, memory = self.look(self.client)
            self.seen.update(cpu)
            self.peak = max(self.peak, memory)

    def end(self):
        self.done.set()
        self.join()
        self.seen.update(self.look()[0])
        return sum(self.seen.values()) - sum(self.before.values()), self.peak / 1024


def measure(command):
    """Runs a command to its end. Returns its output and a row of the table."""
    with open(DIR + "/client.log", "w") as log:
        begin = time.time()
        p = subprocess.Popen(["timeout", "900", *command], stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=DIR, start_new_session=True, env={**os.environ, "TMPDIR": TMP})
        meter = Meter(p.pid)
        meter.start()
        _, status, usage = os.wait4(p.pid, 0)
        took = time.time() - begin
        cpu, peak = meter.end()
    out = open(DIR + "/client.log").read()
    if status:
        raise RuntimeError(f"{' '.join(command)}\n{out[-3000:]}")
    sent = re.search(r"(\d+)  bytes sent", out)
    return took, cpu + usage.ru_utime + usage.ru_stime, max(peak, usage.ru_maxrss / 1024), int(sent[1]) / 1e6 if sent else None


def sql(text):
    with open(DIR + "/run.sql", "w") as f:
        f.write(text)
    return [SHELL, "-f", DIR + "/run.sql"]


SKETCH = "ccbf_agg(lon, lat, {res}) AS sketch, count(*) AS n FROM input GROUP BY ALL"


def cases(points):
    """Name, glob of the input, and query of each case. Input is made once."""
    def make(name, files, rows, key="i % 50"):
        folder = f"{DIR}/in/{name}-{rows}"
        if not os.path.isdir(folder):
            os.makedirs(folder + ".part", exist_ok=True)
            text = "".join(f"""COPY (SELECT {key} AS key, (hash(i) % 360000000)/1e6 - 180 AS lon, (hash(i + 10000000000) % 170000000)/1e6 - 85 AS lat
                FROM range({f * rows}::BIGINT, {(f + 1) * rows}::BIGINT) t(i)) TO '{folder}.part/{f:04}.parquet';\n""" for f in range(files))
            subprocess.run(sql(text), check=True, stdout=subprocess.DEVNULL)
            os.rename(folder + ".part", folder)
        return folder + "/*.parquet"

    by_key = "SELECT key, " + SKETCH
    return [
        ("1,045,096 crimes, one file", ROOT + "/test/data/uk_crime_2018q4.parquet",
         "SELECT month, quadkey(lon, lat, 6, 0.001) AS tile, " + SKETCH.format(res=0.001)),
        ("1 million points, half of one key, 8 files", make("half", 8, 125_000, "CASE WHEN i % 2 = 0 THEN 0 ELSE i % 50 END"), by_key.format(res=0.1)),
        ("200,000 keys of one point each, one file", make("keys", 1, 200_000, "i"), by_key.format(res=0.1)),
        ("1 million points, 2,000 files", make("small", 2000, 500), by_key.format(res=0.1)),
        (f"{points:,} points, 200 files", make("many", 200, points // 200), by_key.format(res=1)),
    ]


def alone(files, query):
    """DuckDB alone, and what the others are compared with."""
    row = measure(sql(f"COPY (WITH input AS (FROM read_parquet('{files}')) {query}) TO '{DIR}/alone.parquet' (FORMAT parquet, COMPRESSION zstd);"))
    subprocess.run(sql(f"COPY (SELECT * REPLACE (hex(sketch) AS sketch) FROM '{DIR}/alone.parquet' ORDER BY ALL) TO '{DIR}/alone.csv';"), check=True)
    return row


def pipeline(files, query, flags):
    """A run of the pipeline, whose manifest names what is compared."""
    shutil.rmtree(DIR + "/out", ignore_errors=True)
    row = measure([PIPELINE, "-in", files, "-sql", query, "-out", DIR + "/out/run", "-files", "2"] + flags)
    named = json.load(open(DIR + "/out/run.manifest.json"))["files"]
    assert sorted(named) == sorted(glob.glob(DIR + "/out/*/*")), "files that the manifest does not name"
    subprocess.run(sql(f"COPY (SELECT * REPLACE (hex(sketch) AS sketch) FROM read_parquet({named}) ORDER BY ALL) TO '{DIR}/run.csv';"), check=True)
    subprocess.run(["cmp", DIR + "/alone.csv", DIR + "/run.csv"], check=True)
    left = glob.glob(TMP + "/*")
    if left and not flags:
        raise RuntimeError(f"temporary folders are left: {left}")
    return row


class Killer(threading.Thread):
    """Kills the first worker that is in the middle of its work, and notes those that begin later."""

    def __init__(self):
        super().__init__(daemon=True)
        self.killed, self.before, self.later, self.done = None, set(), set(), threading.Event()

    def run(self):
        while not self.done.wait(0.02):
            workers = {pid: cpu for pid, _, cpu, command in processes() if command[0] == PIPELINE and command[1:2] == ["worker"]}
            if self.killed:
                self.later |= workers.keys() - self.before
                continue
            self.before |= workers.keys()
            for pid, cpu in workers.items():
                if cpu > 0.6 and not self.killed:
                    os.kill(pid, signal.SIGKILL)
                    self.killed = pid


def kill_one(files, query, flags, replaced):
    """A run whose worker is killed. Where the engine does not replace it, the run must fail and leave nothing."""
    killer = Killer()
    killer.start()
    try:
        row = pipeline(files, query, flags)
        ended = None
    except RuntimeError as e:
        ended = e
    finally:
        killer.done.set()
        killer.join()
    if not killer.killed:
        raise RuntimeError("the run ended before a worker was in the middle of its work")
    if replaced:
        if ended:
            raise ended
        if not killer.later:
            raise RuntimeError("no worker took the place of the one that was killed")
        return row
    for folder in glob.glob(TMP + "/ccbf-worker-*"):  # Prism may kill the process that would remove the folder
        shutil.rmtree(folder)
    left = glob.glob(DIR + "/out/*")
    if not ended or left:
        raise RuntimeError(f"a worker was killed, and the run left {left}")
    return pipeline(files, query, flags)


def prism():
    """Prism as a server, whose workers are processes."""
    program = subprocess.run(["go", "tool", "-n", "prism"], cwd=ROOT + "/beam", check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    await_port(8073, start("prism", [program, "-job_port=8073", "-serve_http=false"]))
    return ["-runner=prism", "-endpoint=localhost:8073", "-environment_type=PROCESS"]


def spark():
    """A standalone master, two workers of one core each, and Beam's job server."""
    home = package("pyspark==3.5.6") + "/pyspark"
    lib = jars("beam-runners-spark-3", ["org.slf4j"])
    env = {"SPARK_HOME": home, "SPARK_SCALA_VERSION": "2.12", "SPARK_LOCAL_IP": "127.0.0.1"}
    # Beam's Guava before Spark's, which is older.
    guava = sorted(glob.glob(lib + "/guava-*.jar"))
    path = ":".join(guava) + f":{home}/jars/*:{lib}/*"
    # The job server sends each executor all that is on its own path: no more than it needs.
    unused = re.compile("hive|mllib|kubernetes|derby|datanucleus|jdo|arrow|parquet|orc|mesos|spark-(sql|catalyst|repl|yarn|graphx)|hadoop-yarn|breeze|spire|algebra|"
                        "antlr|calcite|jline|okhttp|JTransforms|arpack|blas|lapack|netlib|scala-compiler|scala-reflect|tink|zookeeper|curator")
    server = guava + [j for j in glob.glob(home + "/jars/*.jar") if not unused.search(os.path.basename(j))] + [lib + "/*"]
    await_port(7077, start("spark-master", ["java", "-Xmx512m", "-cp", home + "/jars/*", "org.apache.spark.deploy.master.Master",
                                            "--host", "localhost", "--port", "7077", "--webui-port", "8180"], **env))
    for n in "12":
        shutil.rmtree(f"{DIR}/spark-work-{n}", ignore_errors=True)
        start("spark-worker-" + n, ["java", "-Xmx512m", "-Dspark.worker.cleanup.enabled=true", "-cp", home + "/jars/*", "org.apache.spark.deploy.worker.Worker", "--cores", "1", "--memory", "2g",
                                    "--webui-port", f"818{n}", "--work-dir", f"{DIR}/spark-work-{n}", "spark://localhost:7077"], **env)
    await_port(8099, start("spark-job-server", ["java", "-Xmx1g", *JAVA, f"-Dspark.executor.extraClassPath={path}", "-Dspark.executor.memory=1g", "-Dspark.ui.enabled=false", "-cp", ":".join(server),
                                                "org.apache.beam.runners.spark.SparkJobServerDriver", "--spark-master-url=spark://localhost:7077", "--job-host=localhost",
                                                "--job-port=8099", "--artifact-port=0", "--expansion-port=0", f"--artifacts-dir={DIR}/artifacts"], **env))
    return ["-runner=spark", "-endpoint=localhost:8099", "-environment_type=PROCESS"]


def flink():
    """One JobManager, two TaskManagers of one slot each, and Beam's job server."""
    lib = jars("beam-runners-flink-1.19", more=[LOGGING]) + "/*"
    conf = DIR + "/flink"
    os.makedirs(conf, exist_ok=True)
    with open(conf + "/config.yaml", "w") as f:  # Flink's scripts, which Maven Central does not have, would compute the memory
        f.write("""jobmanager.rpc.address: localhost
rest.address: localhost
rest.port: 8081
parallelism.default: 2
classloader.resolve-order: parent-first
restart-strategy.type: fixed-delay
restart-strategy.fixed-delay.attempts: 3
restart-strategy.fixed-delay.delay: 1 s
taskmanager.host: localhost
taskmanager.numberOfTaskSlots: 1
taskmanager.cpu.cores: 1.0
taskmanager.memory.task.heap.size: 768m
taskmanager.memory.task.off-heap.size: 0m
taskmanager.memory.managed.size: 256m
taskmanager.memory.network.min: 64m
taskmanager.memory.network.max: 64m
taskmanager.memory.framework.heap.size: 128m
taskmanager.memory.framework.off-heap.size: 128m
taskmanager.memory.jvm-metaspace.size: 256m
taskmanager.memory.jvm-overhead.min: 192m
taskmanager.memory.jvm-overhead.max: 192m
""")
    args = ["--configDir", conf]
    await_port(8081, start("flink-jobmanager", ["java", "-Xmx512m", *JAVA, "-cp", lib, "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint", *args]))
    for n in "12":
        start("flink-taskmanager-" + n, ["java", "-Xmx1g", *JAVA, "-cp", lib, "org.apache.flink.runtime.taskexecutor.TaskManagerRunner", *args])
    await_port(8099, start("flink-job-server", ["java", "-Xmx512m", *JAVA, "-cp", lib, "org.apache.beam.runners.flink.FlinkJobServerDriver",
                                                "--flink-master=localhost:8081", f"--flink-conf-dir={conf}", "--job-host=localhost", "--job-port=8099",
                                                "--artifact-port=0", "--expansion-port=0", f"--artifacts-dir={DIR}/artifacts"]))
    return ["-runner=flink", "-endpoint=localhost:8099", "-environment_type=PROCESS", "-parallelism=2"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-points", type=int, default=20_000_000, help="points of the largest case")
    parser.add_argument("-only", default="", help="a text that the name of a case has")
    parser.add_argument("-engine", default="", help="a text that the name of an engine has; Prism is always run")
    args = parser.parse_args()
    shutil.rmtree(TMP, ignore_errors=True)
    os.makedirs(TMP)
    failed = []
    print("| input | engine | elapsed, s | processor, s | peak memory, MB | sent, MB |\n| --- | --- | --- | --- | --- | --- |", flush=True)

    def show(name, engine, run):
        try:
            row = run()
            print(f"| {name} | {engine} | {row[0]:.1f} | {row[1]:.1f} | {row[2]:.0f} | {'' if row[3] is None else f'{row[3]:.1f}'} |", flush=True)
        except (RuntimeError, AssertionError, subprocess.CalledProcessError) as e:
            failed.append(f"{name}, {engine}")
            print(f"FAILED: {name}, {engine}: {e}", flush=True)

    todo = [c for c in cases(args.points) if args.only in c[0]]
    for port in 7077, 8073, 8081, 8099:  # an engine that already listens on these ports would take part, and would not be measured
        with socket.socket() as free:
            if free.connect_ex(("localhost", port)) == 0:
                sys.exit(f"port {port} is taken: end what listens there first")
    for engine, begin in ("Prism", list), ("Spark", spark), ("Flink", flink):
        if args.engine not in engine and engine != "Prism":
            continue
        try:
            flags = begin()
            for name, files, query in todo:
                if engine == "Prism":
                    show(name, "DuckDB alone", lambda: alone(files, query))
                    os.replace(DIR + "/alone.csv", f"{DIR}/{name}.csv")
                shutil.copy(f"{DIR}/{name}.csv", DIR + "/alone.csv")
                show(name, engine, lambda: pipeline(files, query, flags))
                if name == todo[-1][0]:
                    if engine == "Prism":
                        flags = prism()
                    show(name, engine + (", after a run that failed with its worker" if engine == "Prism" else ", a worker killed"),
                         lambda: kill_one(files, query, flags, engine != "Prism"))
        except Missing as e:
            print(f"{engine} could not be had, and was left out:", e)
        except RuntimeError as e:
            failed.append(str(e))
        finally:
            stop()
    left = glob.glob(TMP + "/*")
    for what in failed:
        print("Failed:", what)
    if left:
        print("Temporary folders that are left:", *left)
    sys.exit(bool(failed or left))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the exit stops all processes that were started
    try:
        main()
    finally:
        stop()
