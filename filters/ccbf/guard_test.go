package ccbf

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// stream is n draws of so many cells (i, 2i), with probabilities in proportion
// to (i+1)^-skew.
func stream(r *rand.Rand, n, cells int, skew float64) []int {
	upTo, sum := make([]float64, cells), 0.0
	for i := range upTo {
		sum += math.Pow(float64(i+1), -skew)
		upTo[i] = sum
	}
	s := make([]int, n)
	for i := range s {
		s[i] = min(sort.SearchFloat64s(upTo, r.Float64()*sum), cells-1)
	}
	return s
}

// textbook returns the estimates of m plain counters without a ceiling, at k random positions for
// each cell, for a stream.
func textbook(r *rand.Rand, mode Mode, stream []int, cells int, m uint64, k int) []float64 {
	counters, at := make([]float64, m), make([]uint64, cells*k)
	for i := range at {
		at[i] = r.Uint64N(m)
	}
	count := func(i int) float64 {
		least := math.Inf(1)
		for _, j := range at[i*k:][:k] {
			least = min(least, counters[j])
		}
		return least
	}
	for _, i := range stream {
		to := count(i) + 1
		for _, j := range at[i*k:][:k] {
			if mode == Standard {
				counters[j]++
			} else {
				counters[j] = max(counters[j], to)
			}
		}
	}
	estimates := make([]float64, cells)
	for i := range estimates {
		estimates[i] = count(i)
	}
	return estimates
}

// TestErrorsOnZipf repeats the stream of the paper's figure 3: 100,000 draws of 10,000 cells. The
// mean of
// estimate - count| / count over cells that occurred is at most the published one, within 4 sigma over the
// seeds. It is at most 4 sigma above that of as many plain counters: neither hashing by two numbers
// nor the upper layers cost anything. The defaults are compared with plain counters of 16 bits in
// the same bytes.
func TestErrorsOnZipf(t *testing.T) {
	const cells, draws = 10_000, 100_000
	layers := Params{K: 4, Widths: []int{8, 16, 32}, Counters: []uint64{1 << 13, 1 << 9, 1 << 5}}
	standard := layers
	standard.Mode = Standard
	for _, c := range []struct {
		name      string
		skew      float64
		params    Params
		plain     uint64  // plain counters; 0 for as many as the first layer has
		published float64 // 0 where the paper has no figure
	}{
		{"paper, 32 KB", 1.5, Params{K: 8, Widths: []int{16}, Counters: []uint64{1 << 14}}, 0, 0.01},
		{"paper, two layers", 2, Params{K: 8, Widths: []int{16, 16}, Counters: []uint64{1 << 12, 1 << 10}}, 0, 0},
		{"three layers", 1.5, layers, 0, 0},
		{"three layers, standard", 1.5, standard, 0, 0},
		{"defaults, 64 KB", 1, Params{Bytes: 1 << 16}, 1 << 15, 0},
		{"defaults, 8 KB", 1.5, Params{Bytes: 1 << 13}, 1 << 12, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var relative, excess []float64
			seeds := uint64(20)
			if testing.Short() && c.published == 0 {
				seeds = 6
			}
			for seed := range seeds {
				r := rand.New(rand.NewPCG(121, seed))
				s := stream(r, draws, cells, c.skew)
				params := c.params
				params.Dense, params.Seed = true, seed
				truth, b := make([]float64, cells), NewBuilder(config(t, params), nil)
				for _, i := range s {
					truth[i]++
					noError(t, b.Add(grid.Cell{X: int64(i), Y: int64(2 * i)}, nil, 0, 1))
				}
				v := viewOf(t, blobOf(t, b))
				occurred, ours, theirs := 0.0, 0.0, 0.0
				for i, estimate := range textbook(r, v.Mode, s, cells, cmp.Or(c.plain, v.Counters()[0]), v.K()) {
					if n := truth[i]; n > 0 {
						occurred++
						ours += math.Abs(float64(v.Count(grid.Cell{X: int64(i), Y: int64(2 * i)}, nil))-n) / n
						theirs += (estimate - n) / n
					}
				}
				relative, excess = append(relative, ours/occurred), append(excess, (ours-theirs)/occurred)
			}
			mean, sigma := meanAndError(relative)
			more, sigmaMore := meanAndError(excess)
			t.Logf("mean relative error %.5f (sigma %.5f), %+.5f (%.5f) beside plain counters", mean, sigma, more, sigmaMore)
			if c.published > 0 && mean+4*sigma > c.published {
				t.Errorf("mean relative error %.5f (sigma %.5f), published %.5f", mean, sigma, c.published)
			}
			if more > 4*sigmaMore {
				t.Errorf("mean relative error %.5f is %.5f (sigma %.5f) above that of plain counters", mean, more, sigmaMore)
			}
		})
	}
}

// A category is found at cells where only others occur no more often than any
// absent key: fill^k, and 4 sigma of a binomial sample.
func TestCategoriesMeetByChanceOnly(t *testing.T) {
	const cells, named = 4000, 14
	r := rand.New(rand.NewPCG(122, 0))
	cfg := config(t, Params{Dense: true, Categories: true, Bytes: 1 << 16})
	var p points
	for i := range int64(cells) {
		for range 1 + r.IntN(4) {
			p.add(spot{grid.Cell{X: i % 50, Y: i / 50}, string(rune('a' + r.IntN(named)))}, 1+r.Uint64N(50))
		}
	}
	v, m := viewOf(t, blobOf(t, builderOf(t, cfg, p))), p.model()
	asked, found := 0.0, 0.0
	for i := range int64(cells) {
		for c := range named {
			s := spot{grid.Cell{X: i % 50, Y: i / 50}, string(rune('a' + c))}
			if m[s] > 0 {
				continue
			}
			asked++
			if v.Count(s.Cell, s.bytes()) > 0 {
				found++
			}
		}
	}
	chance := math.Pow(v.Info().Fill, float64(cfg.K()))
	sigma := math.Sqrt(chance * (1 - chance) / asked)
	t.Logf("%.5f of %.0f, fill^k is %.5f (sigma %.5f)", found/asked, asked, chance, sigma)
	if found/asked > chance+4*sigma {
		t.Errorf("%.5f of %.0f are found, fill^k is %.5f (sigma %.5f)", found/asked, asked, chance, sigma)
	}
}

// edited is a BLOB whose parameters say something else, and its checksum right.
func edited(t *testing.T, blob []byte, edit func(p *Head)) []byte {
	t.Helper()
	b := must(sketch.Parse(blob))
	var p Head
	noError(t, p.readParams(&b, grid.Grid{}))
	edit(&p)
	return sketch.Join(b.Header, p.appendParams(nil), b.Body)
}

// within is an edit of the bounds.
func within(bounds grid.Rect) func(*Head) {
	return func(p *Head) { p.Bounds = bounds }
}

// reset is a view of a BLOB whose checksum need not be right.
func reset(t testing.TB, blob []byte) *View {
	t.Helper()
	v := new(View)
	noError(t, v.Reset(blob))
	return v
}

// TestLayersAreWithinBytes: layers that exceed Bytes are an error in every form. They would be
// allocated as soon as one more cell does not fit.
func TestLayersAreWithinBytes(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{X: 1, Y: 2}, plain}, 1)
	exact := blobOf(t, builderOf(t, config(t, Params{Counters: []uint64{1 << 16, 1 << 12, 1 << 8, 1 << 4}}), p))
	dense := blobOf(t, builderOf(t, config(t, Params{Dense: true, Bytes: 1000}), p))
	for _, c := range []struct {
		what string
		blob []byte
	}{
		{"an exact sketch of 16 bytes at most", edited(t, exact, func(p *Head) { p.Bytes = 16 })},
		{"an exact sketch with 2^30 counters", edited(t, exact, func(p *Head) { p.shape.Size[0] = 1 << 30 })},
		{"an exact sketch that is to be dense", edited(t, exact, func(p *Head) { p.Exact = false })},
		{"a dense sketch of 16 bytes at most", edited(t, dense, func(p *Head) { p.Bytes = 16 })},
	} {
		if err := new(View).Reset(c.blob); !errors.Is(err, sketch.ErrInvalid) {
			t.Errorf("%s: %v", c.what, err)
		}
		if _, err := Decode(c.blob); !errors.Is(err, sketch.ErrInvalid) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}
