package memory

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestImportReadsNothing checks that importing the package does not read the environment. In a
// process of its own, the budget follows the environment at its first use.
func TestImportReadsNothing(t *testing.T) {
	const child = "CCBF_TEST_IMPORT"
	if os.Getenv(child) != "" {
		t.Setenv(LimitVariable, "123456")
		if got := Limit(); got != 123456 {
			t.Errorf("the budget is %d: it was read before anything asked for it", got)
		}
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, "-test.run=^TestImportReadsNothing$")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, LimitVariable+"=") {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, child+"=1", LimitVariable+"=654321")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
