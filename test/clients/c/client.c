/*
 * A client in C, for machines without Node or Java: takes requests on standard
 * input, answers on standard output, as protocol.go describes, one at a time.
 *
 *	client LIBDUCKDB
 */
#define _GNU_SOURCE
#include "duckdb.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };
static handle database;
static struct {
	char *name;
	handle conn;
} connections[MOST];

/* The place of a name; of "" a free one. MOST where there is none. */
static int find(const char *name) {
	int i = 0;
	while (i < MOST && strcmp(connections[i].name == NULL ? "" : connections[i].name, name) != 0) {
		i++;
	}
	return i;
}

static void drop(int i) {
	duckdb_disconnect(&connections[i].conn);
	free(connections[i].name);
	connections[i].name = NULL;
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
	printf("%s\t%s", number, error == NULL ? "ok" : "error\t");
	if (error != NULL) {
		escaped(error);
	}
	putchar('\n');
	fflush(stdout);
}

static void ask(const char *number, handle conn, const char *sql, bool rows) {
	result r;
	const char *error = NULL;
	if (duckdb_query(conn, sql, &r) != 0) {
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
	duckdb_destroy_result(&r);
}

static void request(const char *number, const char *what, char *fields[2]) {
	int i = find(fields[0]);
	if (strcmp(what, "open") == 0) {
		answer(number, open_unsigned(strcmp(fields[0], ":memory:") == 0 ? NULL : fields[0], NULL, &database));
	} else if (strcmp(what, "close") == 0) {
		for (i = 0; i < MOST; i++) {
			if (connections[i].name != NULL) {
				drop(i);
			}
		}
		duckdb_close(&database);
		answer(number, NULL);
	} else if (strcmp(what, "connect") == 0) {
		i = find("");
		if (i == MOST || duckdb_connect(database, &connections[i].conn) != 0) {
			answer(number, "no connection");
			return;
		}
		connections[i].name = strdup(fields[0]);
		answer(number, NULL);
	} else if (i == MOST) {
		answer(number, "no such connection");
	} else if (strcmp(what, "disconnect") == 0) {
		drop(i);
		answer(number, NULL);
	} else if (strcmp(what, "exec") == 0 || strcmp(what, "query") == 0) {
		ask(number, connections[i].conn, fields[1], what[0] == 'q');
	} else {
		answer(number, "no such request");
	}
}

int main(int argc, char **argv) {
	void *lib = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
	if (lib == NULL) {
		fprintf(stderr, "client LIBDUCKDB: %s\n", argc == 2 ? dlerror() : "which library?");
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
		char *rest = line, *fields[4] = {"", "", "", ""};
		line[strcspn(line, "\n")] = 0;
		for (int i = 0; i < 4 && rest != NULL; i++) {
			fields[i] = strsep(&rest, "\t");
			unescaped(fields[i]);
		}
		request(fields[0], fields[1], &fields[2]);
	}
	return 0;
}
