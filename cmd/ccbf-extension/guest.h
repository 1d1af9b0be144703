/* The process that this library, and with it a Go runtime, was loaded into. */
#ifndef CCBF_GUEST_H
#define CCBF_GUEST_H

#include <stddef.h>

#ifdef __linux__
#include <signal.h>
typedef sigset_t ccbf_guest_mask;
#else
typedef int ccbf_guest_mask;
#endif

/*
 * NULL, or why the extension must not run in this process, written into text.
 * Calls no Go.
 */
const char *ccbf_guest_unwelcome(char *text, size_t size);

/* Around a call into Go, for the reason given in internal/duck/guest.c. */
void ccbf_guest_enter(ccbf_guest_mask *old);
void ccbf_guest_leave(const ccbf_guest_mask *old);

#endif
