package sketches

import (
	"encoding/binary"
	"errors"
	"math"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

func init() {
	beam.RegisterCoder(reflect.TypeFor[Points](), encodePoints, decodePoints)
}

// What Points have, in the first byte of their encoding.
const (
	withWeights    = 1
	withCategories = 2
)

// encodePoints writes flags, class and number, then column after column.
func encodePoints(p Points) []byte {
	flags := byte(0)
	if p.N != nil {
		flags |= withWeights
	}
	if p.Category != nil {
		flags |= withCategories
	}
	b := make([]byte, 0, 1+2*binary.MaxVarintLen64+24*len(p.X))
	b = binary.AppendUvarint(append(b, flags), uint64(p.Class))
	b = binary.AppendUvarint(b, uint64(len(p.X)))
	for _, column := range [][]float64{p.X, p.Y} {
		for _, v := range column {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	for _, n := range p.N {
		b = binary.AppendUvarint(b, n)
	}
	for _, c := range p.Category {
		b = binary.AppendUvarint(b, uint64(len(c)))
		b = append(b, c...)
	}
	return b
}

var errPoints = errors.New("points were truncated in transit")

func decodePoints(b []byte) (Points, error) {
	if len(b) == 0 {
		return Points{}, errPoints
	}
	flags := b[0]
	b = b[1:]
	whole := func() (n uint64, ok bool) {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return 0, false
		}
		b = b[size:]
		return n, true
	}
	class, ok := whole()
	if !ok {
		return Points{}, errPoints
	}
	p := Points{Class: key.Class(class)}
	n, ok := whole()
	if !ok || n > uint64(len(b))/16 {
		return Points{}, errPoints
	}
	for _, column := range []*[]float64{&p.X, &p.Y} {
		*column = make([]float64, n)
		for i := range *column {
			(*column)[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
		b = b[8*n:]
	}
	if flags&withWeights != 0 {
		p.N = make([]uint64, n)
		for i := range p.N {
			if p.N[i], ok = whole(); !ok {
				return Points{}, errPoints
			}
		}
	}
	if flags&withCategories != 0 {
		p.Category = make([][]byte, n)
		for i := range p.Category {
			size, ok := whole()
			if !ok || size > uint64(len(b)) {
				return Points{}, errPoints
			}
			p.Category[i], b = b[:size:size], b[size:]
		}
	}
	if len(b) != 0 {
		return Points{}, errPoints
	}
	return p, nil
}
