package advise

import (
	"math"
	"math/rand/v2"
)

// These constants are the uncertainty of an expected error. Counts of a sample are known up to the
// sample's own chance. A skew says little. Real counts do not fall by a power of the rank, but sooner,
// so most keys have few occurrences and relatively large errors. Counts of cells with points of very
// different kinds were distributed about log-normally. Their median was between the 0.35th and the
// 0.9th power of their mean (docs/accuracy/keys.md, "Choosing").
const (
	lowMedian, highMedian = 0.35, 0.9
	// chance is the factor between trials of one sketch. It depends on which keys share the counters of
	// the few largest counts.
	chance = 1.5
	// beyond is a safety factor. It is a little more than the largest factor between real data and the
	// models with a skew and a log-normal distribution. The data were from cells with one point each to
	// some hundred places with thousands.
	beyond = 4
	// unseen is the fraction of keys that differ from the description and that no skew describes.
	unseen = 1e-3
)

// lowHigh returns the values between which the error of a sketch is expected.
func (c *candidate) lowHigh(d *Data) (low, high float64, err error) {
	if n := float64(len(d.Counts)); n > 0 {
		// d.Counts are the counts of n sampled keys. A small sample says little about rare large counts, so
		// the error is uncertain by a factor of 1 + sqrt(1000/n). With a probability of 0.95, at most 3/n
		// of all keys have counts that are not in the sample.
		factor := math.Max(chance, 1+math.Sqrt(1000/n))
		return math.Max(0, c.err/factor-3/n), c.err*factor + 3/n, nil
	}
	low, high = c.err, c.err
	for _, power := range []float64{lowMedian, highMedian} {
		e, err := c.measure(newLogNormal(d, power))
		if err != nil {
			return 0, 0, err
		}
		low, high = math.Min(low, e), math.Max(high, e)
	}
	return math.Max(0, low/beyond-unseen), high*beyond + unseen, nil
}

// newLogNormal returns a model of counts with a log-normal distribution, whose median is a power of
// their mean.
func newLogNormal(d *Data, power float64) *model {
	m := emptyModel(d)
	mean := math.Log(float64(d.Occurrences) / float64(d.Distinct))
	// mu and sigma follow from this: the mean of a log-normal distribution is exp(mu + sigma^2 / 2), the
	// median is exp(mu). The variable mean is the logarithm of the mean.
	mu, sigma := power*mean, math.Sqrt(2*(1-power)*mean)
	for i := range m.counts {
		// The counts are quantiles and no random numbers, so that the model has the rare large counts too.
		z := math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/float64(len(m.counts))-1)
		n := math.Round(math.Exp(mu + sigma*z))
		m.counts[i] = uint64(math.Min(math.Max(1, n), float64(d.Occurrences)))
		m.largest = max(m.largest, m.counts[i])
	}
	m.arrive(rand.New(rand.NewPCG(1, 3)))
	return m
}
