package cuckoo

// steps are lookup tables for narrow buckets of up to four slots. They replace branches on how full a
// bucket is, which cannot be predicted.
type steps struct {
	n    [16]uint8      // by code, the number of fingerprints
	flag [16]uint64     // by code, the bit of the flag, or 0
	up   [16]insertStep // by code, how a fingerprint is added

	// field says where to compare the high bits of a fingerprint. Its index has the code, the bit below
	// the code, and the slot. In most classes with a flag, that bit is the flag.
	field [32 * MaxSlots]field
}

// field is the position in a word of a fingerprint's bits above its lane.
type field struct {
	mask  uint64 // selects the field's bits, after a shift by start
	start uint8  // the first bit of the field
	// decoy is 1 if the bucket has no fingerprint in that slot, or may have sentinels. The comparison
	// then decides nothing.
	decoy uint8
}

// insertStep describes how a fingerprint is added to a word whose fields have no sentinels and that
// does not become full. Some bits of the word stay, and the bits of up to two fields move.
type insertStep struct {
	code, stay uint64    // the new code in place, and a mask of the bits that stay.
	low, field uint8     // first bits for the low bits of the new fingerprint, and for its field.
	ok         bool      // false if no step exists for the code.
	mask       uint64    // mask of the new fingerprint's field.
	from, to   [2]uint8  // of each field that moves: first bit before and after.
	fields     [2]uint64 // masks of the fields that move.
}

// setSteps fills the lookup tables from the classes.
func (l *layout) setSteps() {
	s := &l.steps
	for i := range s.field {
		s.field[i].decoy = 1
	}
	for code := range l.class {
		c := &l.class[code]
		n := uint(c.n)
		s.n[code] = c.n
		for j := range n {
			at := field{mask: c.mask[j], start: c.start[j]}
			s.field[2*code*MaxSlots+int(j)] = at
			if c.flag {
				at.decoy = 1
			}
			s.field[(2*code+1)*MaxSlots+int(j)] = at
		}
		if c.flag {
			s.flag[code] = 1 << c.flagAt
		}
		if n+1 < l.b && l.b <= 4 {
			s.up[code] = l.upFrom(c)
		}
	}
}

// upFrom returns the step that adds a fingerprint to a bucket of class c.
func (l *layout) upFrom(c *class) insertStep {
	n := uint(c.n)
	code := l.code[n+1]
	d := &l.class[code]
	u := insertStep{
		code: code << l.codeShift, stay: 1<<(n*l.lane) - 1, ok: true,
		low: uint8(n * l.lane), field: d.start[n], mask: d.mask[n],
	}
	for j := range n {
		u.from[j], u.to[j], u.fields[j] = c.start[j], d.start[j], d.mask[j]
	}
	return u
}

// add returns the word x with the fingerprint fp added. lane and laneMask come from the layout.
func (u *insertStep) add(x, fp uint64, lane uint, laneMask uint64) uint64 {
	y := u.code | x&u.stay | fp&laneMask<<(u.low&63) | fp>>(lane&63)&u.mask<<(u.field&63)
	y |= x >> (u.from[0] & 63) & u.fields[0] << (u.to[0] & 63)
	return y | x>>(u.from[1]&63)&u.fields[1]<<(u.to[1]&63)
}
