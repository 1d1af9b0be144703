/*
 * Finds the place in DuckDB that called update, by two frames of the stack.
 *
 * For agg(x ORDER BY y) and for constant windows DuckDB passes an array of states that has only
 * its first entry, with any number of rows (DuckDB issue 21537). The array does not show that:
 * DuckDB allocates these arrays side by side, so valid entries of another array can follow.
 * But the kind of array depends only on the place in DuckDB's code that passes it. That place
 * is two frames up: it calls DuckDB's C API, which calls update.
 *
 * learn.go finds out once what these places are.
 */
#include "bridge.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <unwind.h>
#endif

/*
 * The number of frames to search. Four are needed, and the compiler decides how many lie
 * between here and update.
 */
enum { FRAMES = 8 };

#ifdef _WIN32

/* Returns the beginning of the function that has the address at, or 0. */
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

/* The progress of a search through the frames of the stack. */
typedef struct {
	ccbf_site site; /* what was found so far */
	uintptr_t to;   /* the return address to find */
	int left;       /* frames that may still be searched */
	bool next;      /* the last frame had the address to, so the next one is the place */
} walk;

/* Looks at one frame of the stack. */
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
