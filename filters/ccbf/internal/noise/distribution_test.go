package noise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
)

// randomDistribution has whole numbers up to most, none of them rarer than
// least.
func randomDistribution(r *rand.Rand, most int, least float64) *distribution {
	d := &distribution{}
	chances := make([]float64, most+1)
	sum := 0.0
	for i := range chances {
		if i == 0 || r.IntN(3) == 0 {
			chances[i] = least*float64(most+1) + r.Float64()
			sum += chances[i]
		}
	}
	tail := 1 - chances[0]/sum
	for i, c := range chances[1:] {
		if c > 0 {
			d.values, d.tails = append(d.values, float64(i+1)), append(d.tails, tail)
			tail -= c / sum
		}
	}
	return d
}

// convolved is the distribution of the sum of all draws, value by value.
func convolved(parts []draws) []float64 {
	sum := []float64{1}
	add := func(d *distribution, times int) {
		var next []float64
		d.each(func(value, chance float64) {
			shift := int(value) * times
			for len(next) < len(sum)+shift {
				next = append(next, 0)
			}
			for i, p := range sum {
				next[i+shift] += p * chance
			}
		})
		sum = next
	}
	for _, p := range parts {
		for range int(p.once) {
			add(p.from, 1)
		}
		for range int(p.twice) {
			add(p.from, 2)
		}
	}
	return sum
}

// quantile is the first value at which the distribution reaches a level.
func quantile(chances []float64, level float64) float64 {
	sum := 0.0
	for i, p := range chances {
		if sum += p; sum >= level {
			return float64(i)
		}
	}
	return math.NaN()
}

// The quantiles of sums agree with those of the distribution that is added up draw by draw. Whole numbers
// are exact while a step is 1, up to a deviation of 32. But the probability outside of the window may move
// the level. Others are within a value and four steps, each a sixteenth of the deviation. They are rounded
// outwards, and dividing values adds 8% to the variance.
func TestQuantilesOfSums(t *testing.T) {
	r := rand.New(rand.NewPCG(201, 0))
	const top = 1 - missed + rare + outside
	exact := 0
	for i := range 300 {
		var parts, scaled []draws
		variance := 0.0
		for range 1 + r.IntN(3) {
			p := draws{float64(r.IntN(30)), float64(r.IntN(6)), randomDistribution(r, 1+r.IntN(12), 0.01)}
			parts = append(parts, p)
			mean, square := p.from.moments()
			variance += (p.once + 4*p.twice) * (square - mean*mean)
			s := &distribution{tails: p.from.tails}
			for _, v := range p.from.values {
				s.values = append(s.values, 0.37*v)
			}
			scaled = append(scaled, draws{p.once, p.twice, s})
		}
		all, steps := convolved(parts), 1+4*math.Sqrt(variance)/16
		near := func(what string, got, scale, level, steps float64) {
			from, to := scale*(quantile(all, level-outside)-steps), scale*(quantile(all, level+outside)+steps)
			if got < from-1e-9 || got > to+1e-9 {
				t.Errorf("sum %d: %s is %v, want %v to %v", i, what, got, from, to)
			}
		}
		low, high := quantiles(scaled, 0)
		near("the scaled low end", low, 0.37, missed, steps)
		near("the scaled high end", high, 0.37, top, steps)
		if steps < 9 {
			exact++
			steps = 0
		}
		low, high = quantiles(parts, 1)
		near("the low end", low, 1, missed, steps)
		near("the high end", high, 1, top, steps)
	}
	if exact < 100 {
		t.Errorf("only %d sums with steps of 1", exact)
	}
}

// So many draws that their sum is as good as normal, at a size that cannot be added
// up draw by draw.
func TestQuantilesOfManyDraws(t *testing.T) {
	const n, p = 1e8, 0.3
	low, high := quantiles([]draws{{n, 0, &distribution{[]float64{1}, []float64{p}}}}, 1)
	mean, deviation := n*p, math.Sqrt(n*p*(1-p))
	// The normal quantiles of missed, and of 1-missed+rare+outside.
	for _, c := range []struct{ got, z float64 }{{low, -1.960}, {high, 2.014}} {
		// A step is a sixteenth of the deviation at most.
		if z := (c.got - mean) / deviation; math.Abs(z-c.z) > 0.125 {
			t.Errorf("%v is %.3f deviations from the mean, want %.3f", c.got, z, c.z)
		}
	}
}

func TestQuantilesOfNothing(t *testing.T) {
	one := &distribution{[]float64{1}, []float64{1e-9}}
	sure := &distribution{[]float64{7}, []float64{1}}
	for _, c := range []struct {
		parts     []draws
		low, high float64
	}{
		{nil, 0, 0},
		{[]draws{{0, 0, sure}}, 0, 0},
		{[]draws{{1000, 0, &distribution{}}}, 0, 0},
		{[]draws{{1000, 1000, one}}, 0, 0}, // too rare to come up
		{[]draws{{3, 2, sure}, {10, 0, one}}, 49, 49},
	} {
		if low, high := quantiles(c.parts, 1); low != c.low || high != c.high {
			t.Errorf("%v: %v to %v, want %v to %v", c.parts, low, high, c.low, c.high)
		}
	}
}

// Queries of a small sketch take few steps for all parts together, and the window is not longer, whatever
// the draws.
func TestStepsOfSums(t *testing.T) {
	r := rand.New(rand.NewPCG(204, 0))
	for parts := 1; parts <= cascade.MaxLayers; parts++ {
		if n := steps(manyDraws-1, parts); n >= fewSteps || float64(parts)*n > 2*fewSteps {
			t.Errorf("%d parts: %v steps", parts, n)
		}
		for range 20 {
			var all []draws
			for range parts {
				d := &distribution{}
				for v, tail := 1.0, r.Float64(); v < 1<<50; v *= 1 + 5*r.Float64() {
					d.values, d.tails = append(d.values, math.Floor(v)+float64(len(d.values))), append(d.tails, tail)
					tail *= r.Float64()
				}
				all = append(all, draws{float64(r.IntN(1 << 20)), float64(r.IntN(1 << 10)), d})
			}
			kept, w := windowOf(all, float64(r.IntN(2)))
			if w.size*len(kept) > 4*fewSteps || w.size > fewSteps {
				t.Errorf("%d parts: %d steps each", len(kept), w.size)
			}
		}
	}
}

// The closed form beside the sum of the terms.
func TestAhead(t *testing.T) {
	for _, less := range []float64{1, 2, 7, 32, 33, 50, 200, 3000} {
		for _, more := range []float64{0, 1, 5, 40, 300, 4000, 1e6} {
			term, want := 1.0, 0.0
			for d := 0.0; d < less; d++ {
				term *= (less - d) / (less + more + 1 + d)
				want += term * term
			}
			if got := ahead(less, less+more); math.Abs(got-want) > 0.05*want {
				t.Errorf("%v and %v: %v, want %v", less, less+more, got, want)
			}
		}
	}
	if got := ahead(1e18, 1e18); math.Abs(got/math.Sqrt(math.Pi*1e18/8)-1) > 0.01 {
		t.Errorf("large and even: %v", got)
	}
	if got := ahead(1e18, 2e18); math.Abs(got-1.0/3) > 0.01 {
		t.Errorf("large: %v", got)
	}
}
