// Package sketch is what all sketch families share: the header in front of
// every sketch BLOB, its checksum, and bounded reads of untrusted bytes.
//
// A BLOB is a header of HeaderSize bytes, then the family's parameters, then
// the body. docs/FORMAT.md names every offset.
package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// Sizes and versions of the BLOB format.
const (
	// HeaderSize is the length of the common header in bytes.
	HeaderSize = 48
	// Version is the format version that this package writes, and the newest
	// that it reads.
	Version = 1
	// HashVersion names how keys become positions: MurmurHash3 x64 128 of the
	// key's bytes, halves (h1, h2|1).
	HashVersion = 1
	// MaxParams bounds the parameters of any family.
	MaxParams = 1 << 12
)

// magic opens every BLOB. Its first byte is no character of ASCII and no
// beginning of UTF-8, so that no text file is taken for a sketch.
var magic = [4]byte{0xcb, 'B', 'F', 0x1a}

// Errors that reading a BLOB can meet; all wrap ErrInvalid.
var (
	ErrInvalid  = errors.New("not a valid sketch")
	ErrChecksum = fmt.Errorf("%w: checksum does not match, the bytes were changed", ErrInvalid)
)

// Flags are the yes-or-no properties of a sketch, common to all families.
type Flags uint16

// The flags of version 1.
const (
	// Additive says that counters are sums of occurrences: removing, moving
	// and subtracting are then meaningful.
	Additive Flags = 1 << iota
	// TotalKnown says that the total is the number of occurrences inserted.
	TotalKnown
	// Saturated says that a counter is at its ceiling: what it counted beyond is
	// not known. Each family says what it then reads as.
	Saturated
	// Categorised says that keys carry a category.
	Categorised
	// WithTotals says that a sketch with categories answers without one too.
	WithTotals

	knownFlags = Additive | TotalKnown | Saturated | Categorised | WithTotals
)

// Has reports whether all bits of g are set.
func (f Flags) Has(g Flags) bool { return f&g == g }

// Header is the part of a BLOB that all families share.
type Header struct {
	Family   ID     // which family wrote the BLOB
	Flags    Flags  // properties
	KeyClass uint8  // class of the keys or categories, package key; 0 when none was seen
	Levels   uint8  // quadtree levels counted beside the cells; 0 in this version
	Seed     uint64 // seed of the hash
	Total    uint64 // occurrences inserted, meaningful with TotalKnown
}

// Blob is a BLOB whose header and lengths were checked. Params and Body are
// views of the BLOB's memory.
type Blob struct {
	Header
	Params []byte
	Body   []byte
}

// castagnoli is CRC-32C: in hardware on amd64 and arm64, faster than memory.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum covers every byte but its own four.
func checksum(blob []byte) uint32 {
	return crc32.Update(crc32.Checksum(blob[:8], castagnoli), castagnoli, blob[12:])
}

// New allocates a BLOB with room for params and body and writes its lengths.
// The caller fills Params and Body and then calls Seal.
func New(id ID, params, body int) ([]byte, Blob) {
	blob := make([]byte, HeaderSize+params+body)
	copy(blob, magic[:])
	blob[4] = Version
	blob[5] = byte(id)
	blob[12] = HashVersion
	binary.LittleEndian.PutUint64(blob[32:], uint64(body))
	binary.LittleEndian.PutUint32(blob[40:], uint32(params))
	return blob, Blob{
		Params: blob[HeaderSize : HeaderSize+params : HeaderSize+params],
		Body:   blob[HeaderSize+params:],
	}
}

// Seal writes the header's fields and the checksum into a BLOB from New, once
// its parameters and body are in place.
func Seal(blob []byte, h Header) []byte {
	binary.LittleEndian.PutUint16(blob[6:], uint16(h.Flags))
	blob[13] = h.KeyClass
	blob[14] = h.Levels
	binary.LittleEndian.PutUint64(blob[16:], h.Seed)
	binary.LittleEndian.PutUint64(blob[24:], h.Total)
	binary.LittleEndian.PutUint32(blob[8:], checksum(blob))
	return blob
}

// Begin appends a BLOB's header, without its fields, to dst. The caller appends
// the parameters and the body and then calls End with what it appended.
func Begin(dst []byte, id ID) []byte {
	n := len(dst)
	dst = append(dst, make([]byte, HeaderSize)...)
	copy(dst[n:], magic[:])
	dst[n+4] = Version
	dst[n+5] = byte(id)
	dst[n+12] = HashVersion
	return dst
}

// End writes lengths, fields and checksum into a BLOB that Begin began and
// whose parameters take params bytes.
func End(blob []byte, params int, h Header) {
	binary.LittleEndian.PutUint64(blob[32:], uint64(len(blob)-HeaderSize-params))
	binary.LittleEndian.PutUint32(blob[40:], uint32(params))
	Seal(blob, h)
}

// Parse checks a BLOB's header and lengths and returns views of its parts. It
// reads a fixed number of bytes whatever the BLOB's size: the checksum is
// Verify's. The error wraps ErrInvalid and says what is wrong.
func Parse(blob []byte) (Blob, error) {
	if len(blob) < HeaderSize {
		return Blob{}, Invalidf("%d bytes, a header alone has %d", len(blob), HeaderSize)
	}
	if [4]byte(blob[:4]) != magic {
		return Blob{}, Invalidf("the bytes begin with %q, a sketch with %q", blob[:4], magic[:])
	}
	if v := blob[4]; v == 0 || v > Version {
		return Blob{}, Invalidf("format version %d, this program reads 1 to %d", v, Version)
	}
	if v := blob[12]; v != HashVersion {
		return Blob{}, Invalidf("hash version %d, this program knows %d", v, HashVersion)
	}
	flags := Flags(binary.LittleEndian.Uint16(blob[6:]))
	if flags&^knownFlags != 0 {
		return Blob{}, Invalidf("unknown flags %#x", uint16(flags&^knownFlags))
	}
	if blob[15] != 0 || binary.LittleEndian.Uint32(blob[44:]) != 0 {
		return Blob{}, Invalidf("reserved bytes are not 0")
	}
	params := binary.LittleEndian.Uint32(blob[40:])
	body := binary.LittleEndian.Uint64(blob[32:])
	if params > MaxParams {
		return Blob{}, Invalidf("parameters of %d bytes, at most %d are allowed", params, MaxParams)
	}
	rest := uint64(len(blob) - HeaderSize)
	if body > math.MaxInt64 || uint64(params)+body != rest {
		return Blob{}, Invalidf("the header promises %d bytes of parameters and %d of body, but %d follow", params, body, rest)
	}
	total := binary.LittleEndian.Uint64(blob[24:])
	if !flags.Has(TotalKnown) && total != 0 {
		return Blob{}, Invalidf("total %d in a sketch whose total is unknown", total)
	}
	p := HeaderSize + int(params)
	return Blob{
		Header: Header{
			Family:   ID(blob[5]),
			Flags:    flags,
			KeyClass: blob[13],
			Levels:   blob[14],
			Seed:     binary.LittleEndian.Uint64(blob[16:]),
			Total:    total,
		},
		Params: blob[HeaderSize:p:p],
		Body:   blob[p:],
	}, nil
}

// ParseAs is Parse for a BLOB that must be of one family.
func ParseAs(id ID, blob []byte) (Blob, error) {
	b, err := Parse(blob)
	if err == nil && b.Family != id {
		return Blob{}, Invalidf("%s %v sketch, expected %s %v sketch", b.Family.article(), b.Family, id.article(), id)
	}
	return b, err
}

// Verify compares the checksum of a BLOB that Parse accepted. O(len(blob)).
func Verify(blob []byte) error {
	if len(blob) < HeaderSize {
		return Invalidf("%d bytes, a header alone has %d", len(blob), HeaderSize)
	}
	if binary.LittleEndian.Uint32(blob[8:]) != checksum(blob) {
		return ErrChecksum
	}
	return nil
}

// Invalidf is an error that wraps ErrInvalid.
func Invalidf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}
