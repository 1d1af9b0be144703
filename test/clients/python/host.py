"""The extension in Python, through ctypes and libduckdb: one thing after another, a
line for each on standard output.

    python3 host.py LIBDUCKDB EXTENSION
"""
import ctypes
import multiprocessing
import os
import signal
import sys
import threading


class Result(ctypes.Structure):
    _fields_ = [("words", ctypes.c_uint64 * 8)]


class Database:
    def __init__(self, library, extension):
        self.lib = lib = ctypes.CDLL(library)
        lib.duckdb_value_varchar.restype = ctypes.c_void_p
        lib.duckdb_value_varchar.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
        lib.duckdb_result_error.restype = ctypes.c_char_p
        lib.duckdb_free.argtypes = [ctypes.c_void_p]
        lib.duckdb_set_config.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
        config, self.db = ctypes.c_void_p(), ctypes.c_void_p()
        lib.duckdb_create_config(ctypes.byref(config))
        lib.duckdb_set_config(config, b"allow_unsigned_extensions", b"true")
        lib.duckdb_set_config(config, b"threads", b"2")
        if lib.duckdb_open_ext(None, ctypes.byref(self.db), config, None) != 0:
            raise RuntimeError("no database")
        self.conn = self.connect()
        self.ask("LOAD '%s'" % extension)

    def connect(self):
        conn = ctypes.c_void_p()
        if self.lib.duckdb_connect(self.db, ctypes.byref(conn)) != 0:
            raise RuntimeError("no connection")
        return conn

    def ask(self, sql, conn=None):
        """The first value of a statement, as text."""
        r = Result()
        try:
            if self.lib.duckdb_query(conn or self.conn, sql.encode(), ctypes.byref(r)) != 0:
                raise RuntimeError(self.lib.duckdb_result_error(ctypes.byref(r)).decode())
            text = self.lib.duckdb_value_varchar(ctypes.byref(r), 0, 0)
            if text is None:
                return None
            value = ctypes.string_at(text).decode()
            self.lib.duckdb_free(text)
            return value
        finally:
            self.lib.duckdb_destroy_result(ctypes.byref(r))


TEN = "SELECT ccbf_total(ccbf_agg(i, i, 1)) FROM range(10) t(i)"
LONG = "SELECT ccbf_total(ccbf_agg(i % 5000, i % 7000, 1, {category: i % 3})) FROM range(100000000000) t(i)"


def attempt(ask, sql):
    try:
        return ask(sql)
    except RuntimeError as e:
        return "error: " + str(e).splitlines()[0]


def spawned(library, extension, pipe):
    pipe.send(Database(library, extension).ask(TEN))


def interrupted(db):
    """Ctrl-C while a query runs in a thread: Python's handler gets it, and cancels."""
    conn, answers = db.connect(), []
    thread = threading.Thread(target=lambda: answers.append(attempt(lambda q: db.ask(q, conn), LONG)))
    thread.start()
    while db.ask("SELECT (ccbf_memory()).used > 0") != "true":
        if answers:
            return "it has ended: " + answers[0]
    try:
        os.kill(os.getpid(), signal.SIGINT)
        while True:  # the interpreter raises between two of these
            db.ask(TEN)
    except KeyboardInterrupt:
        db.lib.duckdb_interrupt(conn)
    thread.join()
    return answers[0]


def forked(db):
    """The child's answers: of the parent's database, and of one of its own."""
    come, go = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # it must not wait for ever
        os.write(go, attempt(db.ask, TEN).encode())
        os._exit(0)
    os.close(go)
    _, status = os.waitpid(child, 0)
    return "%s (%d)" % (os.read(come, 1 << 16).decode(), status)


def main():
    library, extension = sys.argv[1:]
    db = Database(library, extension)
    print("asked:", db.ask(TEN))
    print("wrong:", attempt(db.ask, "SELECT ccbf_total('no sketch'::BLOB)"))
    print("interrupted:", interrupted(db))
    print("afterwards:", db.ask(TEN))
    print("forked:", forked(db))
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=spawned, args=(library, extension, there))
    process.start()
    print("spawned:", here.recv())
    process.join()
    print("at last:", db.ask(TEN))


if __name__ == "__main__":
    main()
