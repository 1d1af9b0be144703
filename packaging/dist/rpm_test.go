package dist

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRpm needs rpm. It checks the package's checksums, fields and files, and rpm's installation
// into a folder.
func TestRpm(t *testing.T) { processors(t, testRpm) }

func testRpm(t *testing.T, goarch string) {
	dir := folder(t)
	if _, err := exec.LookPath("rpm"); err != nil {
		t.Skip("skipped: no rpm here")
	}
	emulator, arch := emulator(t, goarch), machine(goarch)
	packages, err := filepath.Glob(filepath.Join(dir, "*."+arch+".rpm"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("packages for %s: %v, %v", arch, packages, err)
	}
	output(t, "rpm", "-K", "--nosignature", packages[0])
	fields := strings.Fields(output(t, "rpm", "--nosignature", "-qp", "--qf", "%{NAME} %{VERSION} %{ARCH}", packages[0]))
	if len(fields) != 3 || fields[0] != "ccbfsql" || !sameVersion(fields[1], strings.TrimPrefix(version(t), "v")) || fields[2] != arch {
		t.Errorf("the package says %q, version %s", fields, version(t))
	}
	if needs := output(t, "rpm", "--nosignature", "-qpR", packages[0]); !strings.Contains(needs, "glibc >= 2.17") {
		t.Errorf("needs %q", needs)
	}
	if os.Getuid() != 0 {
		t.Log("not root: rpm itself was not asked to install it")
		return
	}
	root := t.TempDir()
	output(t, "rpm", "--root="+root, "--dbpath=/rpm", "--nosignature", "--nodeps", "--ignorearch", "--noscripts", "-i", packages[0])
	installed(t, emulator, filepath.Join(root, "usr"))
}
