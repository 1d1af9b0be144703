package counters

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
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
