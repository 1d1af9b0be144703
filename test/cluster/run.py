#!/usr/bin/env python3
"""Runs ccbf-pipeline on Apache Spark on this machine: make cluster.

It downloads the engine into build/cluster, starts it, runs each case, compares the
sorted output byte by byte with that of DuckDB alone, and stops it again. The table that
it prints is the one of docs/SCALE.md. What could not be downloaded is named, and left out.
"""
import argparse, glob, json, os, re, shutil, signal, socket, subprocess, sys, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIR = ROOT + "/build/cluster"
SHELL, PIPELINE = ROOT + "/build/ccbfsql", ROOT + "/build/ccbf-pipeline"
BEAM = "2.62.0"  # of the job servers: the newest that Maven Central has whole
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


def jars(runner, without):
    """The jars of a job server, without those that the engine brings."""
    folder = f"{DIR}/{runner}-{BEAM}"
    os.makedirs(DIR + "/pom", exist_ok=True)
    pom = f"{DIR}/pom/{runner}.xml"
    with open(pom, "w") as f:
        f.write('<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
                '<groupId>ccbf</groupId><artifactId>job-server</artifactId><version>1</version><dependencies>')
        for a in runner, "beam-runners-java-job-service":
            f.write(f"<dependency><groupId>org.apache.beam</groupId><artifactId>{a}</artifactId><version>{BEAM}</version><exclusions>"
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
    for p in reversed(started):
        for sig in signal.SIGTERM, signal.SIGKILL:
            try:
                os.killpg(p.pid, sig)
                p.wait(5)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
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
            continue  # it has ended
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
                cpu[pid] = own
                try:  # the proportional share, so that what processes share counts once
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
        self.seen.pop(self.client, None)
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
    left = glob.glob(TMP + "/ccbf-*")
    if left and not flags:
        raise RuntimeError(f"temporary folders are left: {left}")
    return row


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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-points", type=int, default=20_000_000, help="points of the largest case")
    parser.add_argument("-only", default="", help="a text that the name of a case has")
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
    for port in 7077, 8099:  # an engine that is there already would take part, unmeasured
        with socket.socket() as free:
            if free.connect_ex(("localhost", port)) == 0:
                sys.exit(f"port {port} is taken: end what listens there first")
    try:
        for engine, begin in ("Prism", list), ("Spark", spark):
            flags = begin()
            for name, files, query in todo:
                if engine == "Prism":
                    show(name, "DuckDB alone", lambda: alone(files, query))
                    os.replace(DIR + "/alone.csv", f"{DIR}/{name}.csv")
                shutil.copy(f"{DIR}/{name}.csv", DIR + "/alone.csv")
                show(name, engine, lambda: pipeline(files, query, flags))
    except Missing as e:
        print("Could not be had, and was left out:", e)
    except RuntimeError as e:
        failed.append(str(e))
    finally:
        stop()
    left = glob.glob(TMP + "/ccbf-*")
    for what in failed:
        print("Failed:", what)
    if left:
        print("Temporary folders that are left:", *left)
    sys.exit(bool(failed or left))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that what was started is stopped
    try:
        main()
    finally:
        stop()
