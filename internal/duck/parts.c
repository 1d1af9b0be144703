/* What arrives of a chunk that DuckDB cuts into parts; see parts.go. */
#include "bridge.h"

#include <stdlib.h>
#include <string.h>

/* The values of the last call on this thread, for the next part of its chunk. */
typedef struct {
	const ccbf_state *state;
	uint64_t mark; /* of the state: which function's it is */
	uint32_t n;
	struct {
		const uint8_t *next; /* where the next part of the chunk begins */
		bool steady;         /* one value in all rows of the first part: this */
		bool valid;
		uint8_t value[CCBF_LEAF_MAX];
	} leaf[CCBF_MAX_LEAVES];
} last_call;

/*
 * A pointer: what a library has for each thread comes out of a small block that all
 * libraries loaded later share, and LOAD fails where it is used up. It is kept until
 * the process ends.
 */
static __thread last_call *last;

static bool valid(const ccbf_leaf *l, uint64_t i) {
	const uint64_t *mask = l->col.mask;
	return mask == NULL || (mask[i / 64] >> (i % 64) & 1) != 0;
}

/*
 * The states of partitions lie side by side (seen in 1.5.5, in all of 3,000 parts), and
 * so do the parts of each vector. Both are needed: vectors alone may happen to follow
 * one another in what the allocator hands out to two windows. An aggregate with ORDER
 * BY, too, gets one group after the other out of a chunk, but these are sound, and in one
 * and the same state.
 */
static bool next_part(const ccbf_state *state, const ccbf_leaf *leaves, uint32_t n) {
	if (last->n != n || last->mark != state->mark || last->state + 1 != state) {
		return false;
	}
	for (uint32_t j = 0; j < n; j++) {
		if (last->leaf[j].next != (const uint8_t *)leaves[j].col.data) {
			return false;
		}
	}
	return true;
}

/* Whether all rows have the value that is kept of leaf j. */
static bool as_kept(const ccbf_leaf *l, uint32_t j, uint64_t rows) {
	const uint8_t *at = l->col.data;
	for (uint64_t i = 0; i < rows; i++, at += l->width) {
		bool v = valid(l, i);
		if (v != last->leaf[j].valid || (v && memcmp(at, last->leaf[j].value, l->width) != 0)) {
			return false;
		}
	}
	return true;
}

uint64_t ccbf_changed_leaves(const ccbf_state *state, const ccbf_leaf *leaves, uint32_t n, uint64_t rows) {
	uint64_t changed = 0;
	if (last == NULL && (last = calloc(1, sizeof *last)) == NULL) {
		return 0;
	}
	bool more = next_part(state, leaves, n);
	last->state = state;
	last->mark = state->mark;
	last->n = n;
	for (uint32_t j = 0; j < n; j++) {
		const ccbf_leaf *l = &leaves[j];
		if (!more) {
			last->leaf[j].valid = valid(l, 0);
			memcpy(last->leaf[j].value, l->col.data, l->width);
			last->leaf[j].steady = as_kept(l, j, rows);
		} else if (last->leaf[j].steady && !as_kept(l, j, rows)) {
			changed |= (uint64_t)1 << j;
		}
		last->leaf[j].next = (const uint8_t *)l->col.data + rows * l->width;
	}
	return changed;
}
