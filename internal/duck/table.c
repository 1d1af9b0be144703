/* RTLD_DEFAULT is declared only for GNU sources. */
#define _GNU_SOURCE
#include "api.h"

#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

void *ccbf_api[CCBF_SLOTS];

/* The functions of DuckDB that this package calls. */
static const struct {
	int slot;
	const char *name;
} used[] = {
#define CCBF_NAME(slot, name, result, params, args) {slot, "duckdb_" #name},
	CCBF_USED(CCBF_NAME)
#undef CCBF_NAME
};

static const int used_count = (int)(sizeof used / sizeof used[0]);

/* Returns the address of a function of this process, or NULL. */
static void *symbol(const char *name) {
#ifdef _WIN32
	/* GetProcAddress finds only symbols of the program itself, not those of a DLL of DuckDB. */
	return (void *)GetProcAddress(GetModuleHandle(NULL), name);
#else
	return dlsym(RTLD_DEFAULT, name);
#endif
}

const char *ccbf_fill_from_process(void) {
	void *table[CCBF_SLOTS] = {0};
	for (int i = 0; i < used_count; i++) {
		void *p = symbol(used[i].name);
		if (p == NULL) {
			return used[i].name;
		}
		table[used[i].slot] = p;
	}
	memcpy(ccbf_api, table, sizeof table);
	return NULL;
}

const char *ccbf_missing_in_struct(void **from) {
	for (int i = 0; i < used_count; i++) {
		if (from[used[i].slot] == NULL) {
			return used[i].name;
		}
	}
	return NULL;
}

bool ccbf_same_struct(void **from) {
	for (int i = 0; i < used_count; i++) {
		if (from[used[i].slot] != ccbf_api[used[i].slot]) {
			return false;
		}
	}
	return true;
}
