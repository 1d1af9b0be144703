package noise

// Cells is what the cells of a picture count for: estimates that depend on a cell's
// reading alone, with what is known of those of cells without points.
type Cells struct {
	small         [256]float64
	sums, larger  *Estimator // larger is nil where readings are sums
	share, center float64

	// Second and Third are central moments of the estimate of a cell without points.
	Second, Third float64
}

// Cells is that of the counters. O(counters) the first time.
func (m *Model) Cells() *Cells {
	c := &Cells{sums: m.Estimator(true)}
	if !m.sums {
		c.larger = m.Estimator(false)
		_, c.share, _ = m.Occupied()
	}
	none := m.surplusOf(0, true)
	moment := func(f func(x float64) float64) (sum float64) {
		none.each(func(surplus, chance float64) { sum += chance * f(c.estimate(surplus)) })
		return sum
	}
	// Where nearly all counters are full an Estimator takes too little off.
	c.center = moment(func(x float64) float64 { return x })
	c.Second = moment(func(x float64) float64 { return x * x })
	c.Third = moment(func(x float64) float64 { return x * x * x })
	for r := range c.small {
		c.small[r] = c.estimate(float64(r))
	}
	return c
}

// Estimate is what a reading counts for; of readings of cells without points the mean is 0.
func (c *Cells) Estimate(reading uint64) float64 {
	if reading < uint64(len(c.small)) {
		return c.small[reading]
	}
	return c.estimate(float64(reading))
}

func (c *Cells) estimate(r float64) float64 {
	e := c.sums.estimate(r)
	if c.larger != nil {
		larger := c.larger.estimate(r)
		e = larger + c.share*(e-larger)
	}
	return e - c.center
}
