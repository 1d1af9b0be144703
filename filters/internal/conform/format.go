package conform

import (
	"os"
	"strings"
	"testing"
)

// Format reads docs/FORMAT.md, for tests in a family's folder. It returns a function that checks that
// the page has a line, a table or a dump. Sentences may run over the ends of lines.
func Format(t testing.TB) func(claim string) {
	t.Helper()
	b, err := os.ReadFile("../../docs/FORMAT.md")
	must(t, err)
	page := string(b)
	flat := strings.ReplaceAll(page, "\n", " ")
	return func(claim string) {
		t.Helper()
		if !strings.Contains(page, claim) && !strings.Contains(flat, claim) {
			t.Errorf("docs/FORMAT.md does not have:\n%s", claim)
		}
	}
}
