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

// Figure 13: with all counters 0, and after 10 increments for each, everything together takes at most 2.5
// times the base array. The paper counts N for that: at least a bit for each counter, and half a bit of
// slack.
func TestFigure13(t *testing.T) {
	sizes := []int{1e3, 1e4, 1e5}
	if os.Getenv("CCBF_LONG") != "" {
		sizes = append(sizes, 1e6)
	}
	for _, n := range sizes {
		r := rand.New(rand.NewPCG(23, uint64(n)))
		a := NewArray(n)
		for _, stage := range []string{"empty", "filled"} {
			base := float64(n) / 2
			dst := make([]uint64, n)
			a.Unpack(0, dst)
			for _, v := range dst {
				base += float64(max(1, bits.Len64(v)))
			}
			p := a.Parts()
			if p.Total() != uint64(a.Bytes())*8 {
				t.Fatalf("parts of %d bits, %d in all", p.Total(), a.Bytes()*8)
			}
			if ratio := float64(p.Total()) / base; ratio > 2.5 {
				t.Errorf("%d counters, %s: %.2f N", n, stage, ratio)
			}
			m := float64(n)
			t.Logf("%7d %-6s: %.2f N, %.2f bits a counter: groups %.2f chunks %.2f lengths %.2f vectors %.2f counters %.2f slack %.2f; body %.2f",
				n, stage, float64(p.Total())/base, float64(p.Total())/m, float64(p.Groups)/m, float64(p.Chunks)/m, float64(p.Lengths)/m,
				float64(p.Vectors)/m, float64(p.Counters)/m, float64(p.Slack)/m, float64(len(Encode(nil, Index, a))*8)/m)
			for range 10 * n {
				i := r.IntN(n)
				a.Set(i, a.At(i)+1)
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
		for j, w := range s.bits {
			row += fmt.Sprintf("%s %d", []string{"", ","}[min(j, 1)], w)
		}
		row += " |"
		if !strings.Contains(text, row) {
			t.Errorf("the code %q is not there", row)
		}
	}
}

// In any order, a bit by which a counter gets longer moves at most 128 levels^2 bits, where 2^levels is
// the number of groups. A window that divided its slack does so again only after a half of it has lost
// 1/(4 levels) of that slack. This is at least a sixteenth of the group. So each bit that goes moves at
// most 2*16*4*levels bits on every level. Without windows the bound would be the number of counters.
func TestMovedByAnything(t *testing.T) {
	const n = 4000
	for name, next := range map[string]func(k int, v uint64, r *rand.Rand) (int, uint64){
		"in order":              func(k int, _ uint64, _ *rand.Rand) (int, uint64) { return k % n, uint64(k/n) + 1 },
		"in order, ten each":    func(k int, _ uint64, _ *rand.Rand) (int, uint64) { return k / 10, uint64(k%10) + 1 },
		"in order, the longest": func(k int, _ uint64, _ *rand.Rand) (int, uint64) { return k % n, ^uint64(0) - uint64(k/n) },
		"one place that grows":  func(k int, _ uint64, _ *rand.Rand) (int, uint64) { return n/2 + k/64%(n/2), 1 << (k % 64) },
		"backwards":             func(k int, _ uint64, _ *rand.Rand) (int, uint64) { return n - 1 - k%n, mask(uint(k/n+1) * 6) },
		"anything":              func(_ int, _ uint64, r *rand.Rand) (int, uint64) { return r.IntN(n), r.Uint64() >> r.UintN(64) },
	} {
		r := rand.New(rand.NewPCG(31, 31))
		a := NewArray(n)
		grown := uint64(0)
		for k := range 5 * n {
			i, v := next(k, 0, r)
			grown += uint64(max(0, bits.Len64(v)-bits.Len64(a.At(i))))
			a.Set(i, v)
		}
		levels := uint64(bits.Len(uint(a.groups - 1)))
		t.Logf("%s: %d bits moved for each bit, laid out %d times", name, a.moved/grown, a.rebuilds)
		if a.moved > 128*levels*levels*grown {
			t.Errorf("%s: %d bits moved for %d bits", name, a.moved, grown)
		}
	}
}

// Memory comes back when counters become small again, and going up and down
// does not lay everything out each time.
func TestDeletions(t *testing.T) {
	const n = 4000
	a := NewArray(n)
	empty := a.Bytes()
	for range 3 {
		for i := range n {
			a.Set(i, 1<<40)
		}
		full := a.Bytes()
		for i := range n {
			a.Set(i, 0)
		}
		// Half of the length of counters may be idle, and half a bit for each; slack is in proportion.
		if got := a.Bytes(); got > full/2+2*empty {
			t.Errorf("%d bytes for nothing, %d when empty, %d when full", got, empty, full)
		}
	}
	before := a.rebuilds
	for k := range 20 * n {
		a.Set(k%n, uint64(k/n&1))
	}
	// Up and down ten times. Up, a counter takes at most 4 bits more, or a chunk 73 and as many.
	// Everything is laid out again when they together take a quarter of a bit more: 54 times. Down, it is
	// once.
	if got := a.rebuilds - before; got > 10*55 {
		t.Errorf("laid out %d times", got)
	}
}
