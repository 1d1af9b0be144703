package cascade

import (
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Limits of a shape.
const (
	MaxK      = 32
	MaxLayers = 8
	MinWidth  = 2
	MaxWidth  = 64
	MaxBytes  = 1 << 30
)

// Shape is the geometry of counters. K is the number of counters that a key has in the first layer. Width
// has the bits of a counter, and Size the number of counters, of each layer; both are 0 beyond the last one.
// Shapes are comparable.
type Shape struct {
	K      int
	Layers int
	Width  [MaxLayers]uint8
	Size   [MaxLayers]uint64
}

// NewShape returns a shape without sizes. SetCounters or Fit sets them.
func NewShape(k int, widths []int) (Shape, error) {
	s := Shape{K: k, Layers: len(widths)}
	if k < 1 || k > MaxK {
		return Shape{}, sketch.OptionError("k", "is %d, must be from 1 to %d", k, MaxK)
	}
	if len(widths) == 0 || len(widths) > MaxLayers {
		return Shape{}, sketch.OptionError("layers", "has %d layers, must have 1 to %d", len(widths), MaxLayers)
	}
	valueBits := 0
	for i, w := range widths {
		if w < MinWidth || w > MaxWidth {
			return Shape{}, sketch.OptionError("layers", "has a width of %d bits, must be from %d to %d", w, MinWidth, MaxWidth)
		}
		if i > 0 && w < widths[i-1] {
			return Shape{}, sketch.OptionError("layers", "has widths %v, which must not decrease", slices.Clone(widths))
		}
		valueBits += w - 1
		s.Width[i] = uint8(w)
	}
	if valueBits > 63 {
		return Shape{}, sketch.OptionError("layers", "has widths %v that count to 2^%d, at most 2^63 is counted", slices.Clone(widths), valueBits)
	}
	return s, nil
}

// Widths returns the bits per counter of each layer.
func (s *Shape) Widths() []uint8 { return s.Width[:s.Layers] }

// Sizes returns the number of counters of each layer.
func (s *Shape) Sizes() []uint64 { return s.Size[:s.Layers] }

// SetCounters sets the number of counters of each layer.
func (s *Shape) SetCounters(counters []uint64) error {
	if len(counters) != s.Layers {
		return sketch.OptionError("counters", "has %d layers, \"layers\" has %d", len(counters), s.Layers)
	}
	for i, m := range counters {
		if m == 0 || m > 1<<32 {
			return sketch.OptionError("counters", "has a layer of %d counters, must be from 1 to 2^32", m)
		}
		if i > 0 && (m >= counters[i-1] || counters[i-1]%m != 0) {
			return sketch.OptionError("counters", "has %d counters above %d: each layer must be a smaller divisor of the one before", m, counters[i-1])
		}
		s.Size[i] = m
	}
	if n := s.Bytes(); n > MaxBytes {
		return sketch.OptionError("counters", "take %d bytes, at most %d are allowed", n, MaxBytes)
	}
	return nil
}

// ratio returns how many times smaller each layer is than the layer below, if only bytes are given. It is
// twice the width of the first layer, rounded up to a power of two. Wide counters overflow less often, so
// the layer above can be smaller (docs/papers/cascadecbf.md, the sweep).
func (s *Shape) ratio() uint64 { return 1 << bits.Len8(2*s.Width[0]-1) }

// unit returns how many bits all layers take together for each counter of the last layer, if only bytes
// are given.
func (s *Shape) unit() (bits uint64) {
	for i := range s.Layers {
		bits = bits*s.ratio() + uint64(s.Width[i])
	}
	return bits
}

// Fit chooses the largest layers that fit in the parameter bytes, with sizes that can be halved a few
// times. It returns false if none fit, because bytes is below Least.
func (s *Shape) Fit(bytes uint64) bool {
	last := (bytes - padding(s.Layers)) * 8 / s.unit()
	// Keep the five leading bits: the zeros after them let the size be halved.
	if n := bits.Len64(last); n > 5 {
		last &^= 1<<(n-5) - 1
	}
	ok := last > 0
	for i := s.Layers - 1; i >= 0; i-- {
		s.Size[i] = last
		last *= s.ratio()
	}
	return ok
}

// Least returns the least parameter bytes in which layers fit.
func (s *Shape) Least() uint64 { return (s.unit()+7)/8 + padding(s.Layers) }

// padding returns the most bytes that aligning the layers can add.
func padding(layers int) uint64 { return uint64(layers) * 8 }

// layerBytes returns the bytes of one layer, a multiple of 8.
func (s *Shape) layerBytes(x int) uint64 {
	return (s.Size[x]*uint64(s.Width[x]) + 63) / 64 * 8
}

// Bytes returns the length of the body. It cannot overflow: there are at most 8 layers of at most 2^32
// counters of at most 64 bits.
func (s *Shape) Bytes() uint64 {
	n := uint64(0)
	for x := range s.Layers {
		n += s.layerBytes(x)
	}
	return n
}

// foldable reports whether layer x alone can be halved: it must stay larger than the layer above and a
// multiple of it.
func (s *Shape) foldable(x int) bool {
	half := s.Size[x] / 2
	if s.Size[x]%2 != 0 || half == 0 {
		return false
	}
	return x == s.Layers-1 || half > s.Size[x+1] && half%s.Size[x+1] == 0
}

// Folded halves the first layer that can be halved and has more counters than in shape to. It returns the
// new shape and the index of the layer, and false if there is no such layer.
func (s *Shape) Folded(to *Shape) (Shape, int, bool) {
	for x := range s.Layers {
		if s.foldable(x) && s.Size[x]/2 >= to.Size[x] {
			t := *s
			t.Size[x] /= 2
			return t, x, true
		}
	}
	return Shape{}, 0, false
}

// ShiftOf returns how many bits of a value the layers below layer x hold together.
func (s *Shape) ShiftOf(x int) uint {
	shift := uint(0)
	for i := range x {
		shift += uint(s.Width[i]) - 1
	}
	return shift
}
