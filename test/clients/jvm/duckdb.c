/* libduckdb for Host.java: opened by its path, so that the virtual machine can
   run any version of it. */
#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char bytes[128]; } result; /* duckdb_result has 48 */

static struct {
	int (*create_config)(void **);
	int (*set_config)(void *, const char *, const char *);
	void (*destroy_config)(void **);
	int (*open_ext)(const char *, void **, void *, char **);
	void (*close)(void **);
	int (*connect)(void *, void **);
	void (*disconnect)(void **);
	void (*interrupt)(void *);
	int (*query)(void *, const char *, result *);
	const char *(*result_error)(result *);
	void (*destroy_result)(result *);
	unsigned long long (*column_count)(result *);
	unsigned long long (*row_count)(result *);
	int8_t (*value_is_null)(result *, unsigned long long, unsigned long long);
	char *(*value_varchar)(result *, unsigned long long, unsigned long long);
	void (*free)(void *);
} duckdb;

static void fail(JNIEnv *env, const char *text) {
	(*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/RuntimeException"), text != NULL ? text : "no error text");
}

JNIEXPORT void JNICALL Java_Host_library(JNIEnv *env, jclass host, jstring path) {
	(void)host;
	const char *text = (*env)->GetStringUTFChars(env, path, NULL);
	void *library = dlopen(text, RTLD_NOW | RTLD_LOCAL);
	(*env)->ReleaseStringUTFChars(env, path, text);
	if (library == NULL) {
		fail(env, dlerror());
		return;
	}
#define FIND(name)                                                     \
	if ((*(void **)&duckdb.name = dlsym(library, "duckdb_" #name)) == NULL) { \
		fail(env, "libduckdb has no duckdb_" #name);                   \
		return;                                                        \
	}
	FIND(create_config)
	FIND(set_config)
	FIND(destroy_config)
	FIND(open_ext)
	FIND(close)
	FIND(connect)
	FIND(disconnect)
	FIND(interrupt)
	FIND(query)
	FIND(result_error)
	FIND(destroy_result)
	FIND(column_count)
	FIND(row_count)
	FIND(value_is_null)
	FIND(value_varchar)
	FIND(free)
}

/* Bytes of Java as a string of C; the caller frees it. */
static char *copy(JNIEnv *env, jbyteArray bytes) {
	jsize n = (*env)->GetArrayLength(env, bytes);
	char *text = malloc((size_t)n + 1);
	(*env)->GetByteArrayRegion(env, bytes, 0, n, (jbyte *)text);
	text[n] = 0;
	return text;
}

JNIEXPORT jlong JNICALL Java_Host_open(JNIEnv *env, jclass host, jbyteArray file) {
	(void)host;
	void *config = NULL, *database = NULL;
	char *error = NULL, *path = copy(env, file);
	duckdb.create_config(&config);
	duckdb.set_config(config, "allow_unsigned_extensions", "true");
	if (duckdb.open_ext(path, &database, config, &error) != 0) {
		fail(env, error);
	}
	duckdb.destroy_config(&config);
	free(path);
	return (jlong)database;
}

JNIEXPORT void JNICALL Java_Host_close(JNIEnv *env, jclass host, jlong database) {
	(void)env, (void)host;
	void *p = (void *)database;
	duckdb.close(&p);
}

JNIEXPORT jlong JNICALL Java_Host_connect(JNIEnv *env, jclass host, jlong database) {
	(void)host;
	void *connection = NULL;
	if (duckdb.connect((void *)database, &connection) != 0) {
		fail(env, "no connection");
	}
	return (jlong)connection;
}

JNIEXPORT void JNICALL Java_Host_disconnect(JNIEnv *env, jclass host, jlong connection) {
	(void)env, (void)host;
	void *p = (void *)connection;
	duckdb.disconnect(&p);
}

JNIEXPORT void JNICALL Java_Host_interrupt(JNIEnv *env, jclass host, jlong connection) {
	(void)env, (void)host;
	duckdb.interrupt((void *)connection);
}

/* Text with escapes, as the protocol writes it. */
static void put(FILE *out, const char *text) {
	for (; *text; text++) {
		switch (*text) {
		case '\\': fputs("\\\\", out); break;
		case '\t': fputs("\\t", out); break;
		case '\n': fputs("\\n", out); break;
		case '\r': fputs("\\r", out); break;
		default: fputc(*text, out);
		}
	}
}

/* The rows of the last statement, one a line. */
JNIEXPORT jbyteArray JNICALL Java_Host_query(JNIEnv *env, jclass host, jlong connection, jbyteArray sql) {
	(void)host;
	result rows;
	char *statements = copy(env, sql), *text = NULL;
	size_t length = 0;
	jbyteArray answer = NULL;
	if (duckdb.query((void *)connection, statements, &rows) != 0) {
		fail(env, duckdb.result_error(&rows));
	} else {
		FILE *out = open_memstream(&text, &length);
		unsigned long long height = duckdb.row_count(&rows), width = duckdb.column_count(&rows);
		for (unsigned long long r = 0; r < height; r++) {
			for (unsigned long long c = 0; c < width; c++) {
				if (c > 0) {
					fputc('\t', out);
				}
				char *value = duckdb.value_is_null(&rows, c, r) ? NULL : duckdb.value_varchar(&rows, c, r);
				put(out, value != NULL ? value : "NULL");
				duckdb.free(value);
			}
			fputc('\n', out);
		}
		fclose(out);
		answer = (*env)->NewByteArray(env, (jsize)length);
		if (answer != NULL) {
			(*env)->SetByteArrayRegion(env, answer, 0, (jsize)length, (jbyte *)text);
		}
		free(text);
	}
	duckdb.destroy_result(&rows);
	free(statements);
	return answer;
}
