package counters

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// store is a block of memory with counters of different lengths, in groups of 64. A head of 8 bytes comes
// first, then a directory with a record for each group, then the base with the groups. Each group begins
// at a whole byte. In the body of a BLOB, groups follow each other directly. In an array there is slack
// after each group, and pad after the last one.
type store struct {
	n      int
	groups int
	p      params
	record int // bytes of a record. Its first 4 bytes say where the group begins in the base.
	base   int // index of mem where the base begins.
	mem    []byte
}

// params are parameters of a codec. Every codec has its own, and chooses them at every layout.
type params [2]uint8

const headSize = 8

// codec encodes the counters of a group.
type codec interface {
	// record returns how many bytes the record of a group takes in the directory.
	record() int
	// choose returns parameters for counters. The result depends only on the counters.
	choose(src Source) choice
	// valid reports whether the codec has these parameters.
	valid(p params) bool
	// size returns how many bits a group takes.
	size(p params, group []uint64) uint
	// put writes the bits of group g to the store's memory, from bit pos on, and the rest of the group's
	// record. It returns the position after the bits.
	put(s *store, g int, pos uint, group []uint64) uint
	unpack(s *store, at int, dst []uint64)
}

// choice has parameters for some counters. The bits of all groups with these parameters are at most most.
// For an index, weight is the total length of all counters.
type choice struct {
	p      params
	most   uint
	weight uint
}

// Source is counters that can be read in order, for example an Array or a View.
type Source = words.Source

func newStore(c codec, n int, p params, mem []byte) store {
	groups := (n + blockLen - 1) / blockLen
	return store{n: n, groups: groups, p: p, record: c.record(), base: headSize + groups*c.record(), mem: mem}
}

// open checks the length and the head of a body.
func open(c codec, n int, body []byte) (store, error) {
	s := newStore(c, n, params{}, body)
	if len(body) < s.base {
		return s, sketch.Invalidf("%d bytes for %d counters, at least %d are needed", len(body), n, s.base)
	}
	s.p = params(body[:2])
	if !c.valid(s.p) || [headSize - 2]byte(body[2:]) != [headSize - 2]byte{} {
		return s, sketch.Invalidf("counters that begin with %x", body[:headSize])
	}
	return s, nil
}

// check returns an error unless the counters of a body are written as this body. Any bytes can be read as
// some counters, so writing them again is the whole test. Their length is checked before, as it bounds the
// memory.
func (s *store) check(c codec) error {
	src := reader{s, c}
	ch := c.choose(src)
	if ch.p != s.p {
		return sketch.Invalidf("counters with parameters %v, must be %v", s.p, ch.p)
	}
	size := s.base
	for _, group := range words.Blocks(src) {
		size += int(c.size(s.p, group)+7) / 8
	}
	if size != len(s.mem) {
		return sketch.Invalidf("counters in %d bytes, must be %d", len(s.mem), size)
	}
	if mem, _ := layout(nil, c, src, ch, tight); !bytes.Equal(mem, s.mem) {
		return sketch.Invalidf("counters that would be written otherwise")
	}
	return nil
}

// reader makes a store with its codec a Source.
type reader struct {
	s *store
	c codec
}

func (r reader) Len() int                    { return r.s.n }
func (r reader) Unpack(at int, dst []uint64) { r.c.unpack(r.s, at, dst) }

// slack returns how many bytes stay free after group g, which takes this number of bytes.
type slack func(g, bytes int) int

// tight reserves no free bytes. It is for BLOBs, which never grow.
func tight(int, int) int { return 0 }

// roomy is half a bit for each counter, the paper's figure (section 6.4). For long counters it is a
// sixteenth, so that arrays grow by a factor.
func roomy(_, bytes int) int { return minSlack + max(bytes/16-minSlack, 0) }

const minSlack = blockLen / 2 / 8

// layout appends the counters of src to dst. It returns dst, and a store that uses the same memory. pad
// more bytes follow in memory.
func layout(dst []byte, c codec, src Source, ch choice, slack slack) ([]byte, store) {
	at := len(dst)
	s := newStore(c, src.Len(), ch.p, nil)
	most := s.base + int(ch.most/8) + s.groups // plus a byte per group, because a group begins at a whole byte
	for g := range s.groups {
		most += slack(g, 0)
	}
	most += slack(0, most) // and slack in proportion to these bytes
	dst = slices.Grow(dst, most+pad)[:at+most+pad]
	clear(dst[at:])
	s.mem = dst[at:]
	copy(s.mem, s.p[:])
	next := 0
	for at, group := range words.Blocks(src) {
		g := at / blockLen
		s.setStart(g, next)
		begin := s.pos(g)
		n := int(c.put(&s, g, begin, group)-begin+7) / 8
		next += n + slack(g, n)
	}
	s.mem = s.mem[:s.base+next]
	return dst[:at+len(s.mem)], s
}

// rec returns group g's record.
func (s *store) rec(g int) []byte { return s.mem[headSize+g*s.record:][:s.record] }

// start returns the index of the base's byte at which group g begins. For the number of groups, it
// returns the end of the base.
func (s *store) start(g int) int {
	if g == s.groups {
		return len(s.mem) - pad - s.base
	}
	return int(binary.LittleEndian.Uint32(s.rec(g)))
}

func (s *store) setStart(g, at int) { binary.LittleEndian.PutUint32(s.rec(g), uint32(at)) }

// pos returns the bit of the memory at which group g begins.
func (s *store) pos(g int) uint {
	return uint(s.base)*8 + uint(binary.LittleEndian.Uint32(s.rec(g)))*8
}
