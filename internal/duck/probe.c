/*
 * Is the array of states that DuckDB handed to update whole?
 *
 * For agg(x ORDER BY y) and for constant windows the array is the one pointer
 * of a constant vector: reading entry 1 reads whatever lies behind it on the
 * heap (DuckDB issue 21537). There is no way to ask, so entry 1 and the last
 * entry are looked at without trusting them: is the entry itself readable, is
 * what it points to aligned and readable, and does it bear this process's mark.
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
	return s->mark == mark;
}

int ccbf_array_kind(ccbf_state **states, uint64_t n, uint64_t mark) {
	if (n < 2) {
		return CCBF_SINGLE;
	}
	ccbf_state *first = states[0];
	if (!is_state(&states[1], &states[0], first, mark)) {
		return CCBF_SHORT;
	}
	if (n > 2 && !is_state(&states[n - 1], &states[0], first, mark)) {
		return CCBF_SHORT;
	}
	/*
	 * A whole array that names one state n times (ungrouped aggregation) is
	 * worth knowing: the function then works on columns, not on rows.
	 */
	for (uint64_t i = 1; i < n; i++) {
		if (states[i] != first) {
			return CCBF_MANY;
		}
	}
	return CCBF_SINGLE;
}
