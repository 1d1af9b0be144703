package agg

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// keyedPlan says how keys of one configuration wait, and which sketch they are for.
type keyedPlan struct {
	params any       // the family's Params
	class  key.Class // class of the keys
	// If pairs is true, a key waits as its two hashes. Otherwise the key itself waits, as one word. If weighted is
	// true, its weight waits behind it.
	pairs, weighted bool
	seed            uint64 // seed of the hashes
	bytes           int64  // about how many bytes an empty sketch takes; 0 if it takes no hashes or cannot be made
	laws            sketch.Laws
}

// keyedPlans numbers the plans of all families. Their params have different types.
var keyedPlans numbering[keyedPlan]

// Keys of a group wait while they take less memory than its sketch, but maxKeyWords words at most. A slot
// may have minKeyWords words even if the sketch is smaller: a sketch takes memory beside its counters.
const (
	minKeyWords = 54
	maxKeyWords = 320
)

// most returns how many words wait in a slot.
func (p *keyedPlan) most() int { return int(min(max(p.bytes/8, minKeyWords), maxKeyWords)) }

// perKey returns the number of words of a key that waits.
func (p *keyedPlan) perKey() int {
	n := 1
	if p.pairs {
		n++
	}
	if p.weighted {
		n++
	}
	return n
}

// hashes is the two hashes of each of some keys. Key i counts ns[i] times, or once if ns is nil.
type hashes struct{ h1s, h2s, ns []uint64 }

// hash sets h to the hashes of keys that waited as words.
func (h *hashes) hash(p *keyedPlan, words []uint64) {
	h.h1s, h.h2s, h.ns = h.h1s[:0], h.h2s[:0], h.ns[:0]
	keys := words
	if p.pairs || p.weighted {
		for len(words) > 0 {
			h.h1s, words = append(h.h1s, words[0]), words[1:]
			if p.pairs {
				h.h2s, words = append(h.h2s, words[0]), words[1:]
			}
			if p.weighted {
				h.ns, words = append(h.ns, words[0]), words[1:]
			}
		}
		keys = h.h1s
	}
	if !p.weighted {
		h.ns = nil
	}
	if n := len(keys); !p.pairs {
		h.h1s, h.h2s = slices.Grow(h.h1s[:0], n)[:n], slices.Grow(h.h2s, n)[:n]
		key.HashUint64s(p.seed, keys, h.h1s, h.h2s)
	}
}

// addWords adds keys that waited to the sketch of a page, which it makes if there is none.
func (a *keyedAgg) addWords(t *keyedPage, config uint32, words []uint64) error {
	p := keyedPlans.config(config)
	if err := a.prepare(t, p.params, p.class); err != nil {
		return err
	}
	if err := a.count(t.s, p, words); err != nil {
		return err
	}
	return t.charge()
}

// count adds keys that waited to a sketch.
func (a *keyedAgg) count(s keyed.Sketch, p *keyedPlan, words []uint64) error {
	h := a.hashed.Get().(*hashes)
	defer a.hashed.Put(h)
	h.hash(p, words)
	return a.family.Add(s, h.h1s, h.h2s, h.ns)
}

// uniteWords unites the sketch of t with that of a state whose keys must not be added one by one, as
// their order matters. from is the state's page or nil, words are its words.
func (a *keyedAgg) uniteWords(t *keyedPage, config uint32, words []uint64, from *keyedPage) (err error) {
	p := keyedPlans.config(config)
	if err := t.mustHave(p.params); err != nil {
		return err
	}
	var s keyed.Sketch
	if from != nil {
		s = a.family.Clone(from.s)
	} else {
		s, err = a.empty(p.params, p.class)
	}
	if err != nil {
		return err
	}
	if err := a.count(s, p, words); err != nil {
		return err
	}
	if err := a.family.Unite(t.s, s); err != nil {
		return err
	}
	return t.charge()
}

// encodeWords returns a function that encodes the sketch of keys that waited.
func (a *keyedAgg) encodeWords(out *duck.Result) wordsEncoder {
	var (
		plan    *keyedPlan
		s       keyed.Sketch // used for all rows with the same plan
		charged int64
	)
	// charge reserves memory for the sketch, its BLOB, and the sorted copy from which the BLOB is made.
	charge := func(bytes int64) error {
		if 3*bytes <= charged {
			return nil
		}
		err := out.Charge(3*bytes - charged)
		charged = 3 * bytes
		return err
	}
	return func(config uint32, words []uint64, _ []byte) (_ []byte, err error) {
		if p := keyedPlans.config(config); s != nil && p == plan {
			s.Reset()
			err = keyed.BaseOf(s).SetKeyClass(p.class)
		} else if err = charge(p.bytes); err == nil {
			plan = p
			s, err = a.empty(p.params, p.class)
		}
		if err != nil {
			return nil, err
		}
		if err := a.count(s, plan, words); err != nil {
			return nil, err
		}
		if err := charge(int64(s.Bytes())); err != nil {
			return nil, err
		}
		return keyed.Finish(s)
	}
}
