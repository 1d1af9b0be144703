package counters

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"
)

// spectral returns the counters of a Spectral Bloom Filter. Keys have counts with a mean, Zipf distributed
// with a skew. Each is in 5 of m counters, where gamma = 5 keys/m is 0.7, the paper's best.
func spectral(mean, skew float64, keys int, r *rand.Rand) []uint64 {
	vs := make([]uint64, keys*5*10/7)
	sum := 0.0
	for k := range keys {
		sum += math.Pow(float64(k+1), -skew)
	}
	for k := range keys {
		f := uint64(mean*float64(keys)*math.Pow(float64(k+1), -skew)/sum + r.Float64())
		for range 5 {
			vs[r.IntN(len(vs))] += f
		}
	}
	return vs
}

// The Elias code's length as the paper writes it, in floating point, L2(c+1).
func paperBits(c uint64) uint64 {
	n := math.Floor(math.Log2(float64(c) + 1))
	return uint64(n + 2*math.Floor(math.Log2(n+1)) + 1)
}

// A body in the Elias code has the codes and a directory of 32 bits for 64 counters. Unused bits fill the
// last byte of groups.
func TestEliasSize(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 0))
	for _, mean := range []float64{1, 10, 100} {
		vs := spectral(mean, 1, 2000, r)
		want, codes := 8+(len(vs)+63)/64*4, uint64(0)
		for at := 0; at < len(vs); at += 64 {
			n := uint64(0)
			for _, v := range vs[at:min(at+64, len(vs))] {
				n += paperBits(v)
			}
			codes += n
			want += int(n+7) / 8
		}
		if got := eliasBits(vs); got != codes {
			t.Errorf("mean %v: %d bits, the paper's formula says %d", mean, got, codes)
		}
		if got := len(Encode(nil, Elias, slice(vs))); got != want {
			t.Errorf("mean %v: %d bytes, want %d", mean, got, want)
		}
	}
}

// Section 4.5: if half of the counters are 0 and the others 1, the Elias code takes 2.5 bits for each. The
// example of steps takes 1.5.
func TestPaperExample(t *testing.T) {
	vs := make([]uint64, 1000)
	for i := range vs {
		vs[i] = uint64(i % 2)
	}
	if got := eliasBits(vs); got != 2500 {
		t.Errorf("Elias: %d bits", got)
	}
	if got := stepsBits([]uint8{0, 0}, vs); got != 1500 {
		t.Errorf("steps: %d bits", got)
	}
	if got := logBits(vs); got != 500 {
		t.Errorf("log counters: %d bits", got)
	}
}

// An index of given parameters has exactly the bits that its drawing has.
func TestIndexSize(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 0))
	for kind := range kinds {
		for _, n := range lengths {
			vs := values(kind, n, r)
			body := Encode(nil, Index, slice(vs))
			base, w := int(body[0]), int(body[1])
			want := 8 + (n+63)/64*16
			for g := 0; g < n; g += 64 {
				group := 0
				for c := g; c < min(g+64, n); c += 8 {
					codes, vector := 8*w, 7*9+10
					for i := c; i < c+8; i++ {
						length := 0
						if i < n {
							length = bits.Len64(vs[i])
						}
						codes += max(base, length)
						vector += length
						if length > base+1<<w-1 {
							codes = math.MinInt32 // no code is long enough
						}
					}
					if codes < 0 {
						codes = vector
					}
					group += codes
				}
				want += (group + 7) / 8
			}
			if len(body) != want {
				t.Errorf("kind %d, %d counters: %d bytes, want %d", kind, n, len(body), want)
			}
		}
	}
}

// Parameters are chosen as docs/FORMAT.md says, ties included.
func TestParameters(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 0))
	for kind := range kinds {
		for _, n := range lengths {
			vs := values(kind, n, r)
			best, number := uint64(math.MaxUint64), -1
			for i, code := range allStepCodes() {
				if got := stepsBits(code, vs); got < best {
					best, number = got, i
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

// logBits is how many bits counters take without anything that tells one from
// the next: the sum of ceil(log2(c+1)), the paper's bound (figure 10).
func logBits(counters []uint64) (n uint64) {
	for _, v := range counters {
		n += uint64(bits.Len64(v))
	}
	return n
}

// eliasBits is how many bits counters take in the Elias delta code of one more
// than they are, without the directory.
func eliasBits(counters []uint64) uint64 { return stepsBits(elias, counters) }

// stepsBits is likewise for a steps code, any list of widths up to 63.
func stepsBits(code []uint8, counters []uint64) (n uint64) {
	for _, v := range counters {
		n += uint64(steps(code).size(v))
	}
	return n
}

// allStepCodes are the codes that Steps chooses from.
func allStepCodes() [][]uint8 {
	codes := make([][]uint8, len(stepCodes))
	for i, s := range stepCodes {
		codes[i] = append(codes[i], s...)
	}
	return codes
}
