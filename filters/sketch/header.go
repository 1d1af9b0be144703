// Package sketch has what all families of sketches share: the header in front of every BLOB, its
// checksum, and bounded reads of untrusted bytes.
//
// A BLOB is a header, the family's parameters and the body. Defaults take no bytes, and every number
// has one spelling: docs/FORMAT.md.
//
// In all families New, Decode and NewView make sketches. The zero value of a Sketch or a View is not
// valid. Methods that add, answer queries, combine or encode panic with a text or return an error. Plain
// accessors return zero values or NaN, or panic.
package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/bits"
)

// Sizes and versions of the BLOB format.
const (
	// Version is the format version that this package writes, and the newest that it reads.
	Version = 1
	// HashVersion names how keys become positions: MurmurHash3 x64 128 of the
	// key's bytes, halves (h1, h2|1). It goes with format version 1.
	HashVersion = 1
	// MaxParams is the largest length of any family's parameters, in bytes.
	MaxParams = 1 << 12
	// MaxHeader is the largest number of bytes before the parameters, if the class of keys takes one
	// byte. The class of STRUCTs takes up to 9 more; ClassMore returns how many.
	MaxHeader = atFlags + 2 + 1 + 1 + 10 + 10 + 2

	minHeader = atFlags + 2 // no field, no parameters

	atVersion  = 4
	atFamily   = 5
	atChecksum = 6
	atFlags    = 10
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
	// Saturated says that a counter is at its ceiling, so it may have lost occurrences. Each family
	// defines what it returns then.
	Saturated
	// Categorised says that keys carry a category.
	Categorised
	// WithTotals says that a sketch with categories answers without one too.
	WithTotals

	// hasClass, hasSeed and hasLevels say which fields the header has. They are flags of the bytes
	// alone.
	hasClass
	hasSeed
	hasLevels

	fields     = hasClass | hasSeed | hasLevels
	knownFlags = Additive | TotalKnown | Saturated | Categorised | WithTotals | fields
)

// Has reports whether all bits of g are set.
func (f Flags) Has(g Flags) bool { return f&g == g }

// Header is the part of a BLOB that all families share.
type Header struct {
	Family   ID     // which family wrote the BLOB
	Flags    Flags  // properties
	KeyClass uint64 // class of the keys or categories, package key; 0 before the first

	Levels uint8  // levels of squares counted beside the cells
	Seed   uint64 // seed of the hash
	Total  uint64 // occurrences inserted; 0 without TotalKnown
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

// checksum returns the checksum of every byte except its own four.
func checksum(blob []byte) uint32 {
	return crc32.Update(crc32.Checksum(blob[:atChecksum], castagnoli), castagnoli, blob[atFlags:])
}

// Begin appends a BLOB's header and parameters to dst. The caller appends the
// body and then calls Seal with all that was appended.
func Begin(dst []byte, h Header, params []byte) []byte {
	dst = append(append(dst, magic[:]...), Version, byte(h.Family), 0, 0, 0, 0)
	flags := h.Flags &^ fields
	if h.KeyClass != 0 {
		flags |= hasClass
	}
	if h.Seed != 0 {
		flags |= hasSeed
	}
	if h.Levels != 0 {
		flags |= hasLevels
	}
	dst = binary.AppendUvarint(dst, uint64(flags))
	if h.KeyClass != 0 {
		dst = binary.AppendUvarint(dst, h.KeyClass)
	}
	if h.Levels != 0 {
		dst = append(dst, h.Levels)
	}
	if h.Seed != 0 {
		dst = binary.AppendUvarint(dst, h.Seed)
	}
	if flags.Has(TotalKnown) {
		dst = binary.AppendUvarint(dst, h.Total)
	}
	dst = binary.AppendUvarint(dst, uint64(len(params)))
	return append(dst, params...)
}

// ClassMore returns the number of bytes that a class of keys takes beyond the one that MaxHeader counts
// for it.
func ClassMore(class uint64) uint64 { return uint64(max(bits.Len64(class), 1)-1) / 7 }

// Seal writes the checksum into a BLOB that is otherwise complete.
func Seal(blob []byte) []byte {
	binary.LittleEndian.PutUint32(blob[atChecksum:], checksum(blob))
	return blob
}

// Join returns the BLOB of a header, parameters and a body.
func Join(h Header, params, body []byte) []byte {
	dst := make([]byte, 0, MaxHeader+len(params)+len(body))
	return Seal(append(Begin(dst, h, params), body...))
}

// Parse checks a BLOB's header and lengths and returns views of its parts. It reads a bounded number of
// bytes whatever the BLOB's size, so it does not check the checksum (Verify). The error wraps
// ErrInvalid and says what is wrong.
func Parse(blob []byte) (Blob, error) {
	if len(blob) < minHeader {
		return Blob{}, Invalidf("%d bytes, but a header alone has at least %d", len(blob), minHeader)
	}
	if [4]byte(blob[:4]) != magic {
		return Blob{}, Invalidf("the bytes begin with %q, but a sketch begins with %q", blob[:4], magic[:])
	}
	if v := blob[atVersion]; v == 0 || v > Version {
		return Blob{}, Invalidf("format version %d, but this program reads 1 to %d", v, Version)
	}
	r := Reader{b: blob, off: atFlags, what: "header"}
	wire := r.Uvarint()
	if unknown := wire &^ uint64(knownFlags); unknown != 0 {
		return Blob{}, Invalidf("unknown flags %#x", unknown)
	}
	flags := Flags(wire)
	b := Blob{Header: Header{Family: ID(blob[atFamily]), Flags: flags &^ fields}}
	if flags&fields != 0 {
		b.fields(&r, flags)
	}
	if flags.Has(TotalKnown) {
		b.Total = r.Uvarint()
	}
	params := r.Uvarint()
	if err := r.Err(); err != nil {
		return Blob{}, err
	}
	if params > MaxParams {
		return Blob{}, Invalidf("parameters of %d bytes, at most %d are allowed", params, MaxParams)
	}
	rest := blob[r.off:]
	if params > uint64(len(rest)) {
		return Blob{}, Invalidf("the header promises %d bytes of parameters, but %d follow", params, len(rest))
	}
	b.Params, b.Body = rest[:params:params], rest[params:]
	return b, nil
}

// fields reads the fields that flags announce.
func (h *Header) fields(r *Reader, flags Flags) {
	missing := false
	if flags.Has(hasClass) {
		h.KeyClass = r.Uvarint()
		missing = h.KeyClass == 0
	}
	if flags.Has(hasLevels) {
		h.Levels = r.Uint8()
		missing = missing || h.Levels == 0
	}
	if flags.Has(hasSeed) {
		h.Seed = r.Uvarint()
		missing = missing || h.Seed == 0
	}
	if missing {
		r.Fail(Invalidf("flags %#x promise a class of keys, levels or a seed that is 0", uint16(flags)))
	}
}

// ParseAs is Parse for a BLOB that must be of one family.
func ParseAs(id ID, blob []byte) (Blob, error) {
	b, err := Parse(blob)
	if err == nil && b.Family != id {
		return Blob{}, Invalidf("%s %v sketch, expected %s %v sketch", b.Family.article(), b.Family, id.article(), id)
	}
	return b, err
}

// Verify compares the checksum of any bytes. It does not ask what else they are (Parse). O(len(blob)).
func Verify(blob []byte) error {
	if len(blob) < minHeader {
		return Invalidf("%d bytes, but a header alone has at least %d", len(blob), minHeader)
	}
	if binary.LittleEndian.Uint32(blob[atChecksum:]) != checksum(blob) {
		return ErrChecksum
	}
	return nil
}

// Invalidf returns an error that wraps ErrInvalid.
func Invalidf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}
