#include "bridge.h"

#include <string.h>

void ccbf_open_vector(void *vec, ccbf_col *out) {
	out->vec = vec;
	out->data = duckdb_vector_get_data(vec);
	out->mask = duckdb_vector_get_validity(vec);
}

void ccbf_struct_children(void *vec, uint64_t n, ccbf_col *out) {
	for (uint64_t i = 0; i < n; i++) {
		ccbf_open_vector(duckdb_struct_vector_get_child(vec, i), &out[i]);
	}
}

uint64_t ccbf_list_child(void *vec, ccbf_col *out) {
	ccbf_open_vector(duckdb_list_vector_get_child(vec), out);
	return duckdb_list_vector_get_size(vec);
}

uint64_t *ccbf_writable_mask(void *vec) {
	duckdb_vector_ensure_validity_writable(vec);
	return duckdb_vector_get_validity(vec);
}

/* A duckdb_string_t with more bytes than fit into it. */
typedef struct {
	uint32_t len;
	char prefix[4];
	const char *bytes;
} long_string;

/*
 * Sets BLOBs with one call of DuckDB. It assigns the bytes of all pieces to one row, so that the vector
 * owns them. Then it makes each row point at its part of these bytes.
 */
int ccbf_assign_blobs(void *vec, const char *base, const ccbf_piece *pieces, uint64_t n) {
	const ccbf_piece *last = &pieces[n - 1];
	if (ccbf_try_assign(vec, last->row, base, last->start + last->len) != 0) {
		return 1;
	}
	long_string *rows = duckdb_vector_get_data(vec);
	const char *kept = rows[last->row].bytes;
	for (uint64_t i = 0; i < n; i++) {
		long_string *s = &rows[pieces[i].row];
		s->len = (uint32_t)pieces[i].len;
		s->bytes = kept + pieces[i].start;
		memcpy(s->prefix, base + pieces[i].start, sizeof s->prefix);
	}
	return 0;
}

/*
 * Makes room for capacity elements in the child vector of a LIST. That can move the child's data, so
 * it sets *child again.
 */
int ccbf_list_grow(void *vec, uint64_t capacity, ccbf_col *child) {
	if (ccbf_try_reserve(vec, capacity) != 0) {
		return 1;
	}
	ccbf_open_vector(duckdb_list_vector_get_child(vec), child);
	return 0;
}
