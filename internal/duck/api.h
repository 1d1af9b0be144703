/*
 * The part of DuckDB's C API v1.2.0 that this package calls, seen through one
 * table of function pointers. Slot numbers never change within v1 of the API,
 * so the same table serves a program that embeds DuckDB (filled by dlsym) and
 * a loadable extension (copied from the struct that DuckDB hands over).
 *
 * Every handle of the API is an opaque pointer, hence void * throughout. C and Go call
 * duckdb_name(...), which is defined below for each function.
 */
#ifndef CCBF_DUCK_API_H
#define CCBF_DUCK_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CCBF_SLOTS 357

extern void *ccbf_api[CCBF_SLOTS];

/* X(slot, name, result, parameters, arguments) */
#define CCBF_USED(X)                                                                         \
	X(1, open_ext, int, (const char *text, void **p, void *q, char **r), (text, p, q, r)) \
	X(2, close, void, (void **p), (p))                                                   \
	X(3, connect, int, (void *p, void **q), (p, q))                                      \
	X(6, disconnect, void, (void **p), (p))                                              \
	X(7, library_version, const char *, (void), ())                                      \
	X(8, create_config, int, (void **p), (p))                                            \
	X(11, set_config, int, (void *p, const char *text, const char *value), (p, text, value)) \
	X(12, destroy_config, void, (void **p), (p))                                         \
	X(13, query, int, (void *p, const char *text, void *q), (p, text, q))                \
	X(14, destroy_result, void, (void *p), (p))                                          \
	X(25, free, void, (void *p), (p))                                                    \
	X(156, create_logical_type, void *, (uint32_t n), (n))                               \
	X(157, logical_type_get_alias, char *, (void *p), (p))                               \
	X(159, create_list_type, void *, (void *p), (p))                                     \
	X(163, create_struct_type, void *, (void **p, const char **q, uint64_t n), (p, q, n)) \
	X(166, get_type_id, uint32_t, (void *p), (p))                                        \
	X(167, decimal_width, uint8_t, (void *p), (p))                                       \
	X(168, decimal_scale, uint8_t, (void *p), (p))                                       \
	X(169, decimal_internal_type, uint32_t, (void *p), (p))                              \
	X(170, enum_internal_type, uint32_t, (void *p), (p))                                 \
	X(171, enum_dictionary_size, uint32_t, (void *p), (p))                               \
	X(172, enum_dictionary_value, char *, (void *p, uint64_t n), (p, n))                 \
	X(173, list_type_child_type, void *, (void *p), (p))                                 \
	X(174, array_type_child_type, void *, (void *p), (p))                                \
	X(175, array_type_array_size, uint64_t, (void *p), (p))                              \
	X(176, map_type_key_type, void *, (void *p), (p))                                    \
	X(177, map_type_value_type, void *, (void *p), (p))                                  \
	X(178, struct_type_child_count, uint64_t, (void *p), (p))                            \
	X(179, struct_type_child_name, char *, (void *p, uint64_t n), (p, n))                \
	X(180, struct_type_child_type, void *, (void *p, uint64_t n), (p, n))                \
	X(181, union_type_member_count, uint64_t, (void *p), (p))                            \
	X(182, union_type_member_name, char *, (void *p, uint64_t n), (p, n))                \
	X(183, union_type_member_type, void *, (void *p, uint64_t n), (p, n))                \
	X(184, destroy_logical_type, void, (void **p), (p))                                  \
	X(189, data_chunk_get_column_count, uint64_t, (void *p), (p))                        \
	X(190, data_chunk_get_vector, void *, (void *p, uint64_t n), (p, n))                 \
	X(191, data_chunk_get_size, uint64_t, (void *p), (p))                                \
	X(193, vector_get_column_type, void *, (void *p), (p))                               \
	X(194, vector_get_data, void *, (void *p), (p))                                      \
	X(195, vector_get_validity, uint64_t *, (void *p), (p))                              \
	X(196, vector_ensure_validity_writable, void, (void *p), (p))                        \
	X(198, vector_assign_string_element_len, void,                                       \
	  (void *p, uint64_t n, const char *text, uint64_t m), (p, n, text, m))              \
	X(199, list_vector_get_child, void *, (void *p), (p))                                \
	X(200, list_vector_get_size, uint64_t, (void *p), (p))                               \
	X(201, list_vector_set_size, int, (void *p, uint64_t n), (p, n))                     \
	X(202, list_vector_reserve, int, (void *p, uint64_t n), (p, n))                      \
	X(203, struct_vector_get_child, void *, (void *p, uint64_t n), (p, n))               \
	X(209, create_scalar_function, void *, (void), ())                                   \
	X(210, destroy_scalar_function, void, (void **p), (p))                               \
	X(211, scalar_function_set_name, void, (void *p, const char *text), (p, text))       \
	X(213, scalar_function_set_special_handling, void, (void *p), (p))                   \
	X(214, scalar_function_set_volatile, void, (void *p), (p))                           \
	X(215, scalar_function_add_parameter, void, (void *p, void *q), (p, q))              \
	X(216, scalar_function_set_return_type, void, (void *p, void *q), (p, q))            \
	X(217, scalar_function_set_extra_info, void, (void *p, void *q, void *r), (p, q, r)) \
	X(218, scalar_function_set_function, void, (void *p, void *q), (p, q))               \
	X(220, scalar_function_get_extra_info, void *, (void *p), (p))                       \
	X(221, scalar_function_set_error, void, (void *p, const char *text), (p, text))      \
	X(222, create_scalar_function_set, void *, (const char *text), (text))               \
	X(223, destroy_scalar_function_set, void, (void **p), (p))                           \
	X(224, add_scalar_function_to_set, int, (void *p, void *q), (p, q))                  \
	X(225, register_scalar_function_set, int, (void *p, void *q), (p, q))                \
	X(226, create_aggregate_function, void *, (void), ())                                \
	X(227, destroy_aggregate_function, void, (void **p), (p))                            \
	X(228, aggregate_function_set_name, void, (void *p, const char *text), (p, text))    \
	X(229, aggregate_function_add_parameter, void, (void *p, void *q), (p, q))           \
	X(230, aggregate_function_set_return_type, void, (void *p, void *q), (p, q))         \
	X(231, aggregate_function_set_functions, void,                                       \
	  (void *p, void *q, void *r, void *s, void *t, void *u), (p, q, r, s, t, u))        \
	X(232, aggregate_function_set_destructor, void, (void *p, void *q), (p, q))          \
	X(234, aggregate_function_set_special_handling, void, (void *p), (p))                \
	X(235, aggregate_function_set_extra_info, void, (void *p, void *q, void *r), (p, q, r)) \
	X(236, aggregate_function_get_extra_info, void *, (void *p), (p))                    \
	X(237, aggregate_function_set_error, void, (void *p, const char *text), (p, text))   \
	X(238, create_aggregate_function_set, void *, (const char *text), (text))            \
	X(239, destroy_aggregate_function_set, void, (void **p), (p))                        \
	X(240, add_aggregate_function_to_set, int, (void *p, void *q), (p, q))               \
	X(241, register_aggregate_function_set, int, (void *p, void *q), (p, q))

#define CCBF_DEFINE(slot, name, result, params, args)                                       \
	static inline result duckdb_##name params {                                          \
		return ((result(*) params)ccbf_api[slot]) args;                              \
	}
CCBF_USED(CCBF_DEFINE)
#undef CCBF_DEFINE

/*
 * Fills the table from the symbols of the process. Returns NULL, or the name of a function that
 * is missing; then the table does not change.
 */
const char *ccbf_fill_from_process(void);

/* Returns NULL, or the name of a function that the struct does not have. */
const char *ccbf_missing_in_struct(void **from);

/* Reports whether the struct has the functions that the table already has. */
bool ccbf_same_struct(void **from);

#endif
