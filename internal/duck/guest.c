/*
 * Protects calls into Go on threads of a host that is not Go (in the loadable extension). A Go
 * program needs none of this.
 *
 * Go code runs on a goroutine's stack of a few kilobytes. Few hosts install signal handlers with
 * SA_ONSTACK. A handler without it runs on the current stack, and would overflow a goroutine's
 * into the heap. So signals are blocked during a callback, apart from those that Go needs and
 * those that report a failed instruction.
 *
 * A child process made by fork has none of Go's threads. A call would wait for them forever, so
 * it is refused.
 */
#include "bridge.h"

#ifndef _WIN32

#include <pthread.h>

/* guest: the host is not Go. forked: this process was made by fork after the load. */
static bool guest, forked;
/* The signals that wait until a callback has left Go. */
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
