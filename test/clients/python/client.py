"""A DuckDB in a Python process, by the package duckdb: takes requests on standard input,
answers on standard output, as package internal/protocol describes.

    PYTHONPATH=<folder with the package> python3 client.py
"""
import os
import queue
import signal
import sys
import threading

import duckdb

signals = 0
connections = {}
database = None
output = threading.Lock()
unescapes = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}


def escape(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def unescape(text):
    out, letters = [], iter(text)
    for letter in letters:
        out.append(unescapes[next(letters)] if letter == "\\" else letter)
    return "".join(out)


def answer(*fields):
    line = "\t".join(escape(str(f)) for f in fields) + "\n"
    with output:
        sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()


def text(value):
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)):
        return str(value)
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    raise TypeError("a %s looks different from other clients: cast it to VARCHAR" % type(value).__name__)


class Connection:
    """A connection and the thread that does its requests in turn."""

    def __init__(self, connection):
        self.connection = connection
        self.requests = queue.Queue()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        for id, kind, sql in iter(self.requests.get, None):
            try:
                result = self.connection.execute(sql)
                if kind == "query":
                    for row in result.fetchall():
                        answer(id, "row", *map(text, row))
                answer(id, "ok")
            except Exception as e:
                answer(id, "error", e)

    def close(self):
        self.requests.put(None)
        self.thread.join()
        self.connection.close()


def handle(id, op, *fields):
    global database
    if op == "open":
        database = duckdb.connect(fields[0], config={"allow_unsigned_extensions": "true"})
    elif op == "close":
        for c in connections.values():
            c.close()
        connections.clear()
        if database is not None:
            database.close()
        database = None
    elif op == "connect":
        connections[fields[0]] = Connection(database.cursor())
    elif op == "disconnect":
        connections.pop(fields[0]).close()
    elif op in ("exec", "query"):
        connections[fields[0]].requests.put((id, op, fields[1]))
        return
    elif op == "interrupt":
        connections[fields[0]].connection.interrupt()
    elif op == "storm":
        pass  # Python's own code raises no faults on purpose
    elif op == "life":
        answer(id, "row", signals, 0)
    else:
        raise ValueError("no such request: " + op)
    answer(id, "ok")


def signalled(number, frame):
    global signals
    signals += 1


def main():
    signal.signal(signal.SIGINT, signalled)
    for line in sys.stdin.buffer:
        id, op, *fields = map(unescape, line.decode("utf-8", "surrogateescape").rstrip("\n").split("\t"))
        try:
            handle(id, op, *fields)
        except Exception as e:
            answer(id, "error", e)
    handle("0", "close")


if __name__ == "__main__":
    main()
