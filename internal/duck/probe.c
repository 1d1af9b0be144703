/*
 * What is an array of states that DuckDB handed to update?
 *
 * Where the place that called is known (callsite.c), the place says it. Where it
 * is not, because this DuckDB has a plan that learn.c does not ask for, the array
 * is looked at without trusting it: is the entry itself readable, is what it
 * points to aligned and readable, and is that a living state of this function.
 *
 *   - An entry that is none of ours proves that only the first one is there.
 *   - Entries that are all the same state are right to be taken for it, whether
 *     they are there or not.
 *   - Different states prove nothing: entry 1 of a one-entry array may be entry 0
 *     of the next. That is for the query to end with an error.
 *
 * Nothing is written through an entry here, and none is read before it was
 * checked.
 */
#define _GNU_SOURCE
#include "bridge.h"

#include <errno.h>
#include <string.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

/* Are the 8 bytes at p, which is aligned to 8, readable? Never faults. */
bool ccbf_readable(const void *p) {
#if defined(__linux__)
	/*
	 * The kernel copies the 8-byte mask in before it looks at the first
	 * argument, which no version accepts: EFAULT says that the copy failed,
	 * EINVAL that it did not. Nothing is changed either way.
	 */
	int saved = errno;
	long r = syscall(SYS_rt_sigprocmask, -1, p, (void *)0, (size_t)8);
	bool ok = r == -1 && errno == EINVAL;
	errno = saved;
	return ok;
#elif defined(_WIN32)
	MEMORY_BASIC_INFORMATION m;
	if (VirtualQuery(p, &m, sizeof m) == 0 || m.State != MEM_COMMIT) {
		return false;
	}
	return (m.Protect & (PAGE_NOACCESS | PAGE_GUARD)) == 0 && m.Protect != 0;
#else
	/*
	 * mincore tells mapped from unmapped, not readable from PROT_NONE: a
	 * guard page in that place would still fault. Not tried on real machines.
	 */
	int saved = errno;
	char vec[1];
	long size = sysconf(_SC_PAGESIZE);
	void *page = (void *)((uintptr_t)p & ~(uintptr_t)(size - 1));
	bool ok = mincore(page, 1, (void *)vec) == 0;
	errno = saved;
	return ok;
#endif
}

static bool same_page(const void *a, const void *b) {
	return ((uintptr_t)a ^ (uintptr_t)b) < CCBF_PAGE;
}

/*
 * Is *entry a state of ours? known_entry is an address that is certainly
 * readable, known_state a state that certainly is one: whatever shares a page
 * with them is readable too and needs no system call.
 */
bool ccbf_is_state(ccbf_state **entry, ccbf_state **known_entry, ccbf_state *known_state,
                     uint64_t mark) {
	if (!same_page(entry, known_entry) && !ccbf_readable(entry)) {
		return false;
	}
	ccbf_state *s = *entry;
	if (s == known_state) {
		return true;
	}
	if (s == NULL || ((uintptr_t)s & 7) != 0) {
		return false;
	}
	if (!same_page(s, known_state) && !ccbf_readable(s)) {
		return false;
	}
	return s->mark == mark;
}

/* Of entries that are all there: each is like the one after it. */
static bool all_same(ccbf_state **states, uint64_t n) {
	return memcmp(states, states + 1, (n - 1) * sizeof *states) == 0;
}

static bool all_states(ccbf_state **states, uint64_t n, uint64_t mark) {
	for (uint64_t i = 1; i < n; i++) {
		if (!ccbf_is_state(&states[i], &states[0], states[0], mark)) {
			return false;
		}
	}
	return true;
}

int ccbf_array_kind(ccbf_state **states, uint64_t n, uint64_t mark, ccbf_site caller) {
	/* Whatever called, the first entry is there and is a state of this function. */
	if (states[0]->mark != mark) {
		return CCBF_UNCLEAR;
	}
	int kind = ccbf_site_kind(caller);
	if (kind == CCBF_SITE_STALE) {
		return CCBF_STALE;
	}
	if (kind == CCBF_SITE_ONE || kind == CCBF_SITE_LIKE_ONE) {
		return CCBF_SHORT;
	}
	/* What a caller that is not known hands over can be a part of a chunk. */
	int same = kind == CCBF_SITE_UNKNOWN ? CCBF_SHORT : CCBF_SINGLE;
	if (n < 2) {
		return same;
	}
	if (kind != CCBF_SITE_WHOLE && !all_states(states, n, mark)) {
		return CCBF_SHORT;
	}
	/*
	 * One state n times (no GROUP BY) is worth knowing: the function then works
	 * on columns, not on rows.
	 */
	if (all_same(states, n)) {
		return same;
	}
	return kind == CCBF_SITE_UNKNOWN ? CCBF_UNCLEAR : CCBF_MANY;
}
