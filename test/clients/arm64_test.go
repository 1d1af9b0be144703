package clients

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// TestSQLArm64 runs the extension on another processor, emulated. A program in C for arm64, with
// the libduckdb of Node's package for arm64, gives the answers of the SQL tests. make machines
// builds it and sets CCBF_ARM64. An emulator is a tenth as fast, so an ordinary run takes a twelfth
// of the files, CCBF_LONG=1 all.
func TestSQLArm64(t *testing.T) {
	folder := os.Getenv("CCBF_ARM64")
	if folder == "" {
		t.Skip("skipped: CCBF_ARM64 names no folder with client, libduckdb.so and the extension (make machines)")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	emulator := os.Getenv("CCBF_ARM64_EMULATOR") // "" on an arm64 machine
	cmd := exec.Command(filepath.Join(folder, "client"), filepath.Join(folder, "libduckdb.so"))
	if emulator != "" {
		cmd = exec.Command(emulator, append([]string{"-L", "/usr/aarch64-linux-gnu"}, cmd.Args...)...)
	}
	h, err := running(t, cmd).open(":memory:", filepath.Join(folder, "ccbf.duckdb_extension"))
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, h)
	if got, err := ask(c, "SELECT platform FROM pragma_platform()"); err != nil || got != "linux_arm64" {
		t.Fatalf("this is %s, %v", got, err)
	}
	sqltest.RunPart(t, h, sqlTests, 0, 12)
}
