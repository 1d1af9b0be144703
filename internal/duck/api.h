/*
 * The part of DuckDB's C API v1.2.0 that this package calls, seen through one
 * table of function pointers. Slot numbers never change within v1 of the API,
 * so the same table serves a program that embeds DuckDB (filled by dlsym) and
 * a loadable extension (copied from the struct that DuckDB hands over).
 *
 * Every handle of the API is an opaque pointer, hence void * throughout.
 */
#ifndef CCBF_DUCK_API_H
#define CCBF_DUCK_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CCBF_SLOTS 357

extern void *ccbf_api[CCBF_SLOTS];

/* X(slot, name, result, parameters) */
#define CCBF_USED(X)                                                            \
	X(1, open_ext, int, (const char *, void **, void *, char **))               \
	X(2, close, void, (void **))                                                \
	X(3, connect, int, (void *, void **))                                       \
	X(6, disconnect, void, (void **))                                           \
	X(7, library_version, const char *, (void))                                 \
	X(8, create_config, int, (void **))                                         \
	X(11, set_config, int, (void *, const char *, const char *))                \
	X(12, destroy_config, void, (void **))                                      \
	X(13, query, int, (void *, const char *, void *))                           \
	X(14, destroy_result, void, (void *))                                       \
	X(25, free, void, (void *))                                                 \
	X(156, create_logical_type, void *, (uint32_t))                             \
	X(157, logical_type_get_alias, char *, (void *))                            \
	X(159, create_list_type, void *, (void *))                                  \
	X(163, create_struct_type, void *, (void **, const char **, uint64_t))      \
	X(165, create_decimal_type, void *, (uint8_t, uint8_t))                     \
	X(166, get_type_id, uint32_t, (void *))                                     \
	X(167, decimal_width, uint8_t, (void *))                                    \
	X(168, decimal_scale, uint8_t, (void *))                                    \
	X(171, enum_dictionary_size, uint32_t, (void *))                            \
	X(172, enum_dictionary_value, char *, (void *, uint64_t))                   \
	X(173, list_type_child_type, void *, (void *))                              \
	X(174, array_type_child_type, void *, (void *))                             \
	X(175, array_type_array_size, uint64_t, (void *))                           \
	X(176, map_type_key_type, void *, (void *))                                 \
	X(177, map_type_value_type, void *, (void *))                               \
	X(178, struct_type_child_count, uint64_t, (void *))                         \
	X(179, struct_type_child_name, char *, (void *, uint64_t))                  \
	X(180, struct_type_child_type, void *, (void *, uint64_t))                  \
	X(181, union_type_member_count, uint64_t, (void *))                         \
	X(182, union_type_member_name, char *, (void *, uint64_t))                  \
	X(183, union_type_member_type, void *, (void *, uint64_t))                  \
	X(184, destroy_logical_type, void, (void **))                               \
	X(189, data_chunk_get_column_count, uint64_t, (void *))                     \
	X(190, data_chunk_get_vector, void *, (void *, uint64_t))                   \
	X(191, data_chunk_get_size, uint64_t, (void *))                             \
	X(193, vector_get_column_type, void *, (void *))                            \
	X(194, vector_get_data, void *, (void *))                                   \
	X(195, vector_get_validity, uint64_t *, (void *))                           \
	X(196, vector_ensure_validity_writable, void, (void *))                     \
	X(198, vector_assign_string_element_len, void,                              \
	  (void *, uint64_t, const char *, uint64_t))                               \
	X(199, list_vector_get_child, void *, (void *))                             \
	X(200, list_vector_get_size, uint64_t, (void *))                            \
	X(201, list_vector_set_size, int, (void *, uint64_t))                       \
	X(202, list_vector_reserve, int, (void *, uint64_t))                        \
	X(203, struct_vector_get_child, void *, (void *, uint64_t))                 \
	X(209, create_scalar_function, void *, (void))                              \
	X(210, destroy_scalar_function, void, (void **))                            \
	X(211, scalar_function_set_name, void, (void *, const char *))              \
	X(213, scalar_function_set_special_handling, void, (void *))                \
	X(214, scalar_function_set_volatile, void, (void *))                        \
	X(215, scalar_function_add_parameter, void, (void *, void *))               \
	X(216, scalar_function_set_return_type, void, (void *, void *))             \
	X(217, scalar_function_set_extra_info, void, (void *, void *, void *))      \
	X(218, scalar_function_set_function, void, (void *, void *))                \
	X(220, scalar_function_get_extra_info, void *, (void *))                    \
	X(221, scalar_function_set_error, void, (void *, const char *))             \
	X(222, create_scalar_function_set, void *, (const char *))                  \
	X(223, destroy_scalar_function_set, void, (void **))                        \
	X(224, add_scalar_function_to_set, int, (void *, void *))                   \
	X(225, register_scalar_function_set, int, (void *, void *))                 \
	X(226, create_aggregate_function, void *, (void))                           \
	X(227, destroy_aggregate_function, void, (void **))                         \
	X(228, aggregate_function_set_name, void, (void *, const char *))           \
	X(229, aggregate_function_add_parameter, void, (void *, void *))            \
	X(230, aggregate_function_set_return_type, void, (void *, void *))          \
	X(231, aggregate_function_set_functions, void,                              \
	  (void *, void *, void *, void *, void *, void *))                         \
	X(232, aggregate_function_set_destructor, void, (void *, void *))           \
	X(234, aggregate_function_set_special_handling, void, (void *))             \
	X(235, aggregate_function_set_extra_info, void, (void *, void *, void *))   \
	X(236, aggregate_function_get_extra_info, void *, (void *))                 \
	X(237, aggregate_function_set_error, void, (void *, const char *))          \
	X(238, create_aggregate_function_set, void *, (const char *))               \
	X(239, destroy_aggregate_function_set, void, (void **))                     \
	X(240, add_aggregate_function_to_set, int, (void *, void *))                \
	X(241, register_aggregate_function_set, int, (void *, void *))

#define CCBF_DECLARE(slot, name, result, params)                                \
	enum { ccbf_slot_##name = slot };                                           \
	typedef result(*ccbf_fn_##name) params;
CCBF_USED(CCBF_DECLARE)
#undef CCBF_DECLARE

/* API(name)(arguments...) calls duckdb_name through the table. */
#define API(name) ((ccbf_fn_##name)ccbf_api[ccbf_slot_##name])

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
