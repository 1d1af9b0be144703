package noise

import "math"

// What the cells with points read too much. Their number and their counts are read
// off the counters (holders), and what comes on top follows from the surpluses.
//
// Where counters are the maxima of exact counts, a cell reads the larger of its
// count and a surplus. Where they are sums, it reads both together. Where points came
// one by one it is nearly the larger of both, and more by two things: a cell that
// is ahead of its surplus in the end may have been behind before, and cells that were
// raised raise others. The first follows from the order being random; the second
// shows in the counters, which hold more together than the points that were counted.
// Counters of several sketches added up are between the larger and the sum.

// outlook is what the counters say of the cells with points: if readings are the
// larger of a count and a surplus, if they are the sum, and what comes to the larger
// where points come one by one.
type outlook struct {
	larger, sums overcount
	late         float64 // excess
	cells        float64 // with points
	single       float64 // the share of them that hold 1
	surplus      float64 // by how much the cells hold more than their points, each on average
}

// Occupied is by how much a Count is above the truth at a random cell with points,
// and the share of the way from the larger to the sum where its excess is. False
// where it is not known: after an intersection or a mask, and where the counters hold
// keys of several kinds, squares or plain cells beside those with a category, whose
// counts cannot be told apart. O(counters) the first time.
func (m *Model) Occupied() (o overcount, share float64, known bool) {
	if m.told == nil {
		m.told = new(told)
		m.told.overcount, m.told.share, m.told.known = m.look()
	}
	return m.told.overcount, m.told.share, m.told.known
}

type told struct {
	overcount
	share float64
	known bool
}

func (m *Model) look() (o overcount, share float64, known bool) {
	total := m.total
	if !m.known || m.several {
		return o, 0, false
	}
	if total == 0 {
		return o, 0, true
	}
	h, shown := holdersOf(m.counters).whole(float64(total), &m.counters.Shape)
	if h.all() <= 0 {
		return o, 0, false
	}
	if !m.sums && m.origin.Number == 0 {
		h.bent(float64(total))
	}
	l := m.outlook(h, float64(total))
	switch {
	case m.sums:
		return l.sums, 1, true
	case m.origin.Number == 0:
		return l.larger, 0, true
	case !shown: // the number of cells is a guess
		surpluses, _ := m.surplusOf(0, true).moments()
		o.Probability = max(l.larger.Probability, fullest*m.surplusOf(0, true).tail(1))
		o.Excess = max(math.Sqrt(l.larger.Excess*surpluses), fullest*surpluses)
		return o, 1, true
	}
	way := l.sums.Excess - l.larger.Excess
	if way <= 0 {
		return l.larger, 0, true
	}
	extra := l.extra(l.surplus)
	if m.origin.Number > 1 {
		q := m.origin.Together(total)
		// What the parts have in common raises the counters too.
		part := l.extra(min(l.surplus, 1.25*l.late+l.larger.Excess/2))
		extra = min(extra, 1.1*q*part+0.9*l.mixed(q, float64(m.counters.Shape.K))*way)
	}
	share = min(extra/way, 1)
	o.Excess = l.larger.Excess + share*way
	// The more cells have a surplus, the more of them it makes too high by little.
	often := math.Pow(share, max(1-l.sums.Probability*l.sums.Probability*l.sums.Probability, 0.05))
	o.Probability = l.larger.Probability + often*(l.sums.Probability-l.larger.Probability)
	return o, share, true
}

// extra is what comes to the larger where points come one by one and counters hold
// so much too much. What cells had ahead of them and what they raised are partly the
// same. (The weights, here and of the parts, are fitted to made-up cells and to those
// of seven real maps, in 1 to 16 parts of equal and unequal sizes, so that the largest
// factors are least; TestErrorsOfRealCells and TestErrorOfCellsWithPoints hold them.)
func (l *outlook) extra(surplus float64) float64 {
	return max(l.late, surplus) + 0.4*min(l.late, surplus) + 0.1*l.larger.Excess
}

// fullest is what part of a surplus comes to a count at least where all counters are full
// (measured: TestErrorsOfRealCells).
const fullest = 0.7

// mixed is how far counters that were added up are from maxima to sums. A surplus
// comes on top of a cell's count where each of its k counters has it from other parts
// than the cell's points are in: with the k-th power of the chance that it has, if each
// key is in one part. Keys with many points are in several, and the exponent is about
// half of that, and grows less than k (measured: TestErrorsOfRealCells).
func (l *outlook) mixed(together, k float64) float64 {
	return math.Pow(1-together, math.Pow(k/4, 0.75)*2*(1+l.single*l.single))
}

// outlook is that of cells that hold so many points together.
func (m *Model) outlook(h holders, total float64) (l outlook) {
	l.cells = h.all()
	l.single = 1 - h.at(2)/l.cells
	// What chance may have done is left out.
	l.surplus = max(0, h.points()-total-2*h.deviation(&m.counters.Shape)) / l.cells
	for x := range m.counters.Shape.Layers {
		from, to := unit(&m.counters.Shape, x), unit(&m.counters.Shape, x+1)
		more, rest := h.at(from), 0.0
		if !math.IsInf(to, 1) {
			rest = h.at(to)
		}
		if more <= rest {
			continue
		}
		sums, g := m.surplusOf(x, true), m.surplusOf(x, false)
		was := g // when points came
		if x == 0 && m.origin.Halved > 0 {
			was = g.before(m.origin.Halved, float64(m.counters.Shape.K))
		} else {
			mean, _ := sums.moments()
			l.sums.Probability += (more - rest) * sums.tail(1)
			l.sums.Excess += (more - rest) * mean
		}
		if len(g.values) == 0 {
			continue
		}
		top := g.values[len(g.values)-1]
		stride(from+1, top, func(t, width float64) {
			l.larger.Excess += width * (more - max(rest, h.at(t))) * g.tail(t)
		})
		stride(from, min(to-1, h.top()), func(f, width float64) {
			keys := max(rest, h.at(f-(width-1)/2))
			if next := f + (width+1)/2; next < to {
				keys -= max(rest, h.at(next))
			} else {
				keys -= rest
			}
			if keys <= 0 {
				return
			}
			l.larger.Probability += keys * g.tail(f+1)
			l.late += keys * was.late(f)
			if x == 0 && m.origin.Halved > 0 {
				stride(1, top, func(t, width float64) {
					p := was.halved(t, f, m.origin.Halved, float64(m.counters.Shape.K))
					l.sums.Excess += keys * width * p
					if t == 1 {
						l.sums.Probability += keys * p
					}
				})
			}
		})
	}
	for _, sum := range []*float64{&l.larger.Probability, &l.larger.Excess, &l.sums.Probability, &l.sums.Excess, &l.late} {
		*sum /= l.cells
	}
	return l
}

// before is the distribution of surpluses of k counters that became so through halvings
// of their number: the larger of two counters is below a value where both are.
func (d *distribution) before(halvings uint8, k float64) *distribution {
	b := &distribution{values: d.values}
	for _, t := range d.tails {
		below := math.Pow(1-math.Pow(t, 1/k), math.Ldexp(1, -int(halvings)))
		b.tails = append(b.tails, math.Pow(1-below, k))
	}
	return b
}

// halved is the chance that a cell with f points reads t more after counters that
// were sums, of such surpluses, were halved by maxima: each of its k counters holds t
// more itself, or one of those that it was halved with holds f+t.
func (d *distribution) halved(t, f float64, halvings uint8, k float64) float64 {
	below := func(t float64) float64 { return 1 - math.Pow(d.tail(t), 1/k) }
	return math.Pow(1-below(t)*math.Pow(below(f+t), math.Ldexp(1, int(halvings))-1), k)
}

// late is what a cell with f points reads above the larger of f and its surplus, as
// points come one by one in random order: by how much the surplus was ever ahead of the
// cell, less what it is in the end.
//
// Of f votes for one and g for another, counted in random order, the other is ahead by
// d or more at some time with the chance C(f+g, f+d) / C(f+g, f), if it is not in the
// end (reflection; Feller, An Introduction to Probability Theory, volume 1, III.1). It
// is the least of k counters that must be ahead, each with points of its own: the square
// of it (measured: TestErrorsOfRealCells).
func (d *distribution) late(f float64) (excess float64) {
	if len(d.values) == 0 {
		return 0
	}
	stride(1, d.values[len(d.values)-1], func(g, width float64) {
		if p := d.tail(g-(width-1)/2) - d.tail(g+(width+1)/2); p > 1e-7 {
			excess += p * ahead(min(f, g), max(f, g))
		}
	})
	return excess
}

// ahead is the sum over d from 1 of the squares of C(less+more, more+d) / C(less+more,
// more). For large numbers they fall like exp(-a d - b d (d-1)), and the sum is nearly
// the integral.
func ahead(less, more float64) (sum float64) {
	if less <= 32 {
		term := 1.0
		for d := 0.0; d < less; d++ {
			term *= (less - d) / (more + 1 + d)
			sum += term * term
		}
		return sum
	}
	a, b := 2*math.Log((more+1)/less), 1/less+1/more
	if a > 10*math.Sqrt(b) {
		return 1 / math.Expm1(a)
	}
	steep := 1.0 // of a sum to its integral
	if a > 1e-6 {
		steep = a / (2 * math.Sinh(a/2))
	}
	a -= b
	return steep * math.Sqrt(math.Pi/b) / 2 * math.Exp(a*a/(4*b)) * math.Erfc((a+b)/(2*math.Sqrt(b)))
}
