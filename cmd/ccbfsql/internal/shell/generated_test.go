package shell

import (
	"strings"
	"testing"
)

func TestStoredColumns(t *testing.T) {
	for create, want := range map[string]string{
		`CREATE TABLE g(a INTEGER, b INTEGER GENERATED ALWAYS AS((a + 1)), c INTEGER DEFAULT(nextval('q')));`:                   "a,c+",
		`CREATE TABLE s."odd (t"("x, y" DECIMAL(9,2), "generated" VARCHAR, l INTEGER[3], PRIMARY KEY("x, y"), CHECK((l > 0)));`: `"x, y","generated",l`,
		`CREATE TABLE t("primary" INTEGER, st STRUCT(a INTEGER, b INTEGER GENERATED));`:                                         `"primary",st`,
	} {
		names, others := storedColumns(create)
		got := strings.Join(names, ",")
		if others {
			got += "+"
		}
		if got != want {
			t.Errorf("%s\n%s, want %s", create, got, want)
		}
	}
}
