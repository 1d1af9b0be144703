package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/queries"
	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

const sqlTests = "../../sql/test"

// TestSQLVersions: the SQL tests pass with every version of DuckDB, with the results of the
// embedded host. The oldest and the newest version run all of them, and the others divide them.
// With CCBF_LONG=1 each version runs all.
func TestSQLVersions(t *testing.T) {
	between := len(versions(t, true)) - 1
	each(t, func(t *testing.T, i int, client *client) {
		h := loaded(t, client, ":memory:")
		if got := mustAsk(t, connect(t, h), "SELECT version()"); got != "v"+filepath.Base(t.Name())+"\n" {
			t.Fatalf("this is DuckDB %s", got)
		}
		if i == 0 || i > between {
			sqltest.Run(t, h.connect, sqlTests)
		} else {
			sqltest.RunPart(t, h.connect, sqlTests, i-1, between)
		}
	})
}

// The SQL tests in Python's package. TestSQLVersions runs its newest version; the others divide the
// tests.
func TestSQLPython(t *testing.T) {
	vs := listed(t, "python", "versions")
	for i, v := range vs[:len(vs)-1] {
		t.Run(v, func(t *testing.T) {
			sqltest.RunPart(t, loaded(t, python(t, v), ":memory:").connect, sqlTests, i, len(vs)-1)
		})
	}
}

// A DuckDB that is too old, or has another platform, refuses the extension with an error that says
// so, and goes on.
func TestTooOld(t *testing.T) {
	for _, v := range versions(t, false) {
		t.Run(v, func(t *testing.T) {
			c := node(t, v)
			err := c.open(":memory:", extension(t))
			if err == nil || !strings.Contains(err.Error(), "The file was built for") {
				t.Errorf("loading the extension: error %v, want one that says what it was built for", err)
			}
			if rows, err := c.Do("query", "connection 1", "SELECT 42"); err != nil || rows[0][0] != "42" {
				t.Errorf("afterwards: %v, %v", rows, err)
			}
		})
	}
}

// Random windows and ORDER BY, compared with exact SQL, and windows with STRUCTs, compared with GROUP BY, with other
// queries for each version. CCBF_LONG=1: 10,000 queries of each kind.
func TestRandomWindows(t *testing.T) {
	each(t, func(t *testing.T, i int, client *client) {
		c := connect(t, loaded(t, client, ":memory:"))
		sqltest.Random(t, c, queries.Windows, 14, 30000+10000*i, sqltest.WindowCount(30))
		sqltest.Random(t, c, queries.Structs, 44, 10000*(i+1), sqltest.WindowCount(60))
		t.Log(sqltest.OrderedStructs(t, c), "queries refused")
	})
}

// TestSQLArm64 runs the extension on another processor, emulated. A program in C for arm64, with
// the libduckdb of Node's package for arm64, gives the answers of the SQL tests. make machines
// builds it and sets CCBF_ARM64. An emulator is a tenth as fast, so an ordinary run takes a twelfth
// of the files, CCBF_LONG=1 all.
func TestSQLArm64(t *testing.T) {
	folder := os.Getenv("CCBF_ARM64")
	if folder == "" {
		t.Skip("skipped: CCBF_ARM64 names no folder with host, libduckdb.so and the extension (make machines)")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	emulator := os.Getenv("CCBF_ARM64_EMULATOR") // "" on an arm64 machine
	cmd := exec.Command(filepath.Join(folder, "host"), filepath.Join(folder, "libduckdb.so"))
	if emulator != "" {
		cmd = exec.Command(emulator, append([]string{"-L", "/usr/aarch64-linux-gnu"}, cmd.Args...)...)
	}
	h := running(t, cmd)
	if err := h.open(":memory:", filepath.Join(folder, "ccbf.duckdb_extension")); err != nil {
		t.Fatal(err)
	}
	c := connect(t, h)
	if got := mustAsk(t, c, "SELECT platform FROM pragma_platform()"); got != "linux_arm64\n" {
		t.Fatalf("this is %s", got)
	}
	sqltest.RunPart(t, h.connect, sqlTests, 0, 12)
}
