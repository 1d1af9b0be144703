package cli

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/serve"
)

// TestExportFlags: export needs a folder and exactly one database.
func TestExportFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.duckdb")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string // text of the error; "": no error
	}{
		{[]string{file, "-o", "site", "-at-least", "10"}, ""},
		{[]string{"-o", "site", "points.parquet"}, "stat points.parquet: no such file or directory"},
		{[]string{file}, "no folder to write to: give -o site"},
		{[]string{"-o", "site"}, "exactly one database is needed, 0 were given"},
		{[]string{"-o", "site", "-res", "0.01", file}, "-save, -x, -y, -res and -time are for files of points, for example points.parquet, or with -table; " + file + " is read as a database"},
		{[]string{"-o", "site", "-memory", "0", file}, "-memory is 0, must be above 0"},
	} {
		var e serve.Export
		err := parseMap(exportFlags(&e), exportUsage, &e.Options, c.args, io.Discard)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
		if c.want == "" && (e.Folder != "site" || e.AtLeast != 10 || e.Database != file) {
			t.Errorf("%q: %+v", c.args, e)
		}
	}
}
