package sqltest

import "testing"

// A result is wrong if it counts a wrong row, or has no count.
func TestIsBad(t *testing.T) {
	for answer, bad := range map[string]bool{
		"{'n': 5, 'bad': 0}": false, "{'n': 5, 'bad0': 0, 'bad1': 0}": false, "{n: 50, bad: 0}": false,
		"{'n': 5, 'bad': 1}": true, "{'n': 5, 'bad0': 0, 'bad12': 30}": true, "{'n': 5, 'bad': NULL}": true,
	} {
		if got := isBad.MatchString(answer); got != bad {
			t.Errorf("%s is wrong: %v, want %v", answer, got, bad)
		}
	}
}
