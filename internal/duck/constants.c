/*
 * Constants in STRUCTs that DuckDB hands over in parts.
 *
 * In a window over whole partitions, DuckDB (1.3.2 to 1.5.6) cuts a chunk into its
 * partitions. A STRUCT of constants and columns is flat, and all parts share the vectors
 * of its fields. The first part makes its constants flat in place: it allocates memory for a
 * whole vector and writes as many values as this part has rows. The other parts find
 * uninitialised memory behind these values.
 *
 * The memory of such a constant has one holder, the field. The memory of a column also
 * belongs to the vector or the cache that the field refers to. So where a field is the only
 * holder of a whole vector's memory, and all rows of the part have one value, this value is
 * written to the rest of that memory. The parts that follow then read it there.
 *
 * The C API does not say who holds the memory of a vector: this is read from DuckDB's own
 * objects. learn.go shows a known constant and a known column to ccbf_learn_constants,
 * which finds out whether the objects are as described here. Where they are not, such calls
 * are refused.
 */
#include "bridge.h"

#include <string.h>

/* The beginning of DuckDB's VectorBuffer. */
typedef struct {
	const void *table;
	uint64_t kind;
	const void *auxiliary;
	const void *allocator;
	uint8_t *data; /* NULL where the memory belongs to another kind of buffer */
	uint64_t size;
} buffer;

/* The beginning of the control block of a C++ shared_ptr, which counts the holders. */
typedef struct {
	const void *table;
	uint32_t holders; /* the number of holders, or one less: that differs between C++ libraries */
} control;

/* The beginning of DuckDB's Vector. */
typedef struct {
	uint8_t kind[8];
	const void *type[3];
	uint8_t *data;
	uint64_t *mask;
	const void *mask_holder[2];
	uint64_t mask_rows;
	const buffer *memory;
	const control *control;
} vector;

enum { VECTOR_ROWS = 2048 };

static struct {
	bool shared, apart; /* seen: later parts of a chunk share the constant's memory, or have their own */
	bool strange;       /* seen: shared memory whose objects are not as the file's comment says */
	uint32_t alone;     /* the value of control.holders that means one holder */
} learned;

/* What ccbf_learn_constants saw in its last call. constant and column are the ends of their values. */
static struct {
	bool described;       /* a first part, whose objects are as the file's comment says */
	const buffer *memory; /* the memory of the constant */
	const uint8_t *constant, *column;
} before;

/* Reports whether size bytes at p can be read. */
static bool all_readable(const void *p, size_t size) {
	if (p == NULL || ((uintptr_t)p & 7) != 0) {
		return false;
	}
	for (size_t at = 0; at < size; at += 8) {
		if (!ccbf_readable((const char *)p + at)) {
			return false;
		}
	}
	return true;
}

/* Reports whether v is a whole vector whose object is as the types above say. */
static bool described(const vector *v) {
	return all_readable(v, sizeof *v) && v->data == duckdb_vector_get_data((void *)v) &&
	       v->mask == duckdb_vector_get_validity((void *)v) && v->mask_rows == VECTOR_ROWS &&
	       all_readable(v->memory, sizeof *v->memory) && all_readable(v->control, sizeof *v->control);
}

/* Reports whether these fields of a STRUCT are as in the first part of a chunk. */
static bool is_first_part(const vector *constant, const vector *null, const vector *column) {
	const uint64_t size = VECTOR_ROWS * sizeof(int64_t);
	return described(constant) && described(null) && described(column) && null->mask != NULL &&
	       constant->memory->data == constant->data && constant->memory->size == size &&
	       null->memory->data == null->data && null->memory->size == size &&
	       null->control->holders == constant->control->holders &&
	       column->control->holders > constant->control->holders;
}

/*
 * Learns from a STRUCT vec of a constant BIGINT, a constant NULL, and a column. If the column begins
 * where it ended in the last call, this is the next part of the same chunk. If the constant does not
 * continue too, the parts do not share its memory.
 */
void ccbf_learn_constants(void *vec, uint64_t rows) {
	void *constant = duckdb_struct_vector_get_child(vec, 0), *column = duckdb_struct_vector_get_child(vec, 2);
	const vector *c = constant, *null = duckdb_struct_vector_get_child(vec, 1);
	const uint8_t *at = duckdb_vector_get_data(constant), *column_at = duckdb_vector_get_data(column);
	learned.strange = learned.strange || duckdb_vector_get_data(vec) != NULL;
	if (before.column != column_at) {
		before.described = is_first_part(c, null, column);
		if (before.described) {
			before.memory = c->memory;
			learned.alone = c->control->holders;
		}
	} else if (before.constant != at) {
		learned.apart = true;
	} else if (before.described && described(c) && c->memory == before.memory && c->control->holders == learned.alone + 1) {
		learned.shared = true;
	} else {
		learned.strange = true;
	}
	before.constant = at + rows * sizeof(int64_t);
	before.column = column_at + rows * sizeof(int64_t);
}

int ccbf_constants(void) {
	if (learned.strange || learned.shared == learned.apart) {
		return CCBF_CONSTANTS_UNKNOWN;
	}
	return learned.shared ? CCBF_CONSTANTS_SHARED : CCBF_CONSTANTS_APART;
}

static bool is_valid(const vector *v, uint64_t i) {
	return v->mask == NULL || (v->mask[i / 64] >> (i % 64) & 1) != 0;
}

/* Returns how many rows at the beginning of a whole vector are equal: one value, or NULL. */
static uint64_t alike_rows(const vector *v, uint64_t width) {
	bool valid = is_valid(v, 0);
	uint64_t i = 1;
	while (i < VECTOR_ROWS && is_valid(v, i) == valid &&
	       (!valid || memcmp(v->data, v->data + i * width, width) == 0)) {
		i++;
	}
	return i;
}

/* Makes all rows of v from row i on equal to row 0. A value has width bytes. */
static void complete(const vector *v, uint64_t width, uint64_t i) {
	for (bool valid = is_valid(v, 0); i < VECTOR_ROWS; i++) {
		if (valid) {
			memcpy(v->data + i * width, v->data, width);
		}
		if (v->mask != NULL && !valid) {
			v->mask[i / 64] &= ~((uint64_t)1 << (i % 64));
		}
	}
}

/* Reports whether a field is no STRUCT, and begins where memory for a whole vector begins. */
static bool is_whole(const ccbf_field *f) {
	const vector *v = f->vec;
	return f->width != 0 && v->memory != NULL && v->memory->data != NULL && v->memory->data == v->data &&
	       v->memory->size >= (uint64_t)VECTOR_ROWS * f->width && (v->mask == NULL || v->mask_rows >= VECTOR_ROWS);
}

/* Reports whether a field is whole, and the only holder of its memory: then it is a constant. */
static bool is_alone(const ccbf_field *f) {
	const vector *v = f->vec;
	return is_whole(f) && v->control->holders == learned.alone;
}

/* Reports whether some rows of a part are not in the memory of the field. */
static bool is_outside(const ccbf_field *f, uint64_t rows) {
	const vector *v = f->vec;
	if (f->width == 0 || v->memory == NULL || v->memory->data == NULL) {
		return false;
	}
	uint64_t at = (uint64_t)(v->data - v->memory->data);
	return v->data >= v->memory->data && at <= (uint64_t)VECTOR_ROWS * f->width &&
	       at + rows * f->width > v->memory->size;
}

bool ccbf_complete_constants(const ccbf_field *fields, uint32_t n, uint64_t rows) {
	uint32_t leaves = 0, alone = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (is_outside(&fields[i], rows)) {
			return false;
		}
		leaves += fields[i].width != 0;
		alone += is_alone(&fields[i]);
	}
	/*
	 * If each field is the only holder of its memory, DuckDB copied all of them for this call.
	 * Then nothing is damaged. It does so for constant STRUCTs.
	 */
	if (alone == leaves || rows >= VECTOR_ROWS) {
		return true;
	}
	for (uint32_t i = 0; i < n; i++) {
		const ccbf_field *f = &fields[i];
		if (!is_whole(f)) {
			continue;
		}
		uint64_t alike = alike_rows(f->vec, f->width);
		if (alike < rows || alike == VECTOR_ROWS) {
			continue;
		}
		/* All rows of this part are equal. The field may be a column, or a constant that another function
		 * holds too: that is not known, so the call is refused. */
		if (!is_alone(f)) {
			return false;
		}
		complete(f->vec, f->width, rows);
	}
	/* Complete the inner STRUCTs that are a constant NULL. Their fields were completed before. */
	for (uint32_t i = 0; i < n; i++) {
		const vector *v = fields[i].vec;
		bool constant = fields[i].inner > 0 && v->mask != NULL && v->mask_rows >= VECTOR_ROWS;
		for (uint32_t j = i + 1; constant && j <= i + fields[i].inner; j++) {
			constant = fields[j].width == 0 || is_whole(&fields[j]);
		}
		for (uint64_t row = 0; constant && row < rows; row++) {
			constant = !is_valid(v, row);
		}
		if (constant) {
			complete(v, 0, rows);
		}
	}
	return true;
}
