/*
 * Which place in DuckDB called update?
 *
 * For agg(x ORDER BY y) and for constant windows DuckDB hands over an array of
 * states of which only the first entry exists, with as many rows as it likes
 * (DuckDB issue 21537). The array itself cannot tell: DuckDB's allocator lays
 * such arrays side by side, so that what lies behind one of them looks as good
 * as it can. But which kind of array it is depends on nothing but the place in
 * DuckDB's code that calls. That place is two frames up: DuckDB's C API calls
 * update, and the place in question calls the C API.
 *
 * Which places there are is learned once, by learn.c. They never change while
 * the library stays loaded, and what was learned of one is never unlearned.
 *
 * A compiler may make several places of one, in copies of a loop that run in
 * cases of which nobody thought: DuckDB 1.5.5 builds trees for DISTINCT in windows
 * with three. So a place that was not met is taken for what the others in the same
 * function are, where those are of one kind.
 */
#include "bridge.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <unwind.h>
#endif

/*
 * So many frames are looked at, of which four are needed: how many lie between
 * here and update is the compiler's choice.
 */
enum { FRAMES = 8 };

#ifdef _WIN32

static uintptr_t function_of(uintptr_t at) {
#ifdef _WIN64
	DWORD64 base = 0;
	const RUNTIME_FUNCTION *f = at == 0 ? NULL : RtlLookupFunctionEntry(at, &base, NULL);
	if (f != NULL) {
		return (uintptr_t)base + f->BeginAddress;
	}
#endif
	return 0;
}

ccbf_site ccbf_call_site(uintptr_t to) {
	ccbf_site site = {0};
	void *frames[FRAMES];
	int n = CaptureStackBackTrace(0, FRAMES, frames, NULL);
	uintptr_t outer = 0;
	for (int i = 0; i + 1 < n; i++) {
		if ((uintptr_t)frames[i] == to) {
			site.at = (uintptr_t)frames[i + 1];
			outer = i + 2 < n ? (uintptr_t)frames[i + 2] : 0;
			break;
		}
	}
	site.function = function_of(site.at);
	site.caller = function_of(outer);
	return site;
}

#else

typedef struct {
	ccbf_site site;
	uintptr_t to;
	int left;
	bool next;
} walk;

static _Unwind_Reason_Code step(struct _Unwind_Context *frame, void *arg) {
	walk *w = arg;
	uintptr_t at = (uintptr_t)_Unwind_GetIP(frame);
	if (w->site.at != 0) {
		w->site.caller = (uintptr_t)_Unwind_GetRegionStart(frame);
		return _URC_END_OF_STACK;
	}
	if (w->next) {
		w->site.at = at;
		w->site.function = (uintptr_t)_Unwind_GetRegionStart(frame);
		return _URC_NO_REASON;
	}
	w->next = at == w->to;
	return --w->left > 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

ccbf_site ccbf_call_site(uintptr_t to) {
	walk w = {.to = to, .left = FRAMES};
	_Unwind_Backtrace(step, &w);
	return w.site;
}

#endif

/*
 * Only ever added to, one at a time, and an entry is whole before the count says
 * so: callbacks read without a lock.
 */
enum { SITES = 64 };
static struct {
	ccbf_site site;
	int kind;
} sites[SITES];
static int known;

int ccbf_site_kind(ccbf_site s) {
	int n = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
	bool alike[CCBF_SITE_KINDS] = {false};
	for (int i = 0; i < n; i++) {
		if (sites[i].site.at == s.at) {
			return sites[i].kind;
		}
		if (sites[i].site.function == s.function && s.function != 0) {
			alike[sites[i].kind] = true;
		}
	}
	if (alike[CCBF_SITE_WHOLE] == alike[CCBF_SITE_ONE]) {
		return CCBF_SITE_UNKNOWN;
	}
	return alike[CCBF_SITE_WHOLE] ? CCBF_SITE_LIKE_WHOLE : CCBF_SITE_LIKE_ONE;
}

/*
 * Windows over whole partitions whose rows are in an order: DuckDB sorts the arguments that
 * it kept, and then calls from the place that it has for agg(x ORDER BY y). The function
 * that calls that place tells them apart.
 */
static uintptr_t sorted[SITES]; /* those functions */
static int known_sorted;

/* Under the registry's lock, as ccbf_know_site. */
void ccbf_know_sorted_window(ccbf_site s) {
	if (s.caller == 0 || known_sorted == SITES) {
		return;
	}
	sorted[known_sorted] = s.caller;
	__atomic_store_n(&known_sorted, known_sorted + 1, __ATOMIC_RELEASE);
}

void ccbf_forget_sorted_windows(ccbf_site s) {
	for (int i = 0; i < known_sorted; i++) {
		if (sorted[i] == s.caller) {
			sorted[i] = 0;
		}
	}
}

bool ccbf_in_sorted_window(ccbf_site s) {
	int n = __atomic_load_n(&known_sorted, __ATOMIC_ACQUIRE);
	for (int i = 0; s.caller != 0 && i < n; i++) {
		if (sorted[i] == s.caller) {
			return true;
		}
	}
	return false;
}

/* Under the registry's lock. What has a kind keeps it. */
void ccbf_know_site(ccbf_site s, int kind) {
	if (s.at == 0 || known == SITES) {
		return;
	}
	for (int i = 0; i < known; i++) {
		if (sites[i].site.at == s.at) {
			return;
		}
	}
	sites[known].site = s;
	sites[known].kind = kind;
	__atomic_store_n(&known, known + 1, __ATOMIC_RELEASE);
}

/* For tests: how many places are known, and from now on only the first n. */
int ccbf_sites(void) {
	return known;
}

void ccbf_hide_sites(int n) {
	__atomic_store_n(&known, n, __ATOMIC_RELEASE);
}
