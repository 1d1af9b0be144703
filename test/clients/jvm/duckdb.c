/* libduckdb for Host.java: opened by its path, so that the virtual machine can
   run any version of it. */
#include "../c/duckdb.h"
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	const char *lacks = find_duckdb(library);
	if (lacks != NULL) {
		char error[100];
		snprintf(error, sizeof error, "libduckdb has no %s", lacks);
		fail(env, error);
	}
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
	handle database = NULL;
	char *path = copy(env, file);
	const char *error = open_unsigned(path, NULL, &database);
	if (error != NULL) {
		fail(env, error);
	}
	free(path);
	return (jlong)database;
}

JNIEXPORT void JNICALL Java_Host_close(JNIEnv *env, jclass host, jlong database) {
	(void)env, (void)host;
	void *p = (void *)database;
	duckdb_close(&p);
}

JNIEXPORT jlong JNICALL Java_Host_connect(JNIEnv *env, jclass host, jlong database) {
	(void)host;
	void *connection = NULL;
	if (duckdb_connect((void *)database, &connection) != 0) {
		fail(env, "no connection");
	}
	return (jlong)connection;
}

JNIEXPORT void JNICALL Java_Host_disconnect(JNIEnv *env, jclass host, jlong connection) {
	(void)env, (void)host;
	void *p = (void *)connection;
	duckdb_disconnect(&p);
}

JNIEXPORT void JNICALL Java_Host_interrupt(JNIEnv *env, jclass host, jlong connection) {
	(void)env, (void)host;
	duckdb_interrupt((void *)connection);
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
	if (duckdb_query((void *)connection, statements, &rows) != 0) {
		fail(env, duckdb_result_error(&rows));
	} else {
		FILE *out = open_memstream(&text, &length);
		unsigned long long height = duckdb_row_count(&rows), width = duckdb_column_count(&rows);
		for (unsigned long long r = 0; r < height; r++) {
			for (unsigned long long c = 0; c < width; c++) {
				if (c > 0) {
					fputc('\t', out);
				}
				char *value = duckdb_value_is_null(&rows, c, r) ? NULL : duckdb_value_varchar(&rows, c, r);
				put(out, value != NULL ? value : "NULL");
				duckdb_free(value);
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
	duckdb_destroy_result(&rows);
	free(statements);
	return answer;
}
