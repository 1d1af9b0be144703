/*
 * A process without Go that embeds DuckDB: takes requests on standard input, answers on
 * standard output, as package internal/protocol describes.
 *
 *	host LIBDUCKDB
 *
 * The requests open, connect and close may end with the name of a database, so that there can
 * be several. A request runs on the main thread, one at a time, unless it says start. These
 * are its own:
 *
 *	start <request> ...   the request in a thread of its own
 *	storm <count>         so many reads of a bad address that a handler of the host's
 *	                      recovers from
 *	bell                  from now on a timer interrupts every millisecond; the handler
 *	                      is a host's ordinary one, on the stack that it finds. At the
 *	                      next bell: how often, and how often that stack was not the
 *	                      main thread's
 *	fork <connection> <statement> <own>
 *	                      the statement in a child made by fork, on the parent's
 *	                      database; then own and SELECT 1 on one of its own: three rows,
 *	                      of a value or an error each
 *	cpu                   milliseconds of processor time, of all threads
 */
#define _GNU_SOURCE
#include "duckdb.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A database, or a connection and its database. */
typedef struct {
	char *name; /* NULL: the place is free */
	handle self, database;
} named;

enum { MOST = 64 };
static named databases[MOST], connections[MOST];
static pthread_mutex_t tables = PTHREAD_MUTEX_INITIALIZER;

/* The handle of a name, or NULL. */
static handle find(named *table, const char *name) {
	handle found = NULL;
	pthread_mutex_lock(&tables);
	for (int i = 0; i < MOST; i++) {
		if (table[i].name != NULL && strcmp(table[i].name, name) == 0) {
			found = table[i].self;
		}
	}
	pthread_mutex_unlock(&tables);
	return found;
}

/* Returns false where there is no room. */
static bool keep(named *table, const char *name, handle self, handle database) {
	int i = 0;
	pthread_mutex_lock(&tables);
	while (i < MOST && table[i].name != NULL) {
		i++;
	}
	if (i < MOST) {
		table[i] = (named){strdup(name), self, database};
	}
	pthread_mutex_unlock(&tables);
	return i < MOST;
}

/* Takes an entry out of a table, by its handle or by its database. Returns NULL where there is
   none. */
static handle take(named *table, handle self, handle database) {
	handle found = NULL;
	pthread_mutex_lock(&tables);
	for (int i = 0; i < MOST && found == NULL; i++) {
		if (table[i].name != NULL && (table[i].self == self || table[i].database == database)) {
			found = table[i].self;
			free(table[i].name);
			table[i].name = NULL;
		}
	}
	pthread_mutex_unlock(&tables);
	return found;
}

static void escaped(const char *text) {
	for (; *text != 0; text++) {
		const char *at = strchr("\\\\\tt\nn\rr", *text);
		if (at != NULL && strchr("\\\t\n\r", *text) != NULL) {
			printf("\\%c", at[1]);
		} else {
			putchar(*text);
		}
	}
}

static void unescaped(char *text) {
	char *to = text;
	for (; *text != 0; text++) {
		if (*text == '\\' && text[1] != 0) {
			text++;
			*to++ = *text == 't' ? '\t' : *text == 'n' ? '\n' : *text == 'r' ? '\r' : *text;
		} else {
			*to++ = *text;
		}
	}
	*to = 0;
}

static void value(result *r, uint64_t column, uint64_t row) {
	if (duckdb_value_is_null(r, column, row)) {
		fputs("NULL", stdout);
	} else if (duckdb_column_type(r, column) == TYPE_BLOB) {
		blob b = duckdb_value_blob(r, column, row);
		for (uint64_t i = 0; i < b.size; i++) {
			printf("%02x", ((unsigned char *)b.data)[i]);
		}
		duckdb_free(b.data);
	} else {
		char *v = duckdb_value_varchar(r, column, row);
		escaped(v == NULL ? "a value that is no text" : v);
		duckdb_free(v);
	}
}

static void answer(const char *number, const char *error) {
	flockfile(stdout);
	printf("%s\t%s", number, error == NULL ? "ok" : "error\t");
	if (error != NULL) {
		escaped(error);
	}
	putchar('\n');
	fflush(stdout);
	funlockfile(stdout);
}

static void ask(const char *number, handle conn, const char *sql, bool rows) {
	result r;
	const char *error = NULL;
	bool failed = duckdb_query(conn, sql, &r) != 0;
	flockfile(stdout);
	if (failed) {
		error = duckdb_result_error(&r);
	} else if (rows) {
		for (uint64_t i = 0; i < duckdb_row_count(&r); i++) {
			printf("%s\trow", number);
			for (uint64_t j = 0; j < duckdb_column_count(&r); j++) {
				putchar('\t');
				value(&r, j, i);
			}
			putchar('\n');
		}
	}
	answer(number, error);
	funlockfile(stdout);
	duckdb_destroy_result(&r);
}

/* A host with a use of its own for SIGSEGV, as a JVM has. */
static sigjmp_buf recovery;

static void recover(int sig) {
	(void)sig;
	siglongjmp(recovery, 1);
}

static void storm(const char *number, int count) {
	static volatile int caught, i;
	char text[64];
	caught = 0;
	for (i = 0; i < count; i++) {
		if (sigsetjmp(recovery, 1) == 0) {
			*(volatile int *)(uintptr_t)8 = 1;
		} else {
			caught++;
		}
	}
	snprintf(text, sizeof text, "the host got %d of %d faults of its own", caught, count);
	answer(number, caught == count ? NULL : text);
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

static void bell(const char *number) {
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
	printf("%s\trow\t%d\t%d\n", number, (int)bells, (int)astray);
	answer(number, NULL);
	bells = astray = 0;
}

/* A row of the first value of a statement, or of its error. */
static void outcome(const char *number, handle conn, const char *sql) {
	result r;
	bool failed = duckdb_query(conn, sql, &r) != 0;
	printf("%s\trow\t", number);
	if (failed) {
		fputs("error: ", stdout);
		escaped(duckdb_result_error(&r));
	} else {
		value(&r, 0, 0);
	}
	putchar('\n');
	fflush(stdout);
	duckdb_destroy_result(&r);
}

/* The rows are the child's, on its standard output. */
static void fork_and_ask(const char *number, handle conn, const char *sql, const char *of_own) {
	pid_t child = fork();
	if (child == 0) {
		handle db, own;
		alarm(30); /* it must not wait for ever */
		outcome(number, conn, sql);
		if (open_unsigned(NULL, &db) != NULL || duckdb_connect(db, &own) != 0) {
			_exit(3);
		}
		outcome(number, own, of_own);
		outcome(number, own, "SELECT 1");
		_exit(0);
	}
	int ended = 0;
	waitpid(child, &ended, 0);
	answer(number, ended == 0 ? NULL : "the child has ended with an error");
}

static void open_database(const char *number, const char *file, const char *name) {
	handle db;
	const char *error = open_unsigned(strcmp(file, ":memory:") == 0 ? NULL : file, &db);
	if (error == NULL && !keep(databases, name, db, NULL)) {
		error = "no room for a database";
	}
	answer(number, error);
}

static void connect_to(const char *number, const char *name, const char *database) {
	handle db = find(databases, database), conn;
	bool made = db != NULL && duckdb_connect(db, &conn) == 0 && keep(connections, name, conn, db);
	answer(number, made ? NULL : "no connection");
}

static void close_database(const char *number, const char *name) {
	handle db = find(databases, name), conn;
	while (db != NULL && (conn = take(connections, NULL, db)) != NULL) {
		duckdb_disconnect(&conn);
	}
	if (db != NULL) {
		take(databases, db, db);
		duckdb_close(&db);
	}
	answer(number, NULL);
}

static void request(const char *number, const char *what, char **fields) {
	handle conn = find(connections, fields[0]);
	if (strcmp(what, "open") == 0) {
		open_database(number, fields[0], fields[1]);
	} else if (strcmp(what, "close") == 0) {
		close_database(number, fields[0]);
	} else if (strcmp(what, "connect") == 0) {
		connect_to(number, fields[0], fields[1]);
	} else if (strcmp(what, "storm") == 0) {
		storm(number, atoi(fields[0]));
	} else if (strcmp(what, "bell") == 0) {
		bell(number);
	} else if (strcmp(what, "cpu") == 0) {
		struct timespec t;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
		printf("%s\trow\t%.3f\n", number, (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6);
		answer(number, NULL);
	} else if (conn == NULL) {
		answer(number, "no such request, or no such connection");
	} else if (strcmp(what, "disconnect") == 0) {
		take(connections, conn, conn);
		duckdb_disconnect(&conn);
		answer(number, NULL);
	} else if (strcmp(what, "exec") == 0 || strcmp(what, "query") == 0) {
		ask(number, conn, fields[1], what[0] == 'q');
	} else if (strcmp(what, "interrupt") == 0) {
		duckdb_interrupt(conn);
		answer(number, NULL);
	} else if (strcmp(what, "fork") == 0) {
		fork_and_ask(number, conn, fields[1], fields[2]);
	} else {
		answer(number, "no such request");
	}
}

/* Takes the request of a line, which is freed. */
static void *obey(void *line) {
	char *fields[6] = {"", "", "", "", "", ""}, *rest = line;
	for (int i = 0; i < 6 && rest != NULL; i++) {
		fields[i] = strsep(&rest, "\t");
		unescaped(fields[i]);
	}
	char **what = strcmp(fields[1], "start") == 0 ? &fields[2] : &fields[1];
	request(fields[0], what[0], &what[1]);
	free(line);
	return NULL;
}

int main(int argc, char **argv) {
	char here;
	main_stack = &here + 4096;
	main_thread = pthread_self();
	/* Before anything else is there, as a host would. */
	struct sigaction action = {.sa_handler = recover};
	sigaction(SIGSEGV, &action, NULL);
	void *lib = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	if (lib == NULL) {
		fprintf(stderr, "host LIBDUCKDB: %s\n", argc == 2 ? dlerror() : "which library?");
		return 3;
	}
	const char *lacks = find_duckdb(lib);
	if (lacks != NULL) {
		fprintf(stderr, "no %s\n", lacks);
		return 3;
	}
	char *line = NULL;
	size_t cap = 0;
	while (getline(&line, &cap, stdin) > 0) {
		line[strcspn(line, "\n")] = 0;
		char *own = strdup(line), *second = strchr(own, '\t');
		pthread_t thread;
		if (second == NULL || strncmp(second, "\tstart\t", 7) != 0) {
			obey(own);
		} else if (pthread_create(&thread, NULL, obey, own) == 0) {
			pthread_detach(thread);
		}
	}
	return 0;
}
