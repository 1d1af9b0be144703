package dist

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/packaging/internal/needs"
)

// TestCommunity runs the commands of the CI of DuckDB's community extensions that need no network.
// Inside the CI's image, tests are left out.
func TestCommunity(t *testing.T) {
	_ = folder(t) // with make dist
	if _, err := exec.LookPath("make"); err != nil || runtime.GOOS != "linux" {
		t.Skip("skipped: needs Linux and make")
	}
	platform := "linux_" + runtime.GOARCH
	for _, target := range []string{"set_duckdb_version", "configure_ci", "release", "test_release"} {
		cmd := exec.Command("make", target)
		cmd.Dir = "../.."
		cmd.Env = append(os.Environ(), "DUCKDB_PLATFORM="+platform, "DUCKDB_GIT_VERSION=v1.5.6", "LINUX_CI_IN_DOCKER=1", "GOARCH="+runtime.GOARCH)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("make %s: %v\n%s", target, err, out)
		}
	}
	path := filepath.FromSlash("../../build/release/extension/ccbf/ccbf.duckdb_extension")
	file := read(t, path)
	if !strings.Contains(string(file[len(file)-512:]), platform+"\x00") {
		t.Errorf("the footer is %q", file[len(file)-512:])
	}
	n, err := needs.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if n.Glibc.Compare(needs.Oldest) > 0 {
		t.Errorf("needs glibc %v, for %v", n.Glibc, n.Newest)
	}
}
