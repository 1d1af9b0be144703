#include "bridge.h"

void *ccbf_simple_type(uint32_t id) {
	return API(create_logical_type)(id);
}

bool ccbf_has_type(uint32_t id) {
	void *type = ccbf_simple_type(id);
	bool known = type != NULL && API(get_type_id)(type) == id;
	if (type != NULL) {
		ccbf_free_type(type);
	}
	return known;
}

void *ccbf_list_type(void *elem) {
	return API(create_list_type)(elem);
}

void *ccbf_struct_type(void **types, const char **names, uint64_t n) {
	return API(create_struct_type)(types, names, n);
}

void *ccbf_decimal_type(uint8_t width, uint8_t scale) {
	return API(create_decimal_type)(width, scale);
}

void ccbf_free_type(void *type) {
	if (type != NULL) {
		API(destroy_logical_type)(&type);
	}
}

void *ccbf_new_set(bool aggregate, const char *name) {
	return aggregate ? API(create_aggregate_function_set)(name)
	                 : API(create_scalar_function_set)(name);
}

/*
 * Adds a scalar overload to a set. "Special handling" makes DuckDB pass NULLs to the function. If
 * tells_end is true, DuckDB calls the function end (callbacks.c) when it frees the overload.
 */
static int add_scalar(void *set, const char *name, void **params, uint64_t n, void *returns,
                      bool is_volatile, uint64_t id, bool tells_end) {
	void *f = API(create_scalar_function)();
	API(scalar_function_set_name)(f, name);
	for (uint64_t i = 0; i < n; i++) {
		API(scalar_function_add_parameter)(f, params[i]);
	}
	API(scalar_function_set_return_type)(f, returns);
	API(scalar_function_set_special_handling)(f);
	if (is_volatile) {
		API(scalar_function_set_volatile)(f);
	}
	API(scalar_function_set_extra_info)
	(f, (void *)(uintptr_t)id, tells_end ? ccbf_callback_end() : NULL);
	API(scalar_function_set_function)(f, ccbf_callback_scalar());
	int failed = API(add_scalar_function_to_set)(set, f);
	API(destroy_scalar_function)(&f);
	return failed;
}

/* Adds an aggregate overload to a set. */
static int add_aggregate(void *set, const char *name, void **params, uint64_t n, void *returns,
                         uint64_t id) {
	void *f = API(create_aggregate_function)();
	API(aggregate_function_set_name)(f, name);
	for (uint64_t i = 0; i < n; i++) {
		API(aggregate_function_add_parameter)(f, params[i]);
	}
	API(aggregate_function_set_return_type)(f, returns);
	API(aggregate_function_set_special_handling)(f);
	API(aggregate_function_set_extra_info)(f, (void *)(uintptr_t)id, NULL);
	ccbf_aggregate_callbacks(f);
	int failed = API(add_aggregate_function_to_set)(set, f);
	API(destroy_aggregate_function)(&f);
	return failed;
}

int ccbf_add_overload(bool aggregate, void *set, const char *name, void **params, uint64_t n,
                      void *returns, bool is_volatile, uint64_t id, bool tells_end) {
	return aggregate ? add_aggregate(set, name, params, n, returns, id)
	                 : add_scalar(set, name, params, n, returns, is_volatile, id, tells_end);
}

int ccbf_register_set(bool aggregate, void *conn, void *set) {
	return aggregate ? API(register_aggregate_function_set)(conn, set)
	                 : API(register_scalar_function_set)(conn, set);
}

void ccbf_free_set(bool aggregate, void *set) {
	if (aggregate) {
		API(destroy_aggregate_function_set)(&set);
	} else {
		API(destroy_scalar_function_set)(&set);
	}
}

const char *ccbf_library_version(void) {
	return API(library_version)();
}

/* Runs a query and drops its result, a duckdb_result of six words that only DuckDB reads. */
bool ccbf_run(void *conn, const char *sql) {
	uint64_t result[8] = {0};
	bool ok = API(query)(conn, sql, result) == 0;
	API(destroy_result)(result);
	return ok;
}

void *ccbf_connect(void *database) {
	void *conn = NULL;
	return API(connect)(database, &conn) == 0 ? conn : NULL;
}

void ccbf_disconnect(void *conn) {
	API(disconnect)(&conn);
}

void *ccbf_open_in_memory(void **conn) {
	void *config = NULL, *db = NULL;
	char *error = NULL;
	if (API(create_config)(&config) != 0) {
		return NULL;
	}
	API(set_config)(config, "threads", "1");
	if (API(open_ext)(NULL, &db, config, &error) != 0) {
		db = NULL;
	} else if (API(connect)(db, conn) != 0) {
		API(close)(&db);
		db = NULL;
	}
	if (error != NULL) {
		API(free)(error);
	}
	API(destroy_config)(&config);
	return db;
}

void ccbf_close(void *db, void *conn) {
	API(disconnect)(&conn);
	API(close)(&db);
}
