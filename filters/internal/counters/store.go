package counters

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// store is one block of memory with counters of different lengths in groups
// of 64: a head of 8 bytes, a directory with a record for each group, and the
// base, in which each group begins at a byte. It is a body of a BLOB, where
// the groups follow each other directly, as it is the memory of an array,
// where there is slack after each of them and pad after the last.
type store struct {
	n      int
	groups int
	p      params
	record int // bytes of a record, whose first 4 are where the group begins in the base
	base   int // where the base begins in mem
	mem    []byte
}

// params are chosen anew whenever counters are laid out; every codec has its own.
type params [2]uint8

const headSize = 8

// codec is how the counters of a group become bits.
type codec interface {
	// record is the number of bytes that a group has in the directory.
	record() int
	// choose picks the parameters for counters, from what they are alone.
	choose(src Source) choice
	// valid reports whether there are such parameters.
	valid(p params) bool
	// size is how many bits a group takes.
	size(p params, group []uint64) uint
	// put writes a group's bits to the store's memory from pos on and returns
	// where they end; and to its record what that has after the first 4 bytes.
	put(s *store, g int, pos uint, group []uint64) uint
	unpack(s *store, at int, dst []uint64)
}

// choice is parameters for some counters, and at least as many bits as these take
// with them in all groups; of an index also how long the counters are together.
type choice struct {
	p      params
	most   uint
	weight uint
}

// Source is counters in any encoding: an Array, a View, a words.Table. Its blocks are the groups.
type Source = words.Source

func newStore(c codec, n int, p params, mem []byte) store {
	groups := (n + blockLen - 1) / blockLen
	return store{n: n, groups: groups, p: p, record: c.record(), base: headSize + groups*c.record(), mem: mem}
}

// open checks a body as far as it takes no more than its length and its head.
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

// check is nil where a body is what its counters are written as. Reading takes
// any bytes for some counters, so writing those is the whole test; their
// length comes first, for it bounds the memory of the rest.
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

// reader is a store as a source.
type reader struct {
	s *store
	c codec
}

func (r reader) Len() int                    { return r.s.n }
func (r reader) Unpack(at int, dst []uint64) { r.c.unpack(r.s, at, dst) }

// slack is how many bytes are left free after a group of so many bytes.
type slack func(g, bytes int) int

// tight reserves no free bytes. It is for BLOBs, which never grow.
func tight(int, int) int { return 0 }

// roomy is half a bit for each counter, the paper's figure (section 6.4), or a
// sixteenth where counters are long, so that arrays grow by a factor.
func roomy(_, bytes int) int { return minSlack + max(bytes/16-minSlack, 0) }

const minSlack = blockLen / 2 / 8

// layout appends the counters of src to dst, in memory that reaches pad bytes
// further, and returns them as a store as well.
func layout(dst []byte, c codec, src Source, ch choice, slack slack) ([]byte, store) {
	at := len(dst)
	s := newStore(c, src.Len(), ch.p, nil)
	most := s.base + int(ch.most/8) + s.groups // a group begins at a byte
	for g := range s.groups {
		most += slack(g, 0)
	}
	most += slack(0, most) // a part of what they have
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

// encode appends the counters' only body.
func encode(dst []byte, c codec, src Source) []byte {
	dst, _ = layout(dst, c, src, c.choose(src), tight)
	return dst
}

// rec is group g's record.
func (s *store) rec(g int) []byte { return s.mem[headSize+g*s.record:][:s.record] }

// start is the byte of the base where group g begins, or its end.
func (s *store) start(g int) int {
	if g == s.groups {
		return len(s.mem) - pad - s.base
	}
	return int(binary.LittleEndian.Uint32(s.rec(g)))
}

func (s *store) setStart(g, at int) { binary.LittleEndian.PutUint32(s.rec(g), uint32(at)) }

// pos is the bit of the memory where group g begins.
func (s *store) pos(g int) uint {
	return uint(s.base)*8 + uint(binary.LittleEndian.Uint32(s.rec(g)))*8
}
