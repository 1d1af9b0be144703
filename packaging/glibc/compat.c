/*
 * Functions that old versions of glibc lack, linked into programs that must run there
 * too. They are in an archive, so that the linker takes only those that are used.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* The first version of each function, which every glibc has. */
#ifdef __x86_64__
#define FIRST "GLIBC_2.2.5"
#else
#define FIRST "GLIBC_2.17"
#endif
#define OLD(name, its) __asm__(".symver " #name ", " #its "@" FIRST)

#ifdef CCBF_START
/*
 * Before glibc 2.34 the start code in every program ran its constructors. Since
 * then libc runs them, unless the program passes a function for it. The start code of a
 * new glibc passes none, and then an old glibc would run no constructor at all. So this
 * wrapper passes one. The linker's --wrap makes the start code call it.
 */
typedef void (*init_function)(int, char **, char **);
extern init_function __init_array_start[] __attribute__((visibility("hidden")));
extern init_function __init_array_end[] __attribute__((visibility("hidden")));
extern void _init(void);

OLD(old_start, __libc_start_main);
int old_start(int (*main)(int, char **, char **), int argc, char **argv,
                             init_function init, void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

static void run_constructors(int argc, char **argv, char **env) {
	_init();
	for (init_function *f = __init_array_start; f < __init_array_end; f++) {
		(*f)(argc, argv, env);
	}
}

int __wrap___libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                             init_function init, void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
	return old_start(main, argc, argv, init != NULL ? init : run_constructors, fini, rtld_fini, stack_end);
}
#endif

#ifdef CCBF_MATH
/* glibc 2.29 and 2.23 added newer versions, which set errno less often. Values are equal. */
#define MATH(name, parameters, values) \
	OLD(old_##name, name); \
	double old_##name parameters; \
	__attribute__((visibility("hidden"))) double name parameters { return old_##name values; }
MATH(exp, (double x), (x))
MATH(log, (double x), (x))
MATH(log2, (double x), (x))
MATH(pow, (double x, double y), (x, y))
MATH(lgamma, (double x), (x))
#endif

#ifdef CCBF_BZERO
/* Since glibc 2.25. The barrier keeps the compiler from removing the loop. */
__attribute__((visibility("hidden"))) void explicit_bzero(void *p, size_t n) {
	for (volatile unsigned char *b = p; n > 0; n--) {
		*b++ = 0;
	}
	__asm__ __volatile__("" ::: "memory");
}
#endif

#ifdef CCBF_STAT
/* Since glibc 2.33. Earlier headers called these functions, with the number of the struct's layout. */
#include <sys/stat.h>
#ifdef __x86_64__
#define LAYOUT 1
#else
#define LAYOUT 0
#endif
#define STAT(name, old, type, info) \
	OLD(old_##name, old); \
	int old_##name(int layout, type file, struct info *to); \
	__attribute__((visibility("hidden"))) int name(type file, struct info *to) { return old_##name(LAYOUT, file, to); }
STAT(stat, __xstat, const char *, stat)
STAT(stat64, __xstat64, const char *, stat64)
STAT(lstat, __lxstat, const char *, stat)
STAT(lstat64, __lxstat64, const char *, stat64)
STAT(fstat, __fxstat, int, stat)
STAT(fstat64, __fxstat64, int, stat64)
#endif

#ifdef CCBF_RANDOM
/*
 * getentropy since glibc 2.25, arc4random since 2.36. The system call needs Linux 3.17;
 * /dev/urandom is on every Linux.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("hidden"))) int getentropy(void *p, size_t n) {
	size_t have = 0;
	while (have < n) {
		long got = syscall(SYS_getrandom, (char *)p + have, n - have, 0);
		if (got <= 0) {
			break;
		}
		have += (size_t)got;
	}
	if (have == n) {
		return 0;
	}
	int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	while (file >= 0 && have < n) {
		ssize_t got = read(file, (char *)p + have, n - have);
		if (got <= 0) {
			break;
		}
		have += (size_t)got;
	}
	if (file >= 0) {
		close(file);
	}
	return have == n ? 0 : -1;
}

__attribute__((visibility("hidden"))) uint32_t arc4random(void) {
	uint32_t r;
	if (getentropy(&r, sizeof r) != 0) {
		abort(); /* as in libc: it cannot return an error */
	}
	return r;
}
#endif

#ifdef CCBF_RESOLVE
/* Since glibc 2.34. Earlier headers renamed res_search to __res_search. */
int __res_search(const char *name, int class, int type, unsigned char *answer, int size);

__attribute__((visibility("hidden"))) int res_search(const char *name, int class, int type, unsigned char *answer, int size) {
	return __res_search(name, class, type, answer, size);
}
#endif

#ifdef CCBF_SINGLE
/* Since glibc 2.32. Always 0: the process counts as multithreaded, and reference counts are atomic. */
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
#endif

#ifdef CCBF_THREAD
/*
 * Since glibc 2.18. Destroys a thread's C++ objects when the thread ends, the newest first.
 * If libc has the function, it is called. Otherwise a key of the thread holds a list of the
 * objects, and the key's destructor destroys them. The thread that calls exit destroys no
 * keys, so atexit does it. A library with objects of a running thread can then be unloaded
 * too early: no program here unloads one.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#ifndef CCBF_OF_LIBC /* a test sets a name that no libc has */
#define CCBF_OF_LIBC "__cxa_thread_atexit_impl"
#endif
typedef void (*destructor)(void *);
struct entry {
	destructor destroy;
	void *object;
	struct entry *next;
};
static pthread_key_t key;
static int (*of_libc)(destructor, void *, void *);

/* A destructor may add objects. They are destroyed next. */
static void destroy_all(void *first) {
	pthread_setspecific(key, first);
	for (struct entry *e; (e = pthread_getspecific(key)) != NULL; free(e)) {
		pthread_setspecific(key, e->next);
		e->destroy(e->object);
	}
}

static void destroy_own(void) { destroy_all(pthread_getspecific(key)); }

static void find(void) {
	of_libc = (int (*)(destructor, void *, void *))dlsym(RTLD_DEFAULT, CCBF_OF_LIBC);
	if (of_libc == NULL && (pthread_key_create(&key, destroy_all) != 0 || atexit(destroy_own) != 0)) {
		abort(); /* the caller cannot get an error */
	}
}

__attribute__((visibility("hidden"))) int __cxa_thread_atexit_impl(destructor destroy, void *object, void *library) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, find);
	if (of_libc != NULL) {
		return of_libc(destroy, object, library);
	}
	struct entry *e = malloc(sizeof *e);
	if (e == NULL) {
		return -1;
	}
	*e = (struct entry){destroy, object, pthread_getspecific(key)};
	return pthread_setspecific(key, e);
}
#endif

#ifdef CCBF_UNWIND
/*
 * Since glibc 2.35. Finds the object with the code at an address, and its unwind
 * tables. GCC's unwinder calls only this if it was built for a new glibc.
 */
typedef struct {
	uintptr_t pc;
	struct dl_find_object *found;
	int result;
} search;

static int look(struct dl_phdr_info *object, size_t size, void *p) {
	search *s = p;
	uintptr_t low = UINTPTR_MAX, high = 0;
	void *tables = NULL;
	int inside = 0;
	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &object->dlpi_phdr[i];
		uintptr_t at = object->dlpi_addr + h->p_vaddr;
		if (h->p_type == PT_LOAD) {
			inside |= s->pc - at < h->p_memsz;
			low = at < low ? at : low;
			high = at + h->p_memsz > high ? at + h->p_memsz : high;
		} else if (h->p_type == PT_GNU_EH_FRAME) {
			tables = (void *)at;
		}
	}
	if (!inside) {
		return 0;
	}
	if (tables != NULL) {
		s->found->dlfo_map_start = (void *)low;
		s->found->dlfo_map_end = (void *)high;
		s->found->dlfo_link_map = NULL; /* the unwinder does not read it */
		s->found->dlfo_eh_frame = tables;
		s->result = 0;
	}
	return 1;
}

__attribute__((visibility("hidden"))) int _dl_find_object(void *pc, struct dl_find_object *found) {
	search s = {(uintptr_t)pc, found, -1};
	dl_iterate_phdr(look, &s);
	return s.result;
}
#endif
