/*
 * Calls C functions of DuckDB that throw if memory_limit is reached. An exception in a Go frame
 * would end the process. Here it becomes the result 1.
 */
extern "C" {
#include "bridge.h"

int ccbf_try_assign(void *vec, uint64_t row, const char *data, uint64_t len) {
	try {
		duckdb_vector_assign_string_element_len(vec, row, data, len);
		return 0;
	} catch (...) {
		return 1;
	}
}

int ccbf_try_reserve(void *vec, uint64_t capacity) {
	try {
		return duckdb_list_vector_reserve(vec, capacity);
	} catch (...) {
		return 1;
	}
}
}
