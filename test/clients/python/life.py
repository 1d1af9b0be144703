"""What Python does with a DuckDB that has the extension: one thing after another, a line for
each on standard output.

    PYTHONPATH=<folder with the package> python3 life.py EXTENSION
"""
import multiprocessing
import os
import signal
import sys
import threading

import duckdb

TEN = "SELECT ccbf_total(ccbf_agg(i, i, 1)) FROM range(10) t(i)"
LONG = "SELECT ccbf_total(ccbf_agg(i % 5000, i % 7000, 1, {category: i % 3})) FROM range(100000000000) t(i)"


def opened(extension):
    db = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "2"})
    db.execute("LOAD '%s'" % extension)
    return db


def ask(db, sql, parameters=None):
    """The first value of a statement, or its error."""
    try:
        return db.execute(sql, parameters or []).fetchall()[0][0]
    except duckdb.Error as e:
        return "error: " + str(e).splitlines()[0]


def spawned(extension, pipe):
    pipe.send(ask(opened(extension), TEN))


def interrupted(db):
    """A query in a thread, cancelled by another."""
    busy, answers = db.cursor(), []
    thread = threading.Thread(target=lambda: answers.append(ask(busy, LONG)))
    thread.start()
    while not ask(db, "SELECT (ccbf_memory()).used > 0"):
        if answers:
            return "it has ended: " + answers[0]
    busy.interrupt()
    thread.join()
    return answers[0]


def forked(db):
    """The answer of a child."""
    come, go = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # ends a child that would wait for ever
        os.write(go, str(ask(db, TEN)).encode())
        os._exit(0)
    os.close(go)
    _, status = os.waitpid(child, 0)
    return "%s (%d)" % (os.read(come, 1 << 16).decode(), status)


def values(db):
    """A sketch is bytes, as a result and as a parameter; relations aggregate sketches."""
    sketch = db.execute("SELECT cms_agg(i % 7) FROM range(700) t(i)").fetchall()[0][0]
    found = ask(db, "SELECT cms_get(?::BLOB, 3::BIGINT)", [sketch])
    relation = db.sql("SELECT g, ccbf_agg(i, i, 1) AS s FROM (SELECT i, i % 2 AS g FROM range(10) t(i)) GROUP BY g")
    total = relation.aggregate("ccbf_total(ccbf_union_agg(s))").fetchall()[0][0]
    return "%s %s %s" % (type(sketch).__name__, found, total)


def threads(extension):
    """Two databases, each asked by four threads at once."""
    databases, answers = [opened(extension), opened(extension)], []

    def work(db):
        for _ in range(20):
            answers.append(ask(db, TEN))

    workers = [threading.Thread(target=work, args=(db.cursor(),)) for db in databases for _ in range(4)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()
    databases[0].close()
    return "%d of %d right, then %s" % (sum(a == 10 for a in answers), len(answers), ask(databases[1], TEN))


def main():
    (extension,) = sys.argv[1:]
    db = opened(extension)
    print("asked:", ask(db, TEN))
    print("wrong:", ask(db, "SELECT ccbf_total('no sketch'::BLOB)"))
    print("values:", values(db))
    print("threads:", threads(extension))
    print("interrupted:", interrupted(db))
    print("afterwards:", ask(db, TEN))
    print("forked:", forked(db))
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=spawned, args=(extension, there))
    process.start()
    print("spawned:", here.recv())
    process.join()
    print("at last:", ask(db, TEN))


if __name__ == "__main__":
    main()
