package udf

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"

	"github.com/ccbfsql/ccbfsql/internal/nh"
)

// A sketch is known by its length and a hash of all of its bytes (nh.Hash). For each chunk of
// a large sketch that DuckDB hands over anew, that is much of the time of a lookup.

// keptName is what a sketch is known by.
type keptName struct {
	hash     uint64
	tag      uint64
	length   int
	together bool // for questions without a category
}

func nameOf(blob []byte, together bool) keptName {
	return keptName{nh.Hash(blob), tagOf(blob, together), len(blob), together}
}

// tagKeys are a secret of this process.
var tagKeys = [2]uint64{rand.Uint64(), rand.Uint64()}

// tagOf tells where to look for a sketch: a number above 0 of its checksum and length, which others
// may have too, but hardly any that nobody made for that.
func tagOf(blob []byte, together bool) uint64 {
	var first [tagged]byte
	n := 2 * uint64(len(blob))
	if together {
		n++
	}
	if len(blob) >= tagged {
		first = [tagged]byte(blob)
	} else {
		copy(first[:], blob)
	}
	high, low := bits.Mul64(binary.LittleEndian.Uint64(first[tagged-8:])^tagKeys[0], n^tagKeys[1])
	return high ^ low | 1
}

// tagged is how many bytes there are up to the end of the checksum.
const tagged = 10
