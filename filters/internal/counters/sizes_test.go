package counters

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// Parameters are chosen as docs/FORMAT.md says, ties included.
func TestParameters(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 0))
	for kind := range kinds {
		for _, n := range lengths {
			vs := values(kind, n, r)
			best, number := uint64(math.MaxUint64), -1
			for i, code := range stepCodes {
				length := uint64(0)
				for _, v := range vs {
					length += uint64(code.size(v))
				}
				if length < best {
					best, number = length, i
				}
			}
			if body := Encode(nil, Steps, slice(vs)); int(body[0]) != number {
				t.Errorf("kind %d, %d counters: code %d, want %d", kind, n, body[0], number)
			}
			vs = append(vs, make([]uint64, (8-n%8)%8)...)
			least, want := math.MaxInt, [2]int{}
			for p := range 5 {
				for b := 0; b+1<<p-1 <= 64; b++ {
					sum := 0
					for at := 0; at < len(vs); at += 8 {
						head := 8 * p
						for _, v := range vs[at : at+8] {
							sum += max(b, bits.Len64(v))
							if bits.Len64(v) > b+1<<p-1 {
								head = 73
							}
						}
						sum += head
					}
					if sum < least {
						least, want = sum, [2]int{b, p}
					}
				}
			}
			if body := Encode(nil, Index, slice(vs[:n])); int(body[0]) != want[0] || int(body[1]) != want[1] {
				t.Errorf("kind %d, %d counters: b and p are %v, want %v", kind, n, body[:2], want)
			}
		}
	}
}

// Figure 13: everything together takes at most 2.5 times the base array, in which a counter has a bit or
// more. This holds with all counters 0, and after 10 increments for each.
func TestFigure13(t *testing.T) {
	for _, n := range []int{1e3, 1e4, 1e5} {
		r := rand.New(rand.NewPCG(23, uint64(n)))
		vs := make(slice, n)
		for _, stage := range []string{"empty", "filled"} {
			base := 0
			for _, v := range vs {
				base += max(1, bits.Len64(v))
			}
			if ratio := float64(8*len(Encode(nil, Index, vs))) / float64(base); ratio > 2.5 {
				t.Errorf("%d counters, %s: %.2f N", n, stage, ratio)
			}
			for range 10 * n {
				vs[r.IntN(n)]++
			}
		}
	}
}

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
				codes += codeText(eliasCodes[0], v) + " "
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
		for j, w := range s.bits {
			row += fmt.Sprintf("%s %d", []string{"", ","}[min(j, 1)], w)
		}
		row += " |"
		if !strings.Contains(text, row) {
			t.Errorf("the code %q is not there", row)
		}
	}
}
