package advise

import (
	"math"
	"math/rand/v2"
)

// What an expected error can be off by. Counts that were told by a sample are known up
// to the sample's own chance. A skew says little: real counts do not fall by a power of
// the rank, but sooner, so that most keys have few occurrences and errors that are large
// beside them. Counts of cells with points of very different kinds were found to be
// spread about log-normally around a median between the 0.35th and the 0.9th power of
// their mean (docs/accuracy/keys.md, "Choosing").
const (
	lowMedian, highMedian = 0.35, 0.9
	// chance is by which factor the trials of one sketch differ, by which keys meet
	// the few largest counts.
	chance = 1.5
	// beyond is the factor by which all real data that were counted, from cells with one
	// point each to some hundred places with thousands, lay beyond what counts that are
	// spread by the skew and log-normally give, and some more.
	beyond = 4
	// unseen is the share of keys that are different from what was told and that no
	// skew tells of.
	unseen = 1e-3
)

// lowHigh is between which values the error of a sketch is expected.
func (c *candidate) lowHigh(d *Data) (low, high float64, err error) {
	if n := float64(len(d.Counts)); n > 0 {
		// Quantiles of n counts are off by their share / sqrt(n), and a tail that begins
		// with the largest of them is known to a factor; 2 at 1,000 counts. What none of
		// them shows is a share of up to 3/n of all keys, 19 times in 20.
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

// newLogNormal is a model of counts that are spread log-normally, with a median that is
// a power of their mean.
func newLogNormal(d *Data, power float64) *model {
	m := &model{shift: modelShift(d)}
	mean := math.Log(float64(d.Occurrences) / float64(d.Distinct))
	// The mean of a log-normal distribution is exp(mu + sigma^2 / 2), its median exp(mu).
	mu, sigma := power*mean, math.Sqrt(2*(1-power)*mean)
	m.counts = make([]uint64, d.Distinct>>m.shift)
	for i := range m.counts {
		// Quantiles in place of draws, so that the model has the tail that all keys have.
		z := math.Sqrt2 * math.Erfinv(2*(float64(i)+0.5)/float64(len(m.counts))-1)
		n := math.Round(math.Exp(mu + sigma*z))
		m.counts[i] = uint64(math.Min(math.Max(1, n), float64(d.Occurrences)))
		m.largest = max(m.largest, m.counts[i])
	}
	m.arrive(rand.New(rand.NewPCG(1, 3)))
	return m
}
