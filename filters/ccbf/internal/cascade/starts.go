package cascade

// keyBatch is how many keys are looked at together.
const keyBatch = 256

// starts is where the counters of keys begin: the first of each, and how far it is from one
// to the next.
type starts struct{ at, step [keyBatch]uint32 }

// maxLaneSize is the largest size of a layer that startsLanes is for.
const maxLaneSize = 1<<23 - 1

// find finds the starts of keys, a batch at most, in a layer.
func (s *starts) find(l *Layer, h1, h2 []uint64) {
	at, step := s.at[:len(h1)], s.step[:len(h1)]
	h2, done := h2[:len(h1)], 0
	if lanes && len(h1) >= 8 && 2 <= l.Size && l.Size <= maxLaneSize {
		done = len(h1) &^ 7
		rest, of, inverse := 1<<36%l.Size, float64(l.Size), 1/float64(l.Size)
		startsLanes(&at[0], &step[0], &h1[0], &h2[0], done, l.Size, rest, of, inverse)
	}
	of := Layer{Size: l.Size, recip: l.recip}
	for i := done; i < len(h1); i++ {
		j := of.mod(h2[i])
		at[i], step[i] = uint32(next(of.mod(h1[i]), j, of.Size)), uint32(j)
	}
}
