package ccbf

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Limits of a shape.
const (
	maxK      = 32
	maxLayers = 8
	minWidth  = 2
	maxWidth  = 64
	maxBytes  = 1 << 30
)

// shape is the geometry of counters: how many a key has, and how many of how many
// bits there are in each layer. Shapes are comparable.
type shape struct {
	k      int
	layers int
	width  [maxLayers]uint8
	size   [maxLayers]uint64
}

// newShape is a shape without counters yet: setCounters or fit follow.
func newShape(k int, widths []int) (shape, error) {
	s := shape{k: k}
	if k < 1 || k > maxK {
		return shape{}, sketch.OptionError("k", "is %d, must be from 1 to %d", k, maxK)
	}
	if err := s.setWidths(widths); err != nil {
		return shape{}, err
	}
	return s, nil
}

// check holds a shape that a BLOB says it has against the limits of newShape and
// setCounters.
func (s *shape) check() error {
	widths := make([]int, s.layers)
	for i := range widths {
		widths[i] = int(s.width[i])
	}
	t, err := newShape(s.k, widths)
	if err != nil {
		return err
	}
	return t.setCounters(s.sizes())
}

// widths are the bits per counter of each layer.
func (s *shape) widths() []uint8 { return s.width[:s.layers] }

// sizes are the numbers of counters of each layer.
func (s *shape) sizes() []uint64 { return s.size[:s.layers] }

// sameWidths reports whether the layers of two shapes are of the same widths.
func (s *shape) sameWidths(o *shape) bool { return s.layers == o.layers && s.width == o.width }

func (s *shape) setWidths(widths []int) error {
	if len(widths) == 0 || len(widths) > maxLayers {
		return sketch.OptionError("layers", "has %d layers, must have 1 to %d", len(widths), maxLayers)
	}
	valueBits := 0
	for i, w := range widths {
		if w < minWidth || w > maxWidth {
			return sketch.OptionError("layers", "has a width of %d bits, must be from %d to %d", w, minWidth, maxWidth)
		}
		if i > 0 && w < widths[i-1] {
			return sketch.OptionError("layers", "has widths %v, they must not fall", widths)
		}
		valueBits += w - 1
		s.width[i] = uint8(w)
	}
	if valueBits > 63 {
		return sketch.OptionError("layers", "has widths %v that count to 2^%d, at most 2^63 is counted", widths, valueBits)
	}
	s.layers = len(widths)
	return nil
}

func (s *shape) setCounters(counters []uint64) error {
	if len(counters) != s.layers {
		return sketch.OptionError("counters", "has %d layers, \"layers\" has %d", len(counters), s.layers)
	}
	for i, m := range counters {
		if m == 0 || m > 1<<32 {
			return sketch.OptionError("counters", "has a layer of %d counters, must be from 1 to 2^32", m)
		}
		if i > 0 && (m >= counters[i-1] || counters[i-1]%m != 0) {
			return sketch.OptionError("counters", "has %d counters above %d: each layer must be a smaller divisor of the one before", m, counters[i-1])
		}
		s.size[i] = m
	}
	if n := s.bytes(); n > maxBytes {
		return sketch.OptionError("counters", "take %d bytes, at most %d are allowed", n, maxBytes)
	}
	return nil
}

// ratio is how many times smaller each further layer is where only bytes are
// given: twice the bits of the first layer, as a power of two, as the narrower
// that is the more of its counters overflow (docs/ACCURACY.md, the sweep).
func (s *shape) ratio() uint64 { return 1 << bits.Len8(2*s.width[0]-1) }

// fit chooses the largest layers that bytes can hold, with sizes that can be
// halved a few times.
func (s *shape) fit(bytes uint64) error {
	ratio := s.ratio()
	unit := uint64(0) // bits per counter of the last layer
	for i := range s.layers {
		unit = unit*ratio + uint64(s.width[i])
	}
	last := (bytes - padding(s.layers)) * 8 / unit
	if last == 0 {
		return sketch.OptionError("bytes", "is %d, layers %v take at least %d", bytes, s.width[:s.layers], (unit+7)/8+padding(s.layers))
	}
	if n := bits.Len64(last); n > 5 { // keep five leading bits
		last &^= 1<<(n-5) - 1
	}
	for i := s.layers - 1; i >= 0; i-- {
		s.size[i] = last
		last *= ratio
	}
	return nil
}

// padding is the most that aligning the layers can add.
func padding(layers int) uint64 { return uint64(layers) * 8 }

// layerBytes is the length of one layer, a multiple of 8.
func (s *shape) layerBytes(x int) uint64 {
	return (s.size[x]*uint64(s.width[x]) + 63) / 64 * 8
}

// bytes is the length of the dense body. It cannot overflow: at most 8 layers
// of at most 2^32 counters of at most 64 bits.
func (s *shape) bytes() uint64 {
	n := uint64(0)
	for x := range s.layers {
		n += s.layerBytes(x)
	}
	return n
}

// foldable reports whether layer x can be halved: by itself while it stays
// larger than the layer above and a multiple of it.
func (s *shape) foldable(x int) bool {
	half := s.size[x] / 2
	if s.size[x]%2 != 0 || half == 0 {
		return false
	}
	return x == s.layers-1 || half > s.size[x+1] && half%s.size[x+1] == 0
}

// folded is the shape with the first layer that can be halved halved, or false.
func (s *shape) folded() (shape, int, bool) {
	for x := range s.layers {
		if s.foldable(x) {
			t := *s
			t.size[x] /= 2
			return t, x, true
		}
	}
	return shape{}, 0, false
}

// shiftOf is how many bits of a value the layers below x hold.
func (s *shape) shiftOf(x int) uint {
	shift := uint(0)
	for i := range x {
		shift += uint(s.width[i]) - 1
	}
	return shift
}
