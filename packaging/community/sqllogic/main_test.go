package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestConvert(t *testing.T) {
	got, kept, left := convert(`# a comment
subtest some

exec
CREATE TABLE d AS FROM range(3);
----
ok

query threads=(1, 2)
SELECT range, NULL, '' FROM d
----
0 | NULL | 
1 | NULL | 

query
SELECT nothing
----
error: no such column

subtest end

query
COPY d TO '{tmp}/d'
----
ok

query
FROM d WHERE false
----
no rows

require duckdb=1.5.2
----

query
SELECT 1
----
1
`)
	want := `# Made from sql/test by packaging/community/sqllogic.

require ccbf

statement ok
CREATE TABLE d AS FROM range(3);

query TTT
SELECT COLUMNS(*)::VARCHAR FROM (SELECT range, NULL, '' FROM d
)
----
0	NULL	(empty)
1	NULL	(empty)

statement error
SELECT nothing
----
no such column

query T
SELECT COLUMNS(*)::VARCHAR FROM (FROM d WHERE false
)
----
`
	if got != want || kept != 4 || left != 3 {
		t.Errorf("%d kept, %d left out:\n%s", kept, left, got)
	}
}

// Most existing tests can be converted.
func TestMost(t *testing.T) {
	files, err := filepath.Glob("../../../sql/test/*.test")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	kept, left := 0, 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		_, k, l := convert(string(text))
		kept, left = kept+k, left+l
		if k == 0 {
			t.Logf("nothing of %s", filepath.Base(f))
		}
	}
	t.Logf("%d directives, %d left out", kept, left)
	if kept < left {
		t.Errorf("%d directives, and %d left out", kept, left)
	}
}
