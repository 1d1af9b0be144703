package memory

import (
	"os"
	"os/exec"
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
	c := exec.Command(os.Args[0], "-test.run=^TestImportReadsNothing$")
	c.Env = append(os.Environ(), child+"=1", LimitVariable+"=654321")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
