/* What DuckDB calls when it loads the extension. */
#include "guest.h"
#include "_cgo_export.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* duckdb_extension_access, the same in every version that loads C extensions. */
typedef struct {
	void (*set_error)(void *info, const char *text);
	void **(*get_database)(void *info);
	const void *(*get_api)(void *info, const char *version);
} extension_access;

static bool fail(void *info, extension_access *access, const char *text) {
	char message[2048];
	snprintf(message, sizeof message, "ccbf: %s", text);
	access->set_error(info, message);
	return false;
}

#ifdef _WIN32
/* Beside what cgo exports: without it the linker would leave it out. */
__declspec(dllexport)
#endif
bool ccbf_init_c_api(void *info, extension_access *access) {
	/* Asked before Go is: in a process where it would do harm it must not run. */
	char text[1024];
	const char *unwelcome = ccbf_guest_unwelcome(text, sizeof text);
	if (unwelcome != NULL) {
		return fail(info, access, unwelcome);
	}
	const void *api = access->get_api(info, "v1.2.0");
	if (api == NULL) {
		/* DuckDB has set the error: it is too old for this API, or too new. */
		return false;
	}
	void **database = access->get_database(info);
	if (database == NULL || *database == NULL) {
		return fail(info, access, "DuckDB named no database to load into");
	}
	ccbf_guest_mask old;
	ccbf_guest_enter(&old);
	char *error = ccbfGoLoad((void *)api, *database);
	ccbf_guest_leave(&old);
	if (error != NULL) {
		fail(info, access, error);
		free(error);
		return false;
	}
	return true;
}
