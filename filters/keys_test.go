package filters

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// odd are the keys of 0, 1 and 2 bytes, and small and extreme numbers, by their bytes.
func odd() (keys [][]byte) {
	keys = append(keys, []byte{})
	for i := range 256 {
		keys = append(keys, []byte{byte(i)})
	}
	for i := range 1 << 16 {
		keys = append(keys, []byte{byte(i), byte(i >> 8)})
	}
	for i := int64(-1000); i <= 1000; i++ {
		keys = append(keys, key.AppendInt64(nil, i), key.AppendFloat64(nil, float64(i)/8), key.AppendDecimal(nil, uint64(i), i>>63, 1))
	}
	for i := range 64 {
		keys = append(keys, key.AppendUint64(nil, 1<<i-1), key.AppendUint64(nil, ^uint64(0)<<i), key.AppendFloat64(nil, math.Ldexp(1, 16*i-512)))
	}
	return keys
}

// whichever are filters of every family and variant with the rate at which absent keys are found.
func whichever(t *testing.T, seed uint64) map[string]keyed.Sketch {
	made := map[string]keyed.Sketch{}
	put := func(name string, s keyed.Sketch, err error) {
		if err != nil {
			t.Fatal(err)
		}
		made[name] = s
	}
	for v, p := range map[string]bloom.Params{"standard": {}, "rational": {Variant: bloom.Rational}, "by position": {Variant: bloom.Rational, Activation: bloom.ByPosition}, "blocks": {Variant: bloom.Blocks}} {
		p.Capacity, p.FPP, p.Seed = few, 0.01, seed
		s, err := bloom.New(p)
		put("bloom "+v, s, err)
	}
	for v, p := range map[string]cbf.Params{"plain": {}, "increment": {Variant: cbf.Increment}, "tandem": {Variant: cbf.Tandem}, "variable": {VariableLength: true, Alpha: 1}} {
		p.Capacity, p.FPP, p.Seed = few, 0.01, seed
		s, err := cbf.New(p)
		put("cbf "+v, s, err)
	}
	for v, p := range map[string]cuckoo.Params{"plain": {}, "tagged": {Variant: cuckoo.Tagged}, "variable": {VariableLength: true}} {
		p.Capacity, p.FingerprintBits, p.Seed = few, 9, seed
		s, err := cuckoo.New(p)
		put("cuckoo "+v, s, err)
	}
	for v, p := range map[string]sbf.Params{"ms": {}, "blocked": {Blocked: true}, "mi": {Method: sbf.MI}, "rm": {Method: sbf.RM}} {
		p.Capacity, p.Seed = few, seed
		s, err := sbf.New(p)
		put("sbf "+v, s, err)
	}
	s, err := cms.New(cms.Params{Width: 4 * few, Depth: 3, Seed: seed})
	put("cms", s, err)
	return made
}

const few = 300

// TestNoKeyIsWorse: no key is worse than another, with any seed. Some absent keys have few bytes or are at
// the end of a type. Each of them is found in as many full filters as other keys, and so are all together.
func TestNoKeyIsWorse(t *testing.T) {
	const fillings = 24
	seeds := []uint64{0, 1, 2, 8, 16}
	if os.Getenv("CCBF_LONG") == "1" {
		for i := range uint64(16) {
			seeds = append(seeds, i)
		}
		for len(seeds) < 64 {
			seeds = append(seeds, key.Mix(uint64(len(seeds))))
		}
	}
	keys := odd()
	others := make([][]byte, len(keys))
	for i := range others {
		others[i] = fmt.Appendf(nil, "absent %d", i)
	}
	hashes := func(seed uint64, keys [][]byte) (h1s, h2s []uint64) {
		h1s, h2s = make([]uint64, len(keys)), make([]uint64, len(keys))
		key.Hashes(seed, keys, h1s, h2s)
		return h1s, h2s
	}
	for _, seed := range seeds {
		h1s, h2s := hashes(seed, keys)
		o1, o2 := hashes(seed, others)
		found, other := map[string][]int{}, map[string]float64{}
		for filling := range fillings {
			added := make([][]byte, few)
			for i := range added {
				added[i] = fmt.Appendf(nil, "added %d %d", filling, i)
			}
			a1, a2 := hashes(seed, added)
			for name, s := range whichever(t, seed) {
				f := familyOf(t, name)
				if err := f.Add(s, a1, a2, nil); err != nil {
					t.Fatal(err)
				}
				if found[name] == nil {
					found[name] = make([]int, len(keys))
				}
				for i, is := range answers(t, f, s, h1s, h2s) {
					if is {
						found[name][i]++
					}
				}
				for _, is := range answers(t, f, s, o1, o2) {
					if is {
						other[name]++
					}
				}
			}
		}
		for name, counts := range found {
			all := 0.0
			for _, n := range counts {
				all += float64(n)
			}
			// Both measure the same filters, each with its binomial variance.
			if math.Abs(all-other[name]) > 4*math.Sqrt(all+other[name]) {
				t.Errorf("%s, seed %d: odd keys are found %v times, as many others %v", name, seed, all, other[name])
			}
			// The most that is to be expected of all keys, names and 64 seeds once in 10^4 runs.
			rate := other[name] / float64(fillings*len(keys))
			most := 0
			for binomialTail(fillings, most+1, rate)*float64(len(keys)*len(found)*64) > 1e-4 {
				most++
			}
			for i, n := range counts {
				if n > most {
					t.Errorf("%s, seed %d: key %x is found in %d of %d filters, at most %d at a rate of %.4f", name, seed, keys[i], n, fillings, most, rate)
				}
			}
		}
	}
}

// binomialTail is the probability of k or more of n at a rate.
func binomialTail(n, k int, rate float64) (sum float64) {
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(rate) + float64(n-i)*math.Log1p(-rate))
	}
	return sum
}

func familyOf(t *testing.T, name string) keyed.Any {
	name, _, _ = strings.Cut(name, " ")
	i := slices.IndexFunc(keyedFamilies, func(f keyed.Any) bool { return f.About().Name == name })
	if i < 0 {
		t.Fatal(name)
	}
	return keyedFamilies[i]
}

// answers are whether keys are there, by the first question of the family.
func answers(t *testing.T, f keyed.Any, s keyed.Sketch, h1s, h2s []uint64) []bool {
	r := f.Reader()
	if err := r.Open(s.Blob()); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	is := make([]bool, len(h1s))
	if f.Questions()[0].Kind == keyed.HowOften {
		counts := make([]uint64, len(h1s))
		r.CountHashes(counts, h1s, h2s)
		for i, n := range counts {
			is[i] = n > 0
		}
		return is
	}
	r.ContainsHashes(is, h1s, h2s)
	return is
}
