/*
 * Functions of DuckDB that may throw although they are C: when memory_limit is
 * reached, what asks for memory throws. An exception that meets a Go frame ends
 * the process; here it becomes a result of 1.
 */
extern "C" {
#include "bridge.h"

int ccbf_try_assign(void *vec, uint64_t row, const char *data, uint64_t len) {
	try {
		API(vector_assign_string_element_len)(vec, row, data, len);
		return 0;
	} catch (...) {
		return 1;
	}
}

int ccbf_try_reserve(void *vec, uint64_t capacity) {
	try {
		return API(list_vector_reserve)(vec, capacity);
	} catch (...) {
		return 1;
	}
}
}
