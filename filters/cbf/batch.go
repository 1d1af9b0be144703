package cbf

// AddHashes adds many keys: ns[k] occurrences of the key (h1s[k], h2s[k]), or
// one of each where ns is nil. The result is that of Add for each in turn. The
// slices must be as long as h1s.
func (s *Sketch) AddHashes(h1s, h2s, ns []uint64) {
	for i, h1 := range h1s {
		n := uint64(1)
		if ns != nil {
			n = ns[i]
		}
		s.Add(h1, h2s[i], n)
	}
}

// ContainsHashes writes to dst whether each key may be there, as Contains. dst
// and h2s must be as long as h1s.
func (f *filter) ContainsHashes(dst []bool, h1s, h2s []uint64) {
	for i, h1 := range h1s {
		dst[i] = f.Contains(h1, h2s[i])
	}
}
