/*
 * Describes a logical type as bytes, so that Go gets all of it in one crossing, and finds a known
 * type by comparing bytes.
 *
 *   type   = id:u8 alias:text rest
 *   rest   = DECIMAL width:u8 scale:u8 | ENUM n:u32 text*n | LIST type
 *          | ARRAY size:u64 type | MAP type type
 *          | STRUCT n:u32 (text type)*n | UNION n:u32 (text type)*n | nothing
 *   text   = len:u32 bytes
 */
#include "bridge.h"

#include <stdlib.h>
#include <string.h>

enum {
	T_DECIMAL = 19,
	T_ENUM = 23,
	T_LIST = 24,
	T_STRUCT = 25,
	T_MAP = 26,
	T_UNION = 28,
	T_ARRAY = 33
};

/* A growing array of bytes. */
typedef struct {
	uint8_t *p;
	uint64_t len, cap;
	bool failed;
} buffer;

/* Appends n bytes. If there is no memory, it sets failed, and later calls do nothing. */
static void put(buffer *b, const void *from, uint64_t n) {
	if (b->failed) {
		return;
	}
	if (b->len + n > b->cap) {
		uint64_t cap = (b->len + n) * 2 + 64;
		uint8_t *p = realloc(b->p, cap);
		if (p == NULL) {
			b->failed = true;
			return;
		}
		b->p = p;
		b->cap = cap;
	}
	if (n > 0) {
		memcpy(b->p + b->len, from, n);
	}
	b->len += n;
}

static void put_byte(buffer *b, uint8_t v) {
	put(b, &v, 1);
}

static void put_u32(buffer *b, uint32_t v) {
	put(b, &v, 4);
}

/* Appends text, which may be NULL, and frees it. */
static void put_text(buffer *b, char *text) {
	uint32_t n = text == NULL ? 0 : (uint32_t)strlen(text);
	put_u32(b, n);
	put(b, text, n);
	if (text != NULL) {
		duckdb_free(text);
	}
}

static void put_type(buffer *b, void *type);

/* Appends a type and frees it. */
static void put_owned(buffer *b, void *type) {
	put_type(b, type);
	if (type != NULL) {
		duckdb_destroy_logical_type(&type);
	}
}

static void put_type(buffer *b, void *type) {
	uint32_t id = type == NULL ? 0 : duckdb_get_type_id(type);
	put_byte(b, (uint8_t)id);
	if (type == NULL) {
		put_u32(b, 0);
		return;
	}
	put_text(b, duckdb_logical_type_get_alias(type));
	switch (id) {
	case T_DECIMAL:
		put_byte(b, duckdb_decimal_width(type));
		put_byte(b, duckdb_decimal_scale(type));
		break;
	case T_ENUM: {
		uint32_t n = duckdb_enum_dictionary_size(type);
		put_u32(b, n);
		for (uint32_t i = 0; i < n; i++) {
			put_text(b, duckdb_enum_dictionary_value(type, i));
		}
		break;
	}
	case T_LIST:
		put_owned(b, duckdb_list_type_child_type(type));
		break;
	case T_ARRAY: {
		uint64_t n = duckdb_array_type_array_size(type);
		put(b, &n, 8);
		put_owned(b, duckdb_array_type_child_type(type));
		break;
	}
	case T_MAP:
		put_owned(b, duckdb_map_type_key_type(type));
		put_owned(b, duckdb_map_type_value_type(type));
		break;
	case T_STRUCT: {
		uint64_t n = duckdb_struct_type_child_count(type);
		put_u32(b, (uint32_t)n);
		for (uint64_t i = 0; i < n; i++) {
			put_text(b, duckdb_struct_type_child_name(type, i));
			put_owned(b, duckdb_struct_type_child_type(type, i));
		}
		break;
	}
	case T_UNION: {
		uint64_t n = duckdb_union_type_member_count(type);
		put_u32(b, (uint32_t)n);
		for (uint64_t i = 0; i < n; i++) {
			put_text(b, duckdb_union_type_member_name(type, i));
			put_owned(b, duckdb_union_type_member_type(type, i));
		}
		break;
	}
	default:
		break;
	}
}

uint8_t *ccbf_describe_vector(void *vec, uint64_t *len) {
	buffer b = {0};
	put_owned(&b, duckdb_vector_get_column_type(vec));
	if (b.failed) {
		free(b.p);
		b.p = NULL;
		b.len = 0;
	}
	*len = b.len;
	return b.p;
}
