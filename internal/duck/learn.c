/*
 * Learns which places in DuckDB call update with an array of states of which
 * only the first entry exists (callsite.c says what for): small queries over an
 * aggregate that is there for nothing else, in a database of its own.
 *
 * Not in the database that functions are registered with: its settings, its open
 * transaction, its log and profile, and what other connections do there, are
 * neither to be disturbed nor to be relied upon. One thread runs it, so nothing
 * else can call the aggregate.
 */
#include "bridge.h"

#include <string.h>

/*
 * Every statement is there for a place that no other one meets, in one of the
 * versions that the extension is tested in; they are as small as they can be and
 * still meet it, as LOAD waits for them.
 *
 * Here rows belong to several groups, or to frames that differ: DuckDB hands over
 * one state per row. Two have more rows than a vector, 2,048: what is done for
 * whole vectors is done by another place than what is done for the rest.
 */
static const char *const whole[] = {
	"SELECT i % 3, learn(i), learn(i) FILTER (i < 9) FROM range(20) t(i) GROUP BY 1",
	/* A table has statistics, from which DuckDB numbers groups without a hash table: in 2.0 from a place of its own. */
	"CREATE TABLE t AS SELECT i, i % 3 AS g FROM range(20) t(i)",
	"SELECT g, learn(i) FROM t GROUP BY g",
	"SELECT learn(i) OVER (ORDER BY i ROWS 2 PRECEDING), learn(i ORDER BY -i) OVER (ORDER BY i ROWS 2 PRECEDING) FROM range(20) t(i)",
	"SELECT learn(DISTINCT i % 9) OVER (ORDER BY i ROWS 2 PRECEDING) FROM range(2100) t(i)",
	"SELECT list_aggregate(range(2100), 'learn')",
};

/*
 * All rows of a call belong to one state. Not a window over partitions: alone, it
 * becomes a join with a GROUP BY.
 */
static const char *const one[] = {
	"SELECT learn(i), learn(i) FILTER (i < 9) FROM range(20) t(i)",
	"SELECT learn(DISTINCT i) FROM range(20) t(i)",
	"SELECT learn(i ORDER BY -i) FROM range(20) t(i)",
	"SELECT learn(i) OVER () FROM range(20) t(i)",
};

/*
 * One row at a time. DuckDB 1.3 prepares the arguments once and moves a selection
 * over them, which its own C API undoes with the first row (it makes the vector
 * flat): every call gets the first row of the chunk again.
 */
static const char streaming[] = "SELECT learn(i) OVER (ROWS UNBOUNDED PRECEDING) FROM range(20) t(i)";

/* Whole partitions with an order. */
static const char sorted[] =
	"SELECT learn(i) OVER (PARTITION BY i // 2 ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM range(20) t(i)";

/*
 * Several parts of a chunk, with a STRUCT of a constant, a NULL and a column: how DuckDB
 * shares them is learned by constants.c. Another window keeps DuckDB from making a join of
 * the first.
 */
static const char parts[] =
	"SELECT learn({a: 7::BIGINT, n: NULL::BIGINT, b: i}) OVER (PARTITION BY i // 2), count(*) OVER (PARTITION BY i % 3) FROM range(160) t(i)";

enum { T_BIGINT = 5, T_ANY = 34 };

static struct {
	uint64_t mark;
	bool whole;     /* which of the two lists is being run */
	bool streaming; /* or the query beside them */
	bool sorted;    /* or that one */
	int64_t last;   /* value, of which no two rows have the same */
	bool any;
	int n;
	struct {
		ccbf_site site;
		bool whole;     /* every entry was a state */
		bool disproved; /* it was not */
		bool one;       /* called by the second list */
	} seen[64];
} lesson;

static uint64_t size(void *info) {
	(void)info;
	return sizeof(ccbf_state);
}

static void init(void *info, ccbf_state *s) {
	(void)info;
	memset(s, 0, sizeof *s);
	s->mark = lesson.mark;
}

/* Not by chance: this is the only aggregate there is. */
static bool all_states(ccbf_state **states, uint64_t n) {
	for (uint64_t i = 1; i < n; i++) {
		if (!ccbf_is_state(&states[i], &states[0], states[0], lesson.mark)) {
			return false;
		}
	}
	return true;
}

static void update(void *info, void *chunk, ccbf_state **states) {
	(void)info;
	uint64_t n = API(data_chunk_get_size)(chunk);
	if (lesson.streaming && n == 1) {
		int64_t value = *(int64_t *)API(vector_get_data)(API(data_chunk_get_vector)(chunk, 0));
		if (lesson.any && value == lesson.last) {
			ccbf_know_site(ccbf_call_site(OWN_RETURN), CCBF_SITE_STALE);
		}
		lesson.any = true;
		lesson.last = value;
	}
	/* One row says nothing else, and is right to be taken for either. */
	if (n < 2 || states[0]->mark != lesson.mark) {
		return;
	}
	ccbf_site site = ccbf_call_site(OWN_RETURN);
	if (lesson.sorted) {
		if (!ccbf_in_sorted_window(site)) {
			ccbf_know_sorted_window(site);
		}
		return;
	}
	int k = 0;
	while (k < lesson.n && lesson.seen[k].site.at != site.at) {
		k++;
	}
	if (k == (int)(sizeof lesson.seen / sizeof lesson.seen[0])) {
		return;
	}
	if (k == lesson.n) {
		memset(&lesson.seen[k], 0, sizeof lesson.seen[k]);
		lesson.seen[k].site = site;
		lesson.n++;
	}
	if (!lesson.whole) {
		lesson.seen[k].one = true;
	} else if (all_states(states, n)) {
		lesson.seen[k].whole = true;
	} else {
		lesson.seen[k].disproved = true;
	}
}

/* Of the STRUCT in parts. */
static void update_parts(void *info, void *chunk, ccbf_state **states) {
	(void)info;
	(void)states;
	ccbf_learn_constants(API(data_chunk_get_vector)(chunk, 0), API(data_chunk_get_size)(chunk));
	/* Called as where rows are in an order: this DuckDB does not sort for it. */
	ccbf_forget_sorted_windows(ccbf_call_site(OWN_RETURN));
}

static void combine(void *info, void *from, void *into, uint64_t n) {
	(void)info;
	(void)from;
	(void)into;
	(void)n;
}

static void finalize(void *info, void *states, void *out, uint64_t n, uint64_t offset) {
	(void)info;
	(void)states;
	int64_t *to = API(vector_get_data)(out);
	memset(to + offset, 0, n * sizeof *to);
}

/* What is freed must not go on looking like a state. */
static void destroy(ccbf_state **states, uint64_t n) {
	for (uint64_t i = 0; i < n; i++) {
		states[i]->mark = 0;
	}
}

static bool add_overload(void *set, uint32_t type, void *on_update) {
	void *f = API(create_aggregate_function)();
	void *number = ccbf_simple_type(T_BIGINT);
	void *argument = ccbf_simple_type(type);
	API(aggregate_function_set_name)(f, "learn");
	API(aggregate_function_add_parameter)(f, argument);
	API(aggregate_function_set_return_type)(f, number);
	API(aggregate_function_set_functions)
	(f, (void *)size, (void *)init, on_update, (void *)combine, (void *)finalize);
	API(aggregate_function_set_destructor)(f, (void *)destroy);
	bool ok = API(add_aggregate_function_to_set)(set, f) == 0;
	ccbf_free_type(argument);
	ccbf_free_type(number);
	API(destroy_aggregate_function)(&f);
	return ok;
}

static bool register_learn(void *conn) {
	void *set = API(create_aggregate_function_set)("learn");
	bool ok = add_overload(set, T_BIGINT, (void *)update) && add_overload(set, T_ANY, (void *)update_parts) &&
	          API(register_aggregate_function_set)(conn, set) == 0;
	API(destroy_aggregate_function_set)(&set);
	return ok;
}

/* A query that a version does not know teaches nothing, and that is all. */
static void run_all(void *conn, const char *const *queries, size_t n, bool whole_arrays) {
	lesson.whole = whole_arrays;
	for (size_t i = 0; i < n; i++) {
		ccbf_run(conn, queries[i]);
	}
}

static const char *run_lesson(void *conn) {
	if (!register_learn(conn)) {
		return "its database in memory takes no function";
	}
	run_all(conn, whole, sizeof whole / sizeof whole[0], true);
	run_all(conn, one, sizeof one / sizeof one[0], false);
	lesson.streaming = true;
	ccbf_run(conn, streaming);
	lesson.sorted = true;
	ccbf_run(conn, sorted);
	ccbf_run(conn, parts);
	int found[CCBF_SITE_KINDS] = {0};
	for (int i = 0; i < lesson.n; i++) {
		int kind = CCBF_SITE_UNKNOWN;
		if (lesson.seen[i].whole != lesson.seen[i].disproved) {
			kind = lesson.seen[i].whole ? CCBF_SITE_WHOLE : CCBF_SITE_ONE;
		} else if (lesson.seen[i].one && !lesson.seen[i].whole) {
			kind = CCBF_SITE_ONE;
		}
		found[kind]++;
		if (kind != CCBF_SITE_UNKNOWN) {
			ccbf_know_site(lesson.seen[i].site, kind);
		}
	}
	return found[CCBF_SITE_WHOLE] > 0 ? NULL : "the stack does not say who calls a function";
}

const char *ccbf_learn_sites(uint64_t mark) {
	void *config = NULL, *db = NULL, *conn = NULL;
	char *error = NULL;
	const char *failed = "DuckDB opened no database in memory";
	memset(&lesson, 0, sizeof lesson);
	lesson.mark = mark;
	if (API(create_config)(&config) != 0) {
		return failed;
	}
	API(set_config)(config, "threads", "1");
	if (API(open_ext)(NULL, &db, config, &error) == 0) {
		if (API(connect)(db, &conn) == 0) {
			failed = run_lesson(conn);
			API(disconnect)(&conn);
		}
		API(close)(&db);
	}
	if (error != NULL) {
		API(free)(error);
	}
	API(destroy_config)(&config);
	return failed;
}
