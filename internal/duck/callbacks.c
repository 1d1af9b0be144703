/* The functions that DuckDB calls. Each calls Go at most once for an array of states. Only destroy
 * calls it once for each 256 states with a page. */
#include "bridge.h"
#include "_cgo_export.h"

#include <string.h>

static uint64_t mark;

void ccbf_set_mark(uint64_t m) {
	mark = m;
}

/* Reports whether s, which is readable, is a state that was made and not destroyed. */
static bool living(const ccbf_state *s) {
	return (s->mark & ~CCBF_NUMBERS) == mark;
}

/* Returns the mark of the states of an overload. The low bits of id are the overload's number. */
static uint64_t mark_of(uint64_t id) {
	return mark | (id & CCBF_NUMBERS);
}

static const char no_go[] =
	"this process was made by fork from one that had loaded the extension, and cannot use it: "
	"start a new process instead (Python: the start method \"spawn\")";

/*
 * Writes the columns of a chunk to cols, and returns their number. If there are more than
 * CCBF_MAX_COLS, it returns more than that and writes nothing.
 */
static uint32_t gather(void *chunk, ccbf_col *cols) {
	uint64_t n = duckdb_data_chunk_get_column_count(chunk);
	if (n > CCBF_MAX_COLS) {
		return CCBF_MAX_COLS + 1;
	}
	for (uint64_t i = 0; i < n; i++) {
		ccbf_open_vector(duckdb_data_chunk_get_vector(chunk, i), &cols[i]);
	}
	return (uint32_t)n;
}

static void scalar(void *info, void *chunk, void *out) {
	ccbf_col cols[CCBF_MAX_COLS];
	ccbf_call c = {.info = info, .cols = cols};
	c.id = (uint64_t)(uintptr_t)duckdb_scalar_function_get_extra_info(info);
	c.rows = duckdb_data_chunk_get_size(chunk);
	c.ncols = gather(chunk, cols);
	if (c.ncols > CCBF_MAX_COLS) {
		duckdb_scalar_function_set_error(info, "too many arguments");
		return;
	}
	ccbf_open_vector(out, &c.out);
	ccbf_stay stay;
	if (!ccbf_enter_go(&stay)) {
		duckdb_scalar_function_set_error(info, no_go);
		return;
	}
	ccbfGoScalar(&c);
	ccbf_leave_go(&stay);
}

/* DuckDB calls this when it frees a function, which means that the database was closed. */
static void end(void *extra) {
	ccbf_stay stay;
	if (ccbf_enter_go(&stay)) {
		ccbfGoEnd((uint64_t)(uintptr_t)extra);
		ccbf_leave_go(&stay);
	}
}

void ccbf_scalar_callbacks(void *f, uint64_t id, bool tells_end) {
	duckdb_scalar_function_set_extra_info(f, (void *)(uintptr_t)id, tells_end ? (void *)end : NULL);
	duckdb_scalar_function_set_function(f, (void *)scalar);
}

static uint64_t state_size(void *info) {
	(void)info;
	return sizeof(ccbf_state);
}

/* Makes an empty state. Some plans of DuckDB call this for each row, so it does only a few stores. */
static void state_init(void *info, void *state) {
	ccbf_state *s = state;
	uint64_t id = (uint64_t)(uintptr_t)duckdb_aggregate_function_get_extra_info(info);
	memset(s, 0, sizeof *s);
	s->mark = mark_of(id);
	s->ref = id >> 32;
}

/* Calls the Go function go with the data c of the callback. */
static void enter_aggregate(void (*go)(ccbf_call *), ccbf_call *c) {
	ccbf_stay stay;
	if (!ccbf_enter_go(&stay)) {
		duckdb_aggregate_function_set_error(c->info, no_go);
		return;
	}
	go(c);
	ccbf_leave_go(&stay);
}

/*
 * Prefetches n states. With very many groups they are not in the CPU caches. A state begins
 * anywhere in a cache line, so most states lie in two lines.
 */
void ccbf_prefetch(ccbf_state **states, uint64_t n) {
	for (uint64_t i = 0; i < n; i++) {
		__builtin_prefetch(states[i], 1);
		__builtin_prefetch((const char *)states[i] + sizeof *states[i] - 8, 1);
	}
}

/* The address of this variable differs between threads: it serves as the number of the thread. */
static __thread char here;

/*
 * Adds a chunk. states may have fewer entries than the chunk has rows (callsite.c). Go finds out, and
 * prefetches the states then.
 */
static void update(void *info, void *chunk, ccbf_state **states) {
	ccbf_col cols[CCBF_MAX_COLS];
	ccbf_call c = {.info = info, .cols = cols, .states = states, .thread = (uint64_t)(uintptr_t)&here};
	c.site = ccbf_call_site(OWN_RETURN);
	c.rows = duckdb_data_chunk_get_size(chunk);
	if (c.rows == 0) {
		return;
	}
	c.id = (uint64_t)(uintptr_t)duckdb_aggregate_function_get_extra_info(info);
	c.ncols = gather(chunk, cols);
	if (c.ncols > CCBF_MAX_COLS) {
		duckdb_aggregate_function_set_error(info, "too many arguments");
		return;
	}
	enter_aggregate(ccbfGoUpdate, &c);
}

static void combine(void *info, ccbf_state **from, ccbf_state **into, uint64_t n) {
	ccbf_prefetch(from, n);
	ccbf_prefetch(into, n);
	ccbf_call c = {.info = info, .rows = n, .states = from, .into = into};
	c.id = (uint64_t)(uintptr_t)duckdb_aggregate_function_get_extra_info(info);
	enter_aggregate(ccbfGoCombine, &c);
}

static void finalize(void *info, ccbf_state **states, void *out, uint64_t n, uint64_t offset) {
	ccbf_prefetch(states, n);
	ccbf_call c = {.info = info, .rows = n, .states = states, .offset = offset, .thread = (uint64_t)(uintptr_t)&here};
	c.id = (uint64_t)(uintptr_t)duckdb_aggregate_function_get_extra_info(info);
	ccbf_open_vector(out, &c.out);
	enter_aggregate(ccbfGoFinalize, &c);
}

/*
 * Reports whether s is a living state. If update fails below list_aggregate, DuckDB destroys
 * states that it never made, and the array has old memory. So s is read only if it lies in
 * *page, the memory page of a state that was read before, or is readable.
 */
static bool may_destroy(const ccbf_state *s, uintptr_t *page) {
	if (s == NULL || ((uintptr_t)s & 7) != 0) {
		return false;
	}
	if (((uintptr_t)s ^ *page) >= CCBF_PAGE) {
		if (!ccbf_readable(s)) {
			return false;
		}
		*page = (uintptr_t)s & ~(uintptr_t)(CCBF_PAGE - 1);
	}
	return living(s);
}

/*
 * Makes s no living state any more. DuckDB may use its memory again, or destroy the state twice:
 * it must then not look like a living one.
 */
static void wipe(ccbf_state *s) {
	s->mark = 0;
	s->ref = 0;
}

/* Drops the pages of n states, and wipes their marks. */
static void drop(ccbf_state **states, uint64_t n) {
	ccbf_stay stay;
	if (n > 0 && ccbf_enter_go(&stay)) {
		ccbfGoDestroy(states, n);
		ccbf_leave_go(&stay);
	}
	for (uint64_t i = 0; i < n; i++) {
		wipe(states[i]);
	}
}

/* Destroys n states. It calls Go only for states with a page. */
static void destroy(ccbf_state **states, uint64_t n) {
	ccbf_state *pages[256];
	uint64_t k = 0;
	uintptr_t page = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (!may_destroy(states[i], &page)) {
			continue;
		}
		if ((states[i]->ref & CCBF_HAS_PAGE) == 0) {
			wipe(states[i]);
			continue;
		}
		if (k == sizeof pages / sizeof pages[0]) {
			drop(pages, k);
			k = 0;
		}
		pages[k++] = states[i];
	}
	drop(pages, k);
}

void ccbf_aggregate_callbacks(void *f, uint64_t id) {
	duckdb_aggregate_function_set_extra_info(f, (void *)(uintptr_t)id, NULL);
	duckdb_aggregate_function_set_functions(f, (void *)state_size, (void *)state_init, (void *)update,
	                                        (void *)combine, (void *)finalize);
	duckdb_aggregate_function_set_destructor(f, (void *)destroy);
}
