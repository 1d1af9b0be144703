package advise

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// sample is the smallest number of keys in a model; the data may have fewer. share is the smallest
	// number of bytes of the model's sketch; the advised sketch may have fewer.
	sample, share = 1 << 12, 1 << 11
	// parts is the largest number of parts in which the model adds the occurrences of a key. Parts of
	// other keys come between them. More parts hardly change the error of methods that depend on order.
	parts = 16
)

// model is a sample of the keys that stands for all keys: every 2^shift-th by rank, with its expected
// count. A sketch of the model gets 2^shift times fewer counters. Its error equals the error of the
// sketch of all keys. Errors depend on the number of counters per key and on the distribution of counts, not on the
// number of keys.
type model struct {
	shift   uint     // one key stands for 2^shift keys.
	counts  []uint64 // expected count of each key.
	largest uint64   // largest expected count of all keys, also those outside the model.
	stream  stream   // the order in which occurrences are added.
}

// stream is a sequence of keys, by their index in counts, in the order in which they come. weights is
// how many occurrences come at once.
type stream struct{ keys, weights []uint64 }

// emptyModel returns a model of d whose counts are 0.
func emptyModel(d *Data) *model {
	m := new(model)
	for d.Distinct>>m.shift >= 2*sample && d.Bytes>>m.shift >= 2*share {
		m.shift++
	}
	m.counts = make([]uint64, d.Distinct>>m.shift)
	return m
}

// newModel returns a model with counts like those of the sample. Without a sample the skew distributes
// the occurrences.
func newModel(d *Data) *model {
	m := emptyModel(d)
	r := rand.New(rand.NewPCG(1, 1))
	if len(d.Counts) > 0 {
		for i := range m.counts {
			m.counts[i] = d.Counts[i*len(d.Counts)/len(m.counts)]
		}
		m.largest = largest(d)
	} else {
		m.spread(d, r)
	}
	m.arrive(r)
	return m
}

// arrive sets m.stream: the random order in which the model adds the occurrences.
func (m *model) arrive(r *rand.Rand) {
	s := &m.stream
	for i, n := range m.counts {
		p := min(n, parts)
		for j := range p {
			s.keys = append(s.keys, uint64(i))
			s.weights = append(s.weights, (n+j)/p)
		}
	}
	r.Shuffle(len(s.keys), func(i, j int) {
		s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
		s.weights[i], s.weights[j] = s.weights[j], s.weights[i]
	})
}

// largest returns the largest count of the sample, or the occurrences that the sample does not explain
// if these are more. Too few keys have large counts to be in a sample.
func largest(d *Data) uint64 {
	sum := 0.0
	for _, n := range d.Counts {
		sum += float64(n)
	}
	rest := float64(d.Occurrences) - sum*float64(d.Distinct)/float64(len(d.Counts))
	return max(slices.Max(d.Counts), uint64(max(rest, 0)))
}

// spread distributes the occurrences over the keys. The key of rank r has scale * r^-skew of them on
// average and at least one.
func (m *model) spread(d *Data, r *rand.Rand) {
	scale := zipfScale(d)
	m.largest = uint64(math.Max(1, scale))
	step := float64(d.Distinct) / float64(len(m.counts))
	for i := range m.counts {
		rank := (float64(i)+0.5)*step + 0.5
		m.counts[i] = 1 + poisson(r, scale*math.Pow(rank, -d.Skew)-1)
	}
}

// poisson draws a number with a mean, 0 if that is negative. It multiplies uniform numbers (Knuth,
// "Seminumerical Algorithms", section 3.4.1). For a large mean it uses the normal distribution, which
// is close.
func poisson(r *rand.Rand, mean float64) (n uint64) {
	if mean > 64 {
		return uint64(math.Max(0, math.Round(mean+math.Sqrt(mean)*r.NormFloat64())))
	}
	for p, limit := r.Float64(), math.Exp(-mean); p > limit; n++ {
		p *= r.Float64()
	}
	return n
}

// zipfScale returns the scale with which the expected counts sum to the occurrences, by bisection of
// its logarithm.
func zipfScale(d *Data) float64 {
	low, high := 0.0, math.Log(float64(d.Occurrences))
	for range 64 {
		if mid := (low + high) / 2; zipfSum(d, mid) < float64(d.Occurrences) {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Exp(low)
}

// zipfSum returns the sum of the expected counts of all keys. The key of rank r expects scale * r^-Skew
// occurrences, but at least 1. logScale is the logarithm of scale.
func zipfSum(d *Data, logScale float64) float64 {
	n := float64(d.Distinct)
	above := n // number of keys whose expected count is more than 1
	if d.Skew > 0 {
		above = math.Min(n, math.Floor(math.Exp(logScale/d.Skew)))
	}
	// The terms of the first ranks are added one by one. An integral from half a rank before to half a
	// rank behind the others gives their sum.
	const first = 64
	sum := 0.0
	for r := 1.0; r <= math.Min(above, first); r++ {
		sum += math.Pow(r, -d.Skew)
	}
	if above > first {
		sum += integral(first+0.5, above+0.5, d.Skew)
	}
	return math.Exp(logScale)*sum + n - above
}

// integral returns the integral of x^-skew over x, from the parameter from to the parameter to.
func integral(from, to, skew float64) float64 {
	e := 1 - skew
	if math.Abs(e) < 1e-9 {
		return math.Log(to / from)
	}
	return (math.Pow(to, e) - math.Pow(from, e)) / e
}
