/*
 * Calls into Go on a thread of somebody else's program (the loadable
 * extension). In a Go program all of this is Go's own business.
 *
 * Go code runs on a goroutine's stack, of a few kilobytes. A signal handler of
 * the host runs on the stack that it finds, unless it was installed with
 * SA_ONSTACK, which few are: on a goroutine's it would write over the heap. So
 * the signals that hosts have handlers for wait until the callback has ended.
 * Those that Go needs, and those that say that this very instruction failed, do
 * not wait.
 *
 * A child made by fork has none of Go's threads. Calls would wait for them for
 * ever, so they are refused.
 */
#include "bridge.h"

#ifndef _WIN32

#include <pthread.h>

static bool guest, forked;
static sigset_t wait_for_end;

static void note_fork(void) {
	forked = true;
}

void ccbf_be_guest(void) {
	static const int at_once[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGURG};
	if (guest) {
		return;
	}
	sigfillset(&wait_for_end);
	for (size_t i = 0; i < sizeof at_once / sizeof at_once[0]; i++) {
		sigdelset(&wait_for_end, at_once[i]);
	}
	pthread_atfork(NULL, NULL, note_fork);
	guest = true;
}

bool ccbf_enter_go(ccbf_stay *stay) {
	if (!guest) {
		return true;
	}
	if (forked) {
		return false;
	}
	pthread_sigmask(SIG_BLOCK, &wait_for_end, &stay->mask);
	return true;
}

void ccbf_leave_go(const ccbf_stay *stay) {
	if (guest) {
		pthread_sigmask(SIG_SETMASK, &stay->mask, NULL);
	}
}

#else

void ccbf_be_guest(void) {
}

bool ccbf_enter_go(ccbf_stay *stay) {
	(void)stay;
	return true;
}

void ccbf_leave_go(const ccbf_stay *stay) {
	(void)stay;
}

#endif
