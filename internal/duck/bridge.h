/* The data that Go and C exchange in one callback. */
#ifndef CCBF_DUCK_BRIDGE_H
#define CCBF_DUCK_BRIDGE_H

#include "api.h"

#ifndef _WIN32
#include <signal.h>
#endif

/* The largest number of arguments of a function. It is small, as their columns are on the C stack. */
#define CCBF_MAX_COLS 24

/* One aggregate state, in memory that DuckDB owns; State in state.go. */
typedef struct {
	uint64_t mark;
	uint64_t ref; /* memory.Ref in Go: the state's page, or the number of the Instance */
	uint8_t in[48];
} ccbf_state;

/* The low bits of a mark are the number of the state's overload. */
#define CCBF_NUMBER_BITS 20
#define CCBF_NUMBERS (((uint64_t)1 << CCBF_NUMBER_BITS) - 1)

/* The bit of ref that a state with a page has. */
#define CCBF_HAS_PAGE ((uint64_t)1 << 63)

/* A vector with its data and validity mask. */
typedef struct {
	void *vec;
	void *data;
	uint64_t *mask;
} ccbf_col;

/*
 * The place that called DuckDB's C API, and the beginning of the function that it is in; 0 where
 * the stack does not say.
 */
typedef struct {
	uintptr_t at, function;
	uintptr_t caller; /* the function that called that function */
} ccbf_site;

/* The arguments of one callback from DuckDB. */
typedef struct {
	void *info;
	uint64_t id; /* extra_info: the number of the overload; in the high 32 bits, that of the instance */
	uint64_t rows;
	uint64_t offset; /* in finalize: the row of out for the first state */
	uint32_t ncols;
	ccbf_site site;  /* in update: the place in DuckDB that called it */
	uint64_t thread; /* a number of the calling thread, in update and finalize */
	ccbf_col *cols;
	ccbf_state **states; /* in combine: the states to add to those of into */
	ccbf_state **into;
	ccbf_col out;
} ccbf_call;

/* One value for a BLOB vector. The bytes of several values are in one buffer. */
typedef struct {
	uint64_t row;
	uint64_t start; /* index of its first byte in the buffer */
	uint64_t len;
} ccbf_piece;

void ccbf_set_mark(uint64_t mark);

/*
 * callbacks.c: both set what DuckDB calls for the overload id. If tells_end is true, DuckDB tells when it
 * frees the function.
 */
void ccbf_scalar_callbacks(void *function, uint64_t id, bool tells_end);
void ccbf_aggregate_callbacks(void *function, uint64_t id);
void ccbf_prefetch(ccbf_state **states, uint64_t n);

/* guest.c: the signal mask of a thread before it entered Go */
typedef struct {
#ifndef _WIN32
	sigset_t mask;
#endif
	char unused;
} ccbf_stay;
void ccbf_be_guest(void);
bool ccbf_enter_go(ccbf_stay *stay); /* false: the thread must not enter Go */
void ccbf_leave_go(const ccbf_stay *stay);

/* catch.cpp: both return 0, or 1 if there is no memory */
int ccbf_try_assign(void *vec, uint64_t row, const char *data, uint64_t len);
int ccbf_try_reserve(void *vec, uint64_t capacity);

/* vectors.c */
void ccbf_open_vector(void *vec, ccbf_col *out);
void ccbf_struct_children(void *vec, uint64_t n, ccbf_col *out);
uint64_t ccbf_list_child(void *vec, ccbf_col *out);
uint64_t *ccbf_writable_mask(void *vec);
int ccbf_assign_blobs(void *vec, const char *base, const ccbf_piece *pieces, uint64_t n);
int ccbf_list_grow(void *vec, uint64_t capacity, ccbf_col *child);

/* The address in DuckDB's C API that a callback returns to. */
#define OWN_RETURN ((uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)))

/* callsite.c: the place that called the C API function that an address returns to. */
ccbf_site ccbf_call_site(uintptr_t to);

/* probe.c */
/* The smallest memory page of all supported systems. Each page size is a multiple of it. */
#define CCBF_PAGE 4096u
bool ccbf_readable(const void *p);
/* Reports whether all n entries point to states with this mark; states[0] certainly does. */
bool ccbf_all_states(ccbf_state **states, uint64_t n, uint64_t mark);

/*
 * constants.c: a field of a STRUCT. If it is a STRUCT itself, its width is 0, and the next
 * inner entries are its fields.
 */
typedef struct {
	const void *vec;
	uint32_t width; /* bytes of a value; 0 for a STRUCT */
	uint32_t inner; /* for a STRUCT, the number of entries for its fields */
} ccbf_field;
/*
 * Restores damaged constants in the n fields of a STRUCT, in a part of a chunk with so many rows. It
 * returns false if it cannot tell whether the part is damaged, or if rows of it are not in memory.
 */
bool ccbf_complete_constants(const ccbf_field *fields, uint32_t n, uint64_t rows);
void ccbf_learn_constants(void *vec, uint64_t rows);
/* Whether the parts of a chunk share the memory of constants: not known, yes, no. */
enum { CCBF_CONSTANTS_UNKNOWN, CCBF_CONSTANTS_SHARED, CCBF_CONSTANTS_APART };
int ccbf_constants(void);

#endif
