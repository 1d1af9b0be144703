package needscgo

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Without cgo one sentence names what is missing, for the shell, the extension and
// programs that import the packages.
func TestSentence(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: -short")
	}
	for _, p := range []string{"", "connector", "cmd/ccbfsql", "cmd/ccbf-extension", "examples/tiles"} {
		cmd := exec.Command("go", "build", "-o", os.DevNull, strings.TrimSuffix("github.com/ccbfsql/ccbfsql/"+p, "/"))
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := cmd.CombinedOutput()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n") // the package's name, and the error
		if err == nil || len(lines) != 2 || strings.Count(lines[1], "set CGO_ENABLED=1, install gcc and g++") != 1 {
			t.Errorf("%s: %v\n%s", p, err, out)
		}
	}
}
