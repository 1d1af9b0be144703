package counters

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
)

// The example of docs/FORMAT.md: its counters, and the bodies and codes that
// it shows for them.
func TestFormatExample(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(doc), "\n## Counters of sbf\n")
	if !ok {
		t.Fatal("docs/FORMAT.md has no section on counters")
	}
	text, _, _ = strings.Cut(text, "\n## ")
	vs := slice{
		0, 1, 0, 2, 0, 0, 3, 1,
		300, 0, 1, 0, 0, 0, 1, 0,
		0, 0, 1, 0, 2, 0, 0, 0,
		1, 0, 0, 0, 0, 1, 0, 0,
	}
	for _, e := range all {
		body := Encode(nil, e, vs)
		if dump := hex.Dump(body); !strings.Contains(text, dump) {
			t.Errorf("%v: the body is not there:\n%s", e, dump)
		}
		codes := ""
		switch e {
		case Elias:
			for _, v := range vs {
				codes += codeText(elias, v) + " "
			}
		case Steps:
			for _, v := range vs {
				codes += codeText(stepCodes[body[0]], v) + " "
			}
		}
		// There, a line has 8 of them.
		if text := strings.ReplaceAll(text, "\n", " "); !strings.Contains(text, codes) {
			t.Errorf("%v: the codes are not there:\n%s", e, codes)
		}
	}
	for i, s := range stepCodes {
		row := fmt.Sprintf("| %d |", i)
		for j, w := range s {
			row += fmt.Sprintf("%s %d", []string{"", ","}[min(j, 1)], w)
		}
		row += " |"
		if !strings.Contains(text, row) {
			t.Errorf("the code %q is not there", row)
		}
	}
}
