/*
 * A process without Go that embeds DuckDB: the host of the extension's tests.
 * It opens the libduckdb that it is told to and obeys lines on stdin; each is
 * answered by one line. Numbers name databases.
 *
 *	open N          a database in memory, and a connection
 *	close N
 *	sql N TEXT      "= " and the first row, values separated by |, or "! error"
 *	time N TEXT     milliseconds, and the same
 *	start N TEXT    the same in a thread of its own; "ok" at once
 *	interrupt N
 *	wait            for what start began: its answer and the milliseconds since
 *	                the interrupt
 *	stress N T TEXT runs TEXT on T connections at once, 20 times each, and opens,
 *	                loads (the file of "load") and closes databases meanwhile
 *	load PATH       the extension that stress loads
 *	segv COUNT      so many reads of a bad address that a handler of the host's
 *	                recovers from
 *	bell            from now on a timer interrupts every millisecond; the handler
 *	                is a host's ordinary one, on the stack that it finds. At the
 *	                next bell: how often, and how often that stack was not the
 *	                main thread's
 *	fork N TEXT     TEXT in a child made by fork, on the parent's database; then
 *	                load and TEXT on one of its own
 *	cpu             milliseconds of processor time, of all threads
 */
#define _GNU_SOURCE
#include "duckdb.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16 };
static handle databases[MOST], connections[MOST];
static char extension[4096];

static void die(const char *format, ...) {
	va_list args;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(3);
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void open_database(handle *db, handle *conn, const char *threads) {
	const char *error = open_unsigned(NULL, threads, db);
	if (error != NULL) {
		die("open: %s", error);
	}
	if (duckdb_connect(*db, conn) != 0) {
		die("connect");
	}
}

/* The answer to a statement, to be freed. */
static char *ask(handle conn, const char *sql) {
	result r;
	char *answer;
	size_t len;
	FILE *out = open_memstream(&answer, &len);
	if (duckdb_query(conn, sql, &r) != 0) {
		const char *e = duckdb_result_error(&r);
		fprintf(out, "! %.*s", (int)strcspn(e, "\n"), e);
	} else {
		fputc('=', out);
		uint64_t columns = duckdb_row_count(&r) > 0 ? duckdb_column_count(&r) : 0;
		for (uint64_t i = 0; i < columns; i++) {
			char *v = duckdb_value_varchar(&r, i, 0);
			fprintf(out, "%c%s", i == 0 ? ' ' : '|', v == NULL ? "NULL" : v);
			duckdb_free(v);
		}
	}
	duckdb_destroy_result(&r);
	fclose(out);
	return answer;
}

static void must(handle conn, const char *sql) {
	char *a = ask(conn, sql);
	if (a[0] != '=') {
		die("%s: %s", sql, a);
	}
	free(a);
}

static void load(handle conn) {
	char sql[sizeof extension + 10];
	snprintf(sql, sizeof sql, "LOAD '%s'", extension);
	must(conn, sql);
}

static struct {
	handle conn;
	const char *sql;
	char *answer;
	double began, interrupted;
	pthread_t thread;
} started;

static void *run_started(void *unused) {
	(void)unused;
	started.answer = ask(started.conn, started.sql);
	return NULL;
}

static const char *stress_sql;
static bool stress_over;
static int stress_loads;

static void *stress_query(void *db) {
	handle conn;
	if (duckdb_connect(db, &conn) != 0) {
		die("connect");
	}
	for (int i = 0; i < 20; i++) {
		must(conn, stress_sql);
	}
	duckdb_disconnect(&conn);
	return NULL;
}

/* The same database is told to load again, and others come and go. */
static void *stress_load(void *shared) {
	do {
		handle db, conn;
		if (duckdb_connect(shared, &conn) != 0) {
			die("connect");
		}
		load(conn);
		duckdb_disconnect(&conn);
		open_database(&db, &conn, NULL);
		load(conn);
		must(conn, stress_sql);
		duckdb_disconnect(&conn);
		duckdb_close(&db);
		__atomic_fetch_add(&stress_loads, 1, __ATOMIC_RELAXED);
	} while (!__atomic_load_n(&stress_over, __ATOMIC_RELAXED));
	return NULL;
}

static int stress(handle db, int threads, const char *sql) {
	pthread_t queries[64], loads[2];
	stress_sql = sql;
	stress_over = false;
	stress_loads = 0;
	for (int i = 0; i < 2; i++) {
		pthread_create(&loads[i], NULL, stress_load, db);
	}
	for (int i = 0; i < threads; i++) {
		pthread_create(&queries[i], NULL, stress_query, db);
	}
	for (int i = 0; i < threads; i++) {
		pthread_join(queries[i], NULL);
	}
	__atomic_store_n(&stress_over, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++) {
		pthread_join(loads[i], NULL);
	}
	return stress_loads;
}

/* A host with a use of its own for SIGSEGV, as a JVM has. */
static sigjmp_buf recovery;

static void recover(int sig) {
	(void)sig;
	siglongjmp(recovery, 1);
}

static int segv(int count) {
	static volatile int caught, i;
	caught = 0;
	for (i = 0; i < count; i++) {
		if (sigsetjmp(recovery, 1) == 0) {
			*(volatile int *)(uintptr_t)8 = 1;
		} else {
			caught++;
		}
	}
	return caught;
}

static volatile sig_atomic_t bells, astray;
static char *main_stack;
static pthread_t main_thread;

static void ring(int sig) {
	char here;
	(void)sig;
	bells++;
	if (pthread_equal(pthread_self(), main_thread) && (&here > main_stack || &here < main_stack - (8 << 20))) {
		astray++;
	}
}

static void bell(void) {
	static bool on;
	struct itimerval every = {.it_interval = {0, 1000}, .it_value = {0, 1000}};
	struct sigaction action = {.sa_handler = ring, .sa_flags = SA_RESTART};
	if (on) {
		memset(&every, 0, sizeof every);
	} else {
		sigaction(SIGALRM, &action, NULL);
	}
	on = !on;
	setitimer(ITIMER_REAL, &every, NULL);
	printf("%d %d\n", (int)bells, (int)astray);
	bells = astray = 0;
}

/* The answers are the child's, on its standard output. */
static void fork_and_ask(handle conn, const char *sql) {
	pid_t child = fork();
	if (child == 0) {
		char load[sizeof extension + 10], *a[3];
		handle db, own;
		alarm(30); /* it must not wait for ever */
		a[0] = ask(conn, sql);
		open_database(&db, &own, NULL);
		snprintf(load, sizeof load, "LOAD '%s'", extension);
		a[1] = ask(own, load);
		a[2] = ask(own, "SELECT 1");
		printf("%s ~ %s ~ %s\n", a[0], a[1], a[2]);
		fflush(stdout);
		_exit(0);
	}
	int ended = 0;
	waitpid(child, &ended, 0);
	if (ended != 0) {
		printf("the child ended with status %d\n", ended);
	}
}

int main(int argc, char **argv) {
	if (argc < 2) {
		die("usage: host LIBDUCKDB");
	}
	char here;
	main_stack = &here + 4096;
	main_thread = pthread_self();
	/* Before anything else is there, as a host would. */
	struct sigaction action = {.sa_handler = recover};
	sigaction(SIGSEGV, &action, NULL);
	void *lib = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
	if (lib == NULL) {
		die("%s", dlerror());
	}
	const char *lacks = find_duckdb(lib);
	if (lacks != NULL) {
		die("no %s", lacks);
	}
	char *line = NULL;
	size_t cap = 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (getline(&line, &cap, stdin) > 0) {
		line[strcspn(line, "\n")] = 0;
		int n = 0, m = 0, at = 0;
		if (sscanf(line, "open %d", &n) == 1) {
			double began = now();
			open_database(&databases[n], &connections[n], NULL);
			printf("%.3f\n", now() - began);
		} else if (sscanf(line, "close %d", &n) == 1) {
			duckdb_disconnect(&connections[n]);
			duckdb_close(&databases[n]);
			puts("ok");
		} else if (sscanf(line, "sql %d %n", &n, &at) == 1) {
			char *a = ask(connections[n], line + at);
			puts(a);
			free(a);
		} else if (sscanf(line, "time %d %n", &n, &at) == 1) {
			double began = now();
			char *a = ask(connections[n], line + at);
			printf("%.3f %s\n", now() - began, a);
			free(a);
		} else if (sscanf(line, "fork %d %n", &n, &at) == 1) {
			fork_and_ask(connections[n], line + at);
		} else if (strcmp(line, "bell") == 0) {
			bell();
		} else if (sscanf(line, "start %d %n", &n, &at) == 1) {
			started.conn = connections[n];
			started.sql = strdup(line + at);
			started.began = now();
			started.interrupted = 0;
			pthread_create(&started.thread, NULL, run_started, NULL);
			puts("ok");
		} else if (sscanf(line, "interrupt %d", &n) == 1) {
			started.interrupted = now();
			duckdb_interrupt(connections[n]);
			puts("ok");
		} else if (strcmp(line, "wait") == 0) {
			pthread_join(started.thread, NULL);
			printf("%.3f %s\n", now() - (started.interrupted > 0 ? started.interrupted : started.began), started.answer);
			free(started.answer);
		} else if (sscanf(line, "stress %d %d %n", &n, &m, &at) == 2) {
			printf("%d\n", stress(databases[n], m, line + at));
		} else if (sscanf(line, "load %4095[^\n]", extension) == 1) {
			puts("ok");
		} else if (sscanf(line, "segv %d", &n) == 1) {
			printf("%d\n", segv(n));
		} else if (strcmp(line, "cpu") == 0) {
			struct timespec t;
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
			printf("%.3f\n", (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6);
		} else {
			die("not understood: %s", line);
		}
	}
	return 0;
}
