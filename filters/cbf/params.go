package cbf

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Variant selects the number that an occurrence adds to its counters.
type Variant uint8

// The variants.
const (
	Plain     Variant = iota // 1
	Increment                // a number that the key's hash chooses
	Tandem                   // such a number, and more of the key where a pair of counters has room
)

var variantNames = [...]string{"plain", "increment", "tandem"}

func (v Variant) String() string { return sketch.NameOf(variantNames[:], "variant", v) }

// Limits of a filter's shape.
const (
	// MaxK is the largest number of hash functions, without the extra ones.
	MaxK = 32
	// MaxIncrement is the largest L.
	MaxIncrement = 64
	// MaxCapacity is the largest number of keys that a filter is made for.
	MaxCapacity = 1 << 40
	// MaxBody is the largest body in bytes.
	MaxBody = 1 << 30
)

// Defaults of the shape.
const (
	DefaultCapacity = 100_000
	DefaultFPP      = 0.01
	DefaultK        = 4 // if Params has Counters, but neither K nor Capacity
	DefaultAlpha    = 0.5
)

// Params are a filter's shape and rules. Zero fields take their defaults.
type Params struct {
	// Capacity is the number of occurrences that the filter is made for, 1 to MaxCapacity. FPP is the
	// false positive rate, in (0, 1), when the filter has that many. More may be added, at a higher
	// rate.
	Capacity uint64
	FPP      float64
	// Counters is the number of counters, in place of FPP, rounded up to whole words of 64 bits.
	// Without Capacity the filter is full when K*Capacity is ln(2)*Counters.
	Counters uint64
	// K is the number of hash functions, 1 to MaxK. 0 chooses the best number for the other parameters.
	K uint64
	// CounterBits is the width of a counter: 2, 4, 8 or 16. It is at least 4 for Increment and Tandem
	// and for VariableLength, and at least 8 for both together. The default is 4, or 8 if 4 is not
	// allowed.
	CounterBits uint64
	// Variant is Plain, Increment or Tandem.
	Variant Variant
	// Increment is L, a power of two. For counters (or halves, with VariableLength) of w bits it is
	// from 2 to 2^(w-2), and at most MaxIncrement, so that two occurrences always fit. The default is 2
	// for 4 bits, 8 for 8, 64 for 16: then about as many occurrences fit as the square root of 2^w.
	// Larger values make fewer false positives and more stuck counters.
	Increment uint64
	// VariableLength uses halves of counters while there are at most Alpha*Capacity occurrences. Alpha
	// is in (0, 1]. Up to that number, the false positive rate is about the square of the rate
	// without VariableLength. A larger Alpha costs stuck halves after many removals, most with halves
	// of 2 bits, which are stuck at 3. Filters from which few keys are ever removed lose nothing by
	// Alpha = 1.
	VariableLength bool
	Alpha          float64
	// Seed is the seed of the keys' hashes.
	Seed uint64
}

// shape is the resolved Params, which two filters must share.
type shape struct {
	capacity uint64
	words    uint64 // number of 64-bit words that hold the counters
	k        uint64 // hash functions, without the extra ones of VariableLength
	width    uint64 // bits of a counter
	variant  Variant
	inc      uint64 // L, the smallest increment; 1 for Plain
	variable bool
	alpha    float64 // 0 unless variable
}

// perWord returns the number of counters in a word.
func (s *shape) perWord() uint64 { return 64 / s.width }

// counters returns the number of counters of the filter; 0 for the zero value.
func (s *shape) counters() uint64 { return s.words * 64 / max(s.width, 1) }

// threshold returns the largest number of occurrences for which halves are kept.
func (s *shape) threshold() uint64 { return uint64(s.alpha * float64(s.capacity)) }

// narrow returns the width of the narrowest counters.
func (s *shape) narrow() uint64 {
	if s.variable {
		return s.width / 2
	}
	return s.width
}

// shape resolves the parameters. Errors wrap sketch.ErrOption.
func (p Params) shape() (s shape, err error) {
	switch {
	case p.Counters != 0 && p.FPP != 0:
		return s, sketch.OptionError("fpp", "is %v and \"counters\" is %d: give one of them", p.FPP, p.Counters)
	case p.Variant > Tandem:
		return s, sketch.OptionError("variant", "is %v, must be 'plain', 'increment' or 'tandem'", p.Variant)
	case p.Variant == Plain && p.Increment != 0:
		return s, sketch.OptionError("increment", "is %d, but the variant is 'plain'", p.Increment)
	case !p.VariableLength && p.Alpha != 0:
		return s, sketch.OptionError("alpha", "is %v, but \"variable_length\" is false", p.Alpha)
	}
	if err := options.Check(p); err != nil {
		return s, err
	}
	defaults(&p)
	s = shape{capacity: p.Capacity, k: p.K, width: p.CounterBits, variant: p.Variant, inc: p.Increment, variable: p.VariableLength, alpha: p.Alpha}
	s.fillIn()
	if err := s.check(); err != nil {
		return s, err
	}
	if p.Counters != 0 {
		s.words = (p.Counters-1)/s.perWord() + 1
		if most := 8 * MaxBody / s.width; p.Counters > most {
			return s, sketch.OptionError("counters", "is %d, must be from 1 to %d of %d bits", p.Counters, most, s.width)
		}
		if s.k == 0 && s.capacity == 0 {
			s.k = DefaultK
		}
		if s.k == 0 {
			s.k = s.bestK()
		}
		if s.capacity == 0 {
			s.capacity = uint64(max(1, math.Ln2*float64(s.counters())/float64(s.k)))
		}
		return s, nil
	}
	counters := s.size(p.FPP)
	if most := float64(8 * MaxBody / s.width); counters > most {
		return s, sketch.OptionError("capacity", "is %d, at \"fpp\" %v that is %.3g counters of %d bits, at most %.0f are allowed",
			s.capacity, p.FPP, counters, s.width, most)
	}
	s.words = uint64(math.Ceil(counters / float64(s.perWord())))
	return s, nil
}

// fillIn sets the width and L to their defaults if they are 0. These depend on the variant.
func (s *shape) fillIn() {
	if s.width == 0 {
		s.width = 4
		if s.variable && s.variant != Plain {
			s.width = 8
		}
	}
	if s.inc == 0 {
		s.inc = 1
		if s.variant != Plain {
			s.inc = min(MaxIncrement, uint64(1)<<(s.narrow()/2)/2)
		}
	}
}

// check returns an error for counters or increments that are out of range. These depend on the variant;
// the options check the other ranges.
func (s *shape) check() error {
	least := uint64(2)
	if s.variant != Plain {
		least *= 2
	}
	if s.variable {
		least *= 2
	}
	if s.width < least || s.width > 16 || bits.OnesCount64(s.width) != 1 {
		return sketch.OptionError("counter_bits", "is %d, must be %s%s", s.width, widths[least], s.form())
	}
	if s.variant != Plain {
		if most := min(MaxIncrement, uint64(1)<<(s.narrow()-2)); s.inc < 2 || s.inc > most || bits.OnesCount64(s.inc) != 1 {
			return sketch.OptionError("increment", "is %d, must be a power of two from 2 to %d for \"counter_bits\" %d%s", s.inc, most, s.width, s.form())
		}
	}
	return nil
}

var widths = map[uint64]string{2: "2, 4, 8 or 16", 4: "4, 8 or 16", 8: "8 or 16"}

// empty returns the memory of an empty filter, and the seed.
func (p Params) empty() (bytes, seed uint64, err error) {
	s, err := p.shape()
	return 8 * s.words, p.Seed, err
}

// form returns the variant as errors write it.
func (s *shape) form() string {
	if s.variable {
		return fmt.Sprintf(" for the variant '%v' with variable length", s.variant)
	}
	return fmt.Sprintf(" for the variant '%v'", s.variant)
}
