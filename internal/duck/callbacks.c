/* The functions that DuckDB calls. Each makes at most one call into Go. */
#include "bridge.h"
#include "_cgo_export.h"

#include <string.h>

static uint64_t mark;

void ccbf_set_mark(uint64_t m) {
	mark = m;
}

static bool living(const ccbf_state *s) {
	return (s->mark & ~CCBF_NUMBERS) == mark;
}

/* The mark of an overload's states; id as in ccbf_call. */
static uint64_t mark_of(uint64_t id) {
	return mark | (id & CCBF_NUMBERS);
}

static ccbf_counts counts;

#define COUNT(field, n) __atomic_fetch_add(&counts.field, (int64_t)(n), __ATOMIC_RELAXED)

ccbf_counts ccbf_read_counts(void) {
	return counts;
}

void ccbf_reset_counts(void) {
	memset(&counts, 0, sizeof counts);
}

static const char no_go[] =
	"this process was made by fork from one that had loaded the extension, and cannot use it: "
	"start a new process instead (Python: the start method \"spawn\")";

/* Returns the number of columns, or more than CCBF_MAX_COLS when they do not fit. */
static uint32_t gather(void *chunk, ccbf_col *cols) {
	uint64_t n = API(data_chunk_get_column_count)(chunk);
	if (n > CCBF_MAX_COLS) {
		return CCBF_MAX_COLS + 1;
	}
	for (uint64_t i = 0; i < n; i++) {
		ccbf_open_vector(API(data_chunk_get_vector)(chunk, i), &cols[i]);
	}
	return (uint32_t)n;
}

/* STRUCTs have no memory of their own. */
static bool has_struct(const ccbf_call *c) {
	for (uint32_t i = 0; i < c->ncols; i++) {
		if (c->cols[i].data == NULL) {
			return true;
		}
	}
	return false;
}

static void scalar(void *info, void *chunk, void *out) {
	ccbf_col cols[CCBF_MAX_COLS];
	ccbf_call c = {.info = info, .cols = cols};
	c.id = (uint64_t)(uintptr_t)API(scalar_function_get_extra_info)(info);
	c.rows = API(data_chunk_get_size)(chunk);
	c.ncols = gather(chunk, cols);
	if (c.ncols > CCBF_MAX_COLS) {
		ccbf_scalar_error(info, "too many arguments");
		return;
	}
	ccbf_open_vector(out, &c.out);
	ccbf_stay stay;
	if (!ccbf_enter_go(&stay)) {
		ccbf_scalar_error(info, no_go);
		return;
	}
	ccbfGoScalar(&c);
	ccbf_leave_go(&stay);
}

void *ccbf_callback_scalar(void) {
	return (void *)scalar;
}

/* DuckDB is done with a function, for ever: its database has been closed. */
static void end(void *extra) {
	ccbf_stay stay;
	if (ccbf_enter_go(&stay)) {
		ccbfGoEnd((uint64_t)(uintptr_t)extra);
		ccbf_leave_go(&stay);
	}
}

void *ccbf_callback_end(void) {
	return (void *)end;
}

static uint64_t state_size(void *info) {
	(void)info;
	return sizeof(ccbf_state);
}

/* Runs once per row in some plans: a few stores, nothing else. */
static void state_init(void *info, void *state) {
	ccbf_state *s = state;
	uint64_t id = (uint64_t)(uintptr_t)API(aggregate_function_get_extra_info)(info);
	memset(s, 0, sizeof *s);
	s->mark = mark_of(id);
	s->gen = (uint32_t)(id >> 32);
}

static void enter_aggregate(void (*go)(ccbf_call *), ccbf_call *c) {
	ccbf_stay stay;
	if (!ccbf_enter_go(&stay)) {
		ccbf_aggregate_error(c->info, no_go);
		return;
	}
	go(c);
	ccbf_leave_go(&stay);
}

/*
 * Of very many groups the states are in no cache: all of a chunk are asked for at once.
 * They begin anywhere in a line, so that most are in two.
 */
static void ask_for(ccbf_state **states, uint64_t n) {
	for (uint64_t i = 0; i < n; i++) {
		__builtin_prefetch(states[i], 1);
		__builtin_prefetch((const char *)states[i] + sizeof *states[i] - 8, 1);
	}
}

/* Each thread has one, at a place of its own. */
static __thread char here;

static void update_as(void *info, void *chunk, ccbf_state **states, ccbf_site caller, bool counted) {
	ccbf_col cols[CCBF_MAX_COLS];
	ccbf_call c = {.info = info, .cols = cols, .states = states, .thread = (uint64_t)(uintptr_t)&here};
	c.rows = API(data_chunk_get_size)(chunk);
	if (c.rows == 0) {
		return;
	}
	c.id = (uint64_t)(uintptr_t)API(aggregate_function_get_extra_info)(info);
	c.ncols = gather(chunk, cols);
	if (c.ncols > CCBF_MAX_COLS) {
		ccbf_aggregate_error(info, "too many arguments");
		return;
	}
	c.kind = (uint32_t)ccbf_array_kind(states, c.rows, mark_of(c.id), caller);
	c.sorted = c.kind == CCBF_SHORT && has_struct(&c) && ccbf_in_sorted_window(caller);
	if (counted) {
		COUNT(updates, 1);
		COUNT(short_arrays, c.rows > 1 && c.kind == CCBF_SHORT);
		COUNT(strangers, c.rows > 1 && ccbf_site_kind(caller) == CCBF_SITE_UNKNOWN);
	}
	if (c.kind == CCBF_MANY) {
		ask_for(states, c.rows);
	}
	enter_aggregate(ccbfGoUpdate, &c);
}

static void update(void *info, void *chunk, ccbf_state **states) {
	update_as(info, chunk, states, ccbf_call_site(OWN_RETURN), false);
}

static void combine(void *info, ccbf_state **from, ccbf_state **into, uint64_t n) {
	ask_for(from, n);
	ask_for(into, n);
	ccbf_call c = {.info = info, .rows = n, .states = from, .into = into};
	c.id = (uint64_t)(uintptr_t)API(aggregate_function_get_extra_info)(info);
	enter_aggregate(ccbfGoCombine, &c);
}

static void finalize(void *info, ccbf_state **states, void *out, uint64_t n, uint64_t offset) {
	ask_for(states, n);
	ccbf_call c = {.info = info, .rows = n, .states = states, .offset = offset, .thread = (uint64_t)(uintptr_t)&here};
	c.id = (uint64_t)(uintptr_t)API(aggregate_function_get_extra_info)(info);
	ccbf_open_vector(out, &c.out);
	enter_aggregate(ccbfGoFinalize, &c);
}

/*
 * Is it a living state? When update fails below list_aggregate, DuckDB destroys
 * states that it never made: the array then has whatever was in that memory. So
 * what is not in the page of a state that was read before is tried first.
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
 * The mark is wiped, so that memory that is used again, or a state destroyed
 * twice, is not taken for a living state.
 */
static void wipe(ccbf_state *s) {
	s->mark = 0;
	s->handle = 0;
}

static void give_back(ccbf_state **states, uint64_t n) {
	ccbf_stay stay;
	if (n > 0 && ccbf_enter_go(&stay)) {
		ccbfGoDestroy(states, n);
		ccbf_leave_go(&stay);
	}
	for (uint64_t i = 0; i < n; i++) {
		wipe(states[i]);
	}
}

/* Go is asked only where a page has to be given back. */
static void destroy(ccbf_state **states, uint64_t n) {
	ccbf_state *pages[256];
	uint64_t k = 0;
	uintptr_t page = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (!may_destroy(states[i], &page)) {
			continue;
		}
		if (states[i]->handle == 0) {
			wipe(states[i]);
			continue;
		}
		if (k == sizeof pages / sizeof pages[0]) {
			give_back(pages, k);
			k = 0;
		}
		pages[k++] = states[i];
	}
	give_back(pages, k);
}

/* The same with counters, for tests: production pays nothing for them. */

static void init_counted(void *info, void *state) {
	COUNT(created, 1);
	state_init(info, state);
}

static void update_counted(void *info, void *chunk, ccbf_state **states) {
	update_as(info, chunk, states, ccbf_call_site(OWN_RETURN), true);
}

static void combine_counted(void *info, ccbf_state **from, ccbf_state **into, uint64_t n) {
	COUNT(combines, 1);
	combine(info, from, into, n);
}

static void finalize_counted(void *info, ccbf_state **states, void *out, uint64_t n,
                             uint64_t offset) {
	COUNT(finalizes, 1);
	COUNT(finalized, n);
	finalize(info, states, out, n, offset);
}

static void destroy_counted(ccbf_state **states, uint64_t n) {
	COUNT(destroys, 1);
	uintptr_t page = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (may_destroy(states[i], &page)) {
			COUNT(destroyed, 1);
		} else {
			COUNT(unknown, 1);
		}
	}
	destroy(states, n);
}

void ccbf_aggregate_callbacks(void *f, bool counted) {
	if (counted) {
		API(aggregate_function_set_functions)
		(f, (void *)state_size, (void *)init_counted, (void *)update_counted,
		 (void *)combine_counted, (void *)finalize_counted);
		API(aggregate_function_set_destructor)(f, (void *)destroy_counted);
		return;
	}
	API(aggregate_function_set_functions)
	(f, (void *)state_size, (void *)state_init, (void *)update, (void *)combine,
	 (void *)finalize);
	API(aggregate_function_set_destructor)(f, (void *)destroy);
}
