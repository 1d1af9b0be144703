/*
 * Is the array of states that DuckDB handed to update whole?
 *
 * For agg(x ORDER BY y) and for constant windows the array is the one pointer
 * of a constant vector: reading entry 1 reads whatever lies behind it on the
 * heap (DuckDB issue 21537). There is no way to ask, so entries are looked at
 * without trusting them: is the entry itself readable, is what it points to
 * aligned and readable, and does it bear this process's mark.
 *
 * That is not enough. DuckDB's allocator lays such one-entry arrays side by
 * side, so with two window functions over two rows, or with two threads, entry
 * 1 of one array is entry 0 of the next, and points to a living state of ours.
 * What tells them apart then:
 *
 *   - a whole array is 16 KiB (a vector of 2048 pointers) and aligned to 16 at
 *     least, a one-entry array is 8 bytes and every other one is not;
 *   - the state of a one-entry array is an allocation of its own, those of whole
 *     arrays lie in large blocks with others, and glibc's malloc shows the
 *     difference in the words around the state;
 *   - what was found out is kept in the state's mark, so that it is found out
 *     once, before chance has had many tries.
 *
 * Elsewhere than on glibc the first and the last remain. DuckDB's builds there
 * use the system's malloc, whose blocks have at least two words, so that entry
 * 1 is not another array's entry 0.
 */
#define _GNU_SOURCE
#include "bridge.h"

#include <errno.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

/* No supported system has smaller pages, and every page size is a multiple. */
#define PAGE 4096u

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
	return ((uintptr_t)a ^ (uintptr_t)b) < PAGE;
}

/*
 * Is *entry a state of ours? known_entry is an address that is certainly
 * readable, known_state a state that certainly is one: whatever shares a page
 * with them is readable too and needs no system call.
 */
static bool is_state(ccbf_state **entry, ccbf_state **known_entry, ccbf_state *known_state,
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
	return (s->mark & ~(uint64_t)CCBF_KINDS) == mark;
}

static bool near_readable(const void *p, const ccbf_state *s) {
	return same_page(p, s) || ccbf_readable(p);
}

/*
 * Was s allocated on its own by glibc's malloc? The word before such a block
 * says how large it is (80 bytes here, or 96 where the 16 that were left could
 * not be a block), and the word after it begins the next block, with a bit that
 * says that this one is in use.
 */
static bool allocated_alone(ccbf_state *s) {
#if defined(__GLIBC__) && UINTPTR_MAX > 0xffffffffu
	const uint64_t in_use = 1, mapped = 2, other_arena = 4, unused = 8;
	uint64_t *before = (uint64_t *)s - 1;
	if (((uintptr_t)s & 15) != 0 || !near_readable(before, s)) {
		return false;
	}
	uint64_t size = *before & ~(in_use | other_arena);
	if (size != 80 && size != 96) {
		return false;
	}
	uint64_t *after = before + size / 8;
	return near_readable(after, s) && (*after & (in_use | mapped | unused)) == in_use &&
	       *after >= 32 && *after < (uint64_t)1 << 40;
#else
	(void)s;
	return false;
#endif
}

/* So many entries of a chunk are looked at one by one. */
enum { LOOK = 64 };

static bool all_alone(ccbf_state **states, uint64_t n) {
	for (uint64_t i = 0; i < n; i++) {
		if (i > 0 && states[i] == states[0]) {
			continue;
		}
		if ((states[i]->mark & CCBF_SHARED) != 0 || !allocated_alone(states[i])) {
			return false;
		}
	}
	return true;
}

static int lone(ccbf_state *s) {
	s->mark |= CCBF_LONE;
	return CCBF_SHORT;
}

int ccbf_array_kind(ccbf_state **states, uint64_t n, uint64_t mark) {
	ccbf_state *first = states[0];
	if (n < 2) {
		return CCBF_SINGLE;
	}
	if ((first->mark & CCBF_LONE) != 0) {
		return CCBF_SHORT;
	}
	/* Whole arrays are large blocks, which every allocator aligns to 16. */
	if (((uintptr_t)states & 15) != 0) {
		return lone(first);
	}
	/* A few wrong entries may look right; all of many do not. */
	uint64_t look = n < LOOK ? n : 2;
	for (uint64_t i = 1; i < look; i++) {
		if (!is_state(&states[i], &states[0], first, mark)) {
			return lone(first);
		}
	}
	if (!is_state(&states[n - 1], &states[0], first, mark)) {
		return lone(first);
	}
	/*
	 * A whole array that names one state n times (ungrouped aggregation) is
	 * worth knowing: the function then works on columns, not on rows.
	 */
	uint64_t i = 1;
	while (i < n && states[i] == first) {
		i++;
	}
	if (i == n) {
		return CCBF_SINGLE;
	}
	if (n < LOOK) {
		for (i = 1; i < n; i++) {
			if (states[i] != first && (states[i]->mark & CCBF_LONE) != 0) {
				return lone(first);
			}
		}
		if (all_alone(states, n)) {
			return lone(first);
		}
	}
	/* Remembered, so that no later coincidence can make it look alone. */
	for (i = 0; i < n; i++) {
		if ((states[i]->mark & CCBF_SHARED) == 0) {
			states[i]->mark |= CCBF_SHARED;
		}
	}
	return CCBF_MANY;
}
