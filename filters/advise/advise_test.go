package advise

import (
	"math"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// drawn returns occurrences of n keys, drawn one by one in proportion to rank^-skew, as a model of
// themselves. Every key that occurs has its count, and every occurrence comes alone.
func drawn(n, occurrences int, skew float64) (*model, Data) {
	r := rand.New(rand.NewPCG(uint64(n), math.Float64bits(skew)))
	upTo, sum := make([]float64, n), 0.0
	for i := range upTo {
		sum += math.Pow(float64(i+1), -skew)
		upTo[i] = sum
	}
	m := &model{}
	index := map[int]uint64{}
	for range occurrences {
		rank := min(sort.SearchFloat64s(upTo, r.Float64()*sum), n-1)
		i, seen := index[rank]
		if !seen {
			i = uint64(len(m.counts))
			index[rank] = i
			m.counts = append(m.counts, 0)
		}
		m.counts[i]++
		m.stream.keys, m.stream.weights = append(m.stream.keys, i), append(m.stream.weights, 1)
	}
	return m, Data{Distinct: uint64(len(m.counts)), Occurrences: uint64(occurrences), Skew: skew}
}

// TestExpectedErrors: a model of some thousand keys expects the error of sketches of all keys, whose
// occurrences come one by one. It does so within a factor of 1.5 for the mean of three streams. Chance
// decides which keys share the few large counts, so the errors of two streams differ by a third.
func TestExpectedErrors(t *testing.T) {
	for _, skew := range []float64{0, 0.8, 1.2} {
		for _, perKey := range []int{3, 30} {
			var streams [3]*model
			var d Data
			for i := range streams {
				streams[i], d = drawn(30_000-2*i, 30_000*perKey, skew)
			}
			d.Bytes = d.Distinct // 8 bits for each
			m := newModel(&d)
			if len(m.counts) == int(d.Distinct) {
				t.Fatalf("a model of all %d keys", d.Distinct)
			}
			for name, run := range map[string]func(m *model) (float64, error){
				"ccbf": func(m *model) (float64, error) { return m.ccbfError(ccbf.Params{Res: 1, Bytes: d.Bytes, K: 3}) },
				"ccbf, standard": func(m *model) (float64, error) {
					return m.ccbfError(ccbf.Params{Res: 1, Bytes: d.Bytes, K: 3, Mode: ccbf.Standard})
				},
				"cms": func(m *model) (float64, error) { return m.cmsError(cms.Params{Width: d.Bytes / 3, Depth: 3}) },
				"cms, conservative": func(m *model) (float64, error) {
					return m.cmsError(cms.Params{Width: d.Bytes / 3, Depth: 3, Conservative: true})
				},
				"sbf": func(m *model) (float64, error) { return m.sbfError(sbf.Params{Counters: 2 * d.Bytes, K: 3}) },
				"sbf, mi": func(m *model) (float64, error) {
					return m.sbfError(sbf.Params{Counters: 2 * d.Bytes, K: 3, Method: sbf.MI})
				},
			} {
				expected, err := run(m)
				if err != nil {
					t.Fatal(err)
				}
				got := 0.0
				for _, of := range streams {
					e, err := run(of)
					if err != nil {
						t.Fatal(err)
					}
					got += e / float64(len(streams))
				}
				if ratio := expected / got; !(ratio > 1/1.5 && ratio < 1.5) {
					t.Errorf("skew %v, %d a key, %s: expected an error of %.3g, it is %.3g", skew, perKey, name, expected, got)
				}
			}
		}
	}
}

// TestModelSums: the counts of a model of all keys sum to the occurrences, and have the skew. The sum
// varies by chance; its variance is below the number of occurrences.
func TestModelSums(t *testing.T) {
	for _, skew := range []float64{0, 0.5, 1, 1.5, 4} {
		for _, perKey := range []uint64{1, 2, 20, 1e6} {
			d := Data{Distinct: 4000, Occurrences: 4000 * perKey, Skew: skew, Bytes: 4000}
			m := newModel(&d)
			sum, streamed := 0.0, 0.0
			for _, n := range m.counts {
				sum += float64(n)
			}
			for _, n := range m.stream.weights {
				streamed += float64(n)
			}
			all := float64(d.Occurrences)
			if off := math.Abs(sum - all); off > 4*math.Sqrt(all)+1e-6*all || len(m.counts) != 4000 {
				t.Errorf("skew %v: %d counts of a model sum to %.0f of %d", skew, len(m.counts), sum, d.Occurrences)
			}
			if streamed != sum {
				t.Errorf("skew %v: %.0f occurrences come, counts sum to %.0f", skew, streamed, sum)
			}
			// Ranks 1 and 3 where both expect many: 3^skew to 1, each by 4 sigma.
			a, b := float64(m.counts[0]), float64(m.counts[2])
			if want := math.Pow(3, skew); b > 1000 && math.Abs(a/b/want-1) > 4*(1/math.Sqrt(a)+1/math.Sqrt(b)) {
				t.Errorf("skew %v: ranks 1 and 3 have %.0f and %.0f", skew, a, b)
			}
		}
	}
}

// A sample stands for all: a model has its counts in its proportions.
func TestModelOfSample(t *testing.T) {
	d := Data{Distinct: 3 << 19, Occurrences: 11 << 19, Bytes: 1 << 20, Counts: []uint64{1, 1, 9}}
	m := newModel(&d)
	ones := 0
	for _, n := range m.counts {
		if n == 1 {
			ones++
		} else if n != 9 {
			t.Fatalf("a count of %d", n)
		}
	}
	if share := float64(ones) / float64(len(m.counts)); math.Abs(share-2.0/3) > 1/float64(len(m.counts)) || m.largest != 9 {
		t.Errorf("a share of %v has count 1, the largest is %d", share, m.largest)
	}
	d.Occurrences += 1000 // of a key that is not in the sample
	if got := newModel(&d).largest; got != 1000 {
		t.Errorf("the largest is %d", got)
	}
}

// TestWithinBytes: whatever the data are, what is tried does not exceed the bytes. The option bytes of a
// CascadeCBF does not include its header.
func TestWithinBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for range 30 {
		distinct := 1 + uint64(math.Exp(r.Float64()*14))
		d := Data{
			Distinct: distinct, Occurrences: distinct * (1 + uint64(math.Exp(r.Float64()*10))), Skew: float64(r.IntN(25)) / 10,
			Bytes: max(MinBytes, distinct/8+uint64(float64(distinct)*4*r.Float64())), Keys: r.IntN(4) > 0, Areas: r.IntN(2) > 0, Remove: r.IntN(2) > 0,
		}
		limit := d.Bytes
		if !d.Keys {
			limit += headerBytes
		}
		all, err := newModel(&d).keyed(&d)
		if !d.Keys {
			all, err = d.dense()
		}
		if err != nil {
			t.Fatalf("%+v: %v", d, err)
		}
		for _, c := range all {
			if c.bytes > limit || c.bytes == 0 {
				t.Errorf("%+v: %s {%s} has %d bytes", d, c.family, c.options, c.bytes)
			}
		}
	}
}

// TestListBytes: an exact CascadeCBF of evenly distributed cells, one in 300 of the plane, is as long
// as the size for real data. A list of cells without gaps is not shorter than the smallest size.
func TestListBytes(t *testing.T) {
	for _, perKey := range []uint64{1, 5, 1000} {
		for _, side := range []uint64{142, 2449} {
			d := Data{Distinct: 20_000, Occurrences: 20_000 * perKey, Bytes: 1 << 20}
			m := newModel(&d)
			b := ccbf.NewBuilder(mustConfig(t), nil)
			for i := range d.Distinct {
				x, y := i%side, i/side
				if side > 142 {
					x, y = key.HashUint64(9, i)
				}
				if err := b.Add(grid.Cell{X: int64(x % side), Y: int64(y % side)}, nil, key.None, m.counts[int(i)%len(m.counts)]); err != nil {
					t.Fatal(err)
				}
			}
			s, err := b.Sketch()
			if err != nil {
				t.Fatal(err)
			}
			parts, err := sketch.Parse(s.Blob())
			if err != nil {
				t.Fatal(err)
			}
			body := uint64(len(parts.Body))
			if least, most := m.listBytes(&d); body < least || body > most {
				t.Errorf("%d a cell within %d: expected %d to %d bytes, the body takes %d", perKey, side, least, most, body)
			}
		}
	}
}

func TestWordBytes(t *testing.T) {
	for n, want := range map[uint64]uint64{1: 1, 255: 1, 256: 2, 65_535: 2, 65_536: 4, 1<<32 - 1: 4, 1 << 32: 8, math.MaxUint64: 8} {
		if got := wordBytes(n); got != want {
			t.Errorf("%d takes words of %d bytes, got %d", n, want, got)
		}
	}
}

// TestLimits: advice at the ends of all ranges is a family with a size and a finite
// error.
func TestLimits(t *testing.T) {
	for _, d := range []Data{
		{Distinct: 1, Occurrences: 1, Bytes: 1024},
		{Distinct: 100, Occurrences: MaxOccurrences, Bytes: MinBytes},
		{Distinct: 1, Occurrences: MaxOccurrences, Skew: MaxSkew, Bytes: 1024},
		{Distinct: 1024, Occurrences: MaxOccurrences, Bytes: 1024},
		{Distinct: 8 * MaxBytes, Occurrences: MaxOccurrences, Bytes: MaxBytes},
		{Distinct: 8 * MaxBytes, Occurrences: 8 * MaxBytes, Skew: MaxSkew, Bytes: MaxBytes},
		{Distinct: 5000, Occurrences: 5000, Bytes: 1024, Counts: []uint64{5000}},
	} {
		for _, d.Keys = range []bool{false, true} {
			for _, d.Remove = range []bool{false, true} {
				for _, d.Categories = range []uint64{0, 1, d.Distinct} {
					a, err := For(d)
					if err != nil {
						t.Errorf("%+v: %v", d, err)
					} else if a.Family == "" || a.Call == "" || a.Why == "" || a.Bytes == 0 || !(a.Error >= 0) || math.IsInf(a.Error, 0) || a.Exact >= Likely && a.Error != 0 || !(a.ErrorLow <= a.Error && a.Error <= a.ErrorHigh) || math.IsInf(a.ErrorHigh, 0) {
						t.Errorf("%+v: %+v", d, a)
					}
				}
			}
		}
	}
}

// TestTree: for queries about areas, data that do not fit become a tree, if a tree is possible. For queries
// about cells, the reason then names the tree, which the model of counts cannot judge.
func TestTree(t *testing.T) {
	few := Data{Distinct: 100_000, Occurrences: 500_000, Bytes: 20_000, Areas: true}
	with := func(edit func(*Data)) Data { d := few; edit(&d); return d }
	for name, c := range map[string]struct {
		Data
		options string // as they begin
		known   bool   // the error is
		named   bool   // the reason names the tree
	}{
		"few bytes":           {few, "{bytes: 20000}", false, false},
		"removals":            {with(func(d *Data) { d.Remove = true }), "{bytes: 20000}", false, false},
		"categories":          {with(func(d *Data) { d.Categories = 300 }), "{bytes: 20000, category: category}", false, false},
		"too many categories": {with(func(d *Data) { d.Categories = 1000 }), "{bytes: 20000, k: ", true, false},
		"single cells":        {with(func(d *Data) { d.Areas = false }), "{bytes: 20000, k: ", true, true},
		"removals of cells":   {with(func(d *Data) { d.Areas, d.Remove = false, true }), "{bytes: 20000, k: ", true, true},
		"keys":                {with(func(d *Data) { d.Keys = true }), "{", true, false},
		"fits, removals":      {Data{Distinct: 1000, Occurrences: 5000, Bytes: 1 << 20, Extent: 1000, Areas: true, Remove: true}, "{bytes: 1048576}", true, false},
		"may fit":             {Data{Distinct: 100_000, Occurrences: 500_000, Bytes: 200_000, Areas: true}, "{bytes: 200000}", false, false},
		"too few bytes":       {Data{Distinct: 1000, Occurrences: 50_000, Bytes: 300, Areas: true}, "{bytes: 300, k: ", true, false},
	} {
		a, err := For(c.Data)
		if err != nil || !strings.HasPrefix(a.Options, c.options) || math.IsNaN(a.Error) == c.known || math.IsNaN(a.ErrorHigh) == c.known || strings.Contains(a.Why, "a tree is more accurate") != c.named {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
}
