/*
 * Looks at memory that may not be there: an array of states from a place in DuckDB that
 * learn.go does not know (callers.go), and states that DuckDB destroys.
 *
 * An entry is ours if the entry itself is readable, points to aligned and readable memory, and
 * a living state of this function is there. Nothing is written through an entry, and none is
 * read before it was checked.
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

/* Reports whether the 8 bytes at p, which is aligned to 8, are readable. Never faults. */
bool ccbf_readable(const void *p) {
#if defined(__linux__)
	/*
	 * The kernel copies a mask of 8 bytes from p. Only then it checks the first argument, and
	 * no version accepts -1. EFAULT means that the copy failed, EINVAL that p is readable. The
	 * signal mask does not change.
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
	 * mincore shows whether the page is mapped, not whether it is readable: a guard page
	 * would still fault. Not tried on real machines.
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

/* Reports whether a and b lie in one memory page. */
static bool same_page(const void *a, const void *b) {
	return ((uintptr_t)a ^ (uintptr_t)b) < CCBF_PAGE;
}

/*
 * Reports whether *entry is a state with this mark. known_entry is certainly readable, and
 * known_state is certainly such a state. Other addresses in the memory pages of these two are
 * readable too, so they need no system call.
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

bool ccbf_all_states(ccbf_state **states, uint64_t n, uint64_t mark) {
	for (uint64_t i = 1; i < n; i++) {
		if (!is_state(&states[i], &states[0], states[0], mark)) {
			return false;
		}
	}
	return true;
}
