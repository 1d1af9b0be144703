/*
 * What host.c calls of DuckDB, found at run time in the libduckdb that it is told to open: duckdb_query and
 * so on are pointers, which find_duckdb sets.
 */
#ifndef CCBF_DUCKDB_H
#define CCBF_DUCKDB_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

typedef void *handle;

/* duckdb_result is six words that only DuckDB looks into. */
typedef struct {
	uint64_t words[8];
} result;

typedef struct {
	void *data;
	uint64_t size;
} blob;

enum { TYPE_BLOB = 18 };

#define FUNCTIONS(X)                                                                        \
	X(open_ext, int, (const char *, handle *, handle, char **))                              \
	X(create_config, int, (handle *))                                                        \
	X(set_config, int, (handle, const char *, const char *))                                 \
	X(destroy_config, void, (handle *))                                                      \
	X(close, void, (handle *))                                                               \
	X(connect, int, (handle, handle *))                                                      \
	X(disconnect, void, (handle *))                                                          \
	X(interrupt, void, (handle))                                                             \
	X(query, int, (handle, const char *, result *))                                          \
	X(result_error, const char *, (result *))                                                \
	X(row_count, uint64_t, (result *))                                                       \
	X(column_count, uint64_t, (result *))                                                    \
	X(column_type, int, (result *, uint64_t))                                                \
	X(value_is_null, bool, (result *, uint64_t, uint64_t))                                   \
	X(value_varchar, char *, (result *, uint64_t, uint64_t))                                 \
	X(value_blob, blob, (result *, uint64_t, uint64_t))                                      \
	X(destroy_result, void, (result *))                                                      \
	X(free, void, (void *))

#define DECLARE(name, out, params) static out(*duckdb_##name) params;
FUNCTIONS(DECLARE)
#undef DECLARE

/* The name of a function that the library does not have; NULL where it has all. */
static inline const char *find_duckdb(void *library) {
#define FIND(name, out, params)                                                             \
	if ((duckdb_##name = (out(*) params)dlsym(library, "duckdb_" #name)) == NULL) {          \
		return "duckdb_" #name;                                                              \
	}
	FUNCTIONS(FIND)
#undef FIND
	return NULL;
}

/* Opens a database, of which NULL is one in memory, that loads extensions without a
   signature. Returns DuckDB's error, or NULL. */
static inline const char *open_unsigned(const char *file, handle *database) {
	handle config = NULL;
	char *error = NULL;
	duckdb_create_config(&config);
	duckdb_set_config(config, "allow_unsigned_extensions", "true");
	int failed = duckdb_open_ext(file, database, config, &error);
	duckdb_destroy_config(&config);
	return !failed ? NULL : error != NULL ? error : "it does not open";
}

#endif
