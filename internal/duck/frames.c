/*
 * Which place in DuckDB called update, without a walk over the stack? The walk
 * takes longer than 20 rows of a cheap function, and every chunk needs one.
 *
 * The place is what DuckDB's C API will return to, and it stands in the API's own
 * frame. Where in the frame is the compiler's choice, made once for a place that
 * calls update, so the first walks tell it:
 *
 *   - As far above our own return address as ever: the size of the frame is fixed.
 *   - Behind what rbp points to: the frame has a frame pointer. All frames whose
 *     size is not fixed have one, so that the first kind is fixed for certain.
 *
 * On x86-64 alone, where a call lays the return address on the stack. What is
 * found must be a place that was learned (callsite.c), or the stack is walked.
 */
#include "bridge.h"

enum { WALK, ABOVE, CHAINED };

/* Only ever added to, as the sites are; several DuckDBs may be in a process. */
enum { FRAMES = 16 };
static struct {
	uintptr_t to;
	ptrdiff_t above; /* our own return address, in words */
	int how;
} frames[FRAMES];
static int known;

/* rbp as it was when update was called; update has pushed it. */
static const uintptr_t *base(ccbf_return r) {
	return (const uintptr_t *)r.at[-1];
}

uintptr_t ccbf_near_site(ccbf_return r) {
	int n = r.at == NULL ? 0 : __atomic_load_n(&known, __ATOMIC_ACQUIRE);
	for (int i = 0; i < n; i++) {
		if (frames[i].to != r.to || *r.at != r.to) {
			continue;
		}
		switch (__atomic_load_n(&frames[i].how, __ATOMIC_RELAXED)) {
		case ABOVE:
			return r.at[frames[i].above];
		case CHAINED:
			return base(r)[1];
		}
		return 0;
	}
	return 0;
}

/* Under the registry's lock. s is what a walk from r found. */
void ccbf_know_frame(ccbf_return r, ccbf_site s) {
	if (r.at == NULL || *r.at != r.to || s.at == 0) {
		return;
	}
	int how = WALK;
	if (s.slot != NULL) {
		how = base(r) + 1 == s.slot ? CHAINED : ABOVE;
	}
	ptrdiff_t above = how == ABOVE ? s.slot - r.at : 0;
	int i = 0;
	while (i < known && frames[i].to != r.to) {
		i++;
	}
	if (i == FRAMES) {
		return;
	}
	if (i < known) {
		if (frames[i].how != how || frames[i].above != above) {
			__atomic_store_n(&frames[i].how, WALK, __ATOMIC_RELAXED);
		}
		return;
	}
	frames[i].to = r.to;
	frames[i].above = above;
	frames[i].how = how;
	__atomic_store_n(&known, i + 1, __ATOMIC_RELEASE);
}
