/*
 * The Go runtime as a guest in somebody else's process.
 *
 * A Go library starts its runtime when it is opened, before anybody asks: a
 * function in .init_array installs signal handlers and creates the first
 * thread. Two constructors here stand around it, one before (numbered, so that
 * the linker sorts it ahead) and one after (the linker takes Go's object first):
 *
 *   - Go's threads are born with the signals blocked that only a host can have a
 *     use for (Ctrl-C, timers, children that end). A host's handler would run on
 *     a goroutine's small stack, unless it asks for a stack of its own, which
 *     most do not: it would write over the heap. Callbacks on a host's threads
 *     are protected in internal/duck/guest.c.
 *   - SIGPIPE is given back: no Go code here writes to a pipe.
 *   - SIGURG, by which Go interrupts its own goroutines, is shared with whoever
 *     had it before, such as another Go library. It means nothing to a runtime
 *     whose thread it did not send it to.
 *   - SIGSEGV, SIGBUS and SIGFPE stay with Go, which passes on what did not
 *     happen in Go code to the handler that it found. That is how a JVM goes on
 *     getting its own.
 *
 * In a program that is itself written in Go everything is put back as it was,
 * and the extension refuses to load: the host's runtime would no longer get the
 * SIGURG of its own, and its garbage collector wait for loops that it could
 * interrupt before (measured: 27 ms became 1.8 s). The same call for a second
 * copy of this library.
 */
#define _GNU_SOURCE
#include "guest.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Other copies of this library look for it by its name. */
int ccbf_extension_serves;

static struct sigaction before[NSIG];
static struct sigaction go_urgent;
static sigset_t old_mask;
static bool go_program, given_back;
static pid_t home; /* the process that opened this library */

/* Where the linker puts it, every Go program and library has this, 16-aligned. */
static bool has_build_info(const uint8_t *p, size_t n) {
	/* Put together here, so that it is nowhere to be found in this library. */
	static const char text[] = " Go buildinf:";
	for (size_t i = 0; i + sizeof text <= n; i += 16) {
		if (p[i] == 0xff && memcmp(p + i + 1, text, sizeof text - 1) == 0) {
			return true;
		}
	}
	return false;
}

/* The first object is the program itself. */
static int look_at_program(struct dl_phdr_info *object, size_t size, void *found) {
	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];
		if (h->p_type == PT_LOAD && (h->p_flags & PF_W) != 0 && (h->p_flags & PF_R) != 0) {
			const uint8_t *p = (const uint8_t *)(object->dlpi_addr + h->p_vaddr);
			size_t skip = (16 - ((uintptr_t)p & 15)) & 15;
			if (h->p_filesz > skip && has_build_info(p + skip, h->p_filesz - skip)) {
				*(bool *)found = true;
			}
		}
	}
	return 1;
}

/* What ends up in a host's handler, and what a Go thread must go on hearing. */
static void hosts_signals(sigset_t *set) {
	static const int synchronous[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGURG};
	sigfillset(set);
	for (size_t i = 0; i < sizeof synchronous / sizeof synchronous[0]; i++) {
		sigdelset(set, synchronous[i]);
	}
}

void ccbf_guest_enter(ccbf_guest_mask *old) {
	sigset_t set;
	hosts_signals(&set);
	pthread_sigmask(SIG_BLOCK, &set, old);
}

void ccbf_guest_leave(const ccbf_guest_mask *old) {
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

__attribute__((constructor(101))) static void before_go(void) {
	for (int i = 1; i < NSIG; i++) {
		sigaction(i, NULL, &before[i]);
	}
	home = getpid();
	dl_iterate_phdr(look_at_program, &go_program);
	ccbf_guest_enter(&old_mask);
}

static void urgent(int sig, siginfo_t *info, void *context) {
	go_urgent.sa_sigaction(sig, info, context);
	if ((before[sig].sa_flags & SA_SIGINFO) != 0) {
		before[sig].sa_sigaction(sig, info, context);
	} else {
		before[sig].sa_handler(sig);
	}
}

static bool is_handler(const struct sigaction *a) {
	return (a->sa_flags & SA_SIGINFO) != 0 || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

/* Called before anybody can have put in other handlers. */
static void give_back(void) {
	for (int i = 1; i < NSIG && !given_back; i++) {
		sigaction(i, &before[i], NULL);
	}
	given_back = true;
}

__attribute__((constructor)) static void after_go(void) {
	ccbf_guest_leave(&old_mask);
	if (go_program) {
		give_back();
		return;
	}
	sigaction(SIGPIPE, &before[SIGPIPE], NULL);
	if (is_handler(&before[SIGURG])) {
		struct sigaction both;
		sigaction(SIGURG, NULL, &go_urgent);
		both = go_urgent;
		both.sa_sigaction = urgent;
		sigaction(SIGURG, &both, NULL);
	}
}

typedef struct {
	char **name;
	size_t n;
} object_names;

/* dl_iterate_phdr holds a lock that dlopen takes second: only names are collected here. */
static int collect_name(struct dl_phdr_info *object, size_t size, void *p) {
	object_names *names = p;
	(void)size;
	if (object->dlpi_name == NULL || object->dlpi_name[0] == 0) {
		return 0;
	}
	char **grown = realloc(names->name, (names->n + 1) * sizeof *grown);
	if (grown != NULL) {
		names->name = grown;
		grown[names->n] = strdup(object->dlpi_name);
		names->n += grown[names->n] != NULL;
	}
	return grown == NULL;
}

/* Is the object another copy of this library that has databases already? Then this is its file. */
static bool is_serving_copy(const char *object, Dl_info *file) {
	void *lib = dlopen(object, RTLD_LAZY | RTLD_NOLOAD);
	if (lib == NULL) {
		return false;
	}
	int *serving = dlsym(lib, "ccbf_extension_serves");
	dlclose(lib);
	/* dlsym searches what the object depends on too: ask whose it is. */
	return serving != NULL && serving != &ccbf_extension_serves && *serving != 0 && dladdr(serving, file) != 0;
}

/* Writes an error if another copy of this library has databases already. */
static bool other_copy(char *text, size_t size) {
	object_names names = {NULL, 0};
	bool found = false;
	dl_iterate_phdr(collect_name, &names);
	for (size_t i = 0; i < names.n; i++) {
		Dl_info file;
		if (!found && is_serving_copy(names.name[i], &file)) {
			snprintf(text, size, "another copy of this extension is in this process already: %s. Two would be two Go runtimes; LOAD that file here too", file.dli_fname);
			found = true;
		}
		free(names.name[i]);
	}
	free(names.name);
	return found;
}

const char *ccbf_guest_unwelcome(char *text, size_t size) {
	if (go_program) {
		snprintf(text, size, "this program is written in Go, and the extension would bring a second Go runtime into it: use the Go package github.com/ccbfsql/ccbfsql instead (ccbfsql.Register)");
		return text;
	}
	if (getpid() != home) {
		snprintf(text, size, "this process was made by fork from one that had loaded the extension: the Go runtime's threads stayed behind. Load it in the child only, or start a new process (Python: the start method \"spawn\")");
		return text;
	}
	if (ccbf_extension_serves == 0 && other_copy(text, size)) {
		give_back();
		return text;
	}
	ccbf_extension_serves = 1;
	return NULL;
}

#else

void ccbf_guest_enter(ccbf_guest_mask *old) {
	(void)old;
}

void ccbf_guest_leave(const ccbf_guest_mask *old) {
	(void)old;
}

const char *ccbf_guest_unwelcome(char *text, size_t size) {
	(void)text;
	(void)size;
	return NULL; /* what guests do to each other there has not been tried */
}

#endif
