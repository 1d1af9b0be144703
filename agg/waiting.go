package agg

import (
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/memory"
)

// Most groups have few rows. So keys and points first wait as words of 64 bits. A key of 8 bytes or a
// cell is one word, and other keys are their two hashes. Weights and categories follow. The first words
// wait inline in the DuckDB state. The next ones wait in a slot of a slab, which many states share
// (memory.Slabs). With more words, the group gets a page with its sketch. New words still wait inline
// then, so that several words need only one look-up of the page.

// inlineMost is how many words a state holds inline.
const inlineMost = 5

// inlineWords is the inline part of a state: words that the page does not have yet.
type inlineWords struct {
	config uint32 // number of the configuration of these words; 0 if there were none
	n      uint32 // number of words
	keys   [inlineMost]uint64
}

// The two types have the same size, or this does not compile.
const _ = -uint(unsafe.Sizeof(inlineWords{}) ^ unsafe.Sizeof(duck.State{}.Inline))

// inlineOf returns the inline part of a state.
func inlineOf(s *duck.State) *inlineWords { return (*inlineWords)(unsafe.Pointer(&s.Inline)) }

// takes reports whether words of the configuration with this number can wait in f. The number must not
// be 0, and f must have the same number or 0. One comparison tests both, as branch prediction fails
// here.
func (f *inlineWords) takes(config uint32) bool {
	return config != 0 && uint64(f.config)*uint64(f.config^config) == 0
}

// pageBytes is about the number of bytes of a page without its sketch.
const pageBytes = 256

// basePage is the part that all pages have.
type basePage struct{ lease memory.Lease }

func (p *basePage) base() *basePage { return p }

// groupPage is the page of a group, which has a sketch.
type groupPage interface{ base() *basePage }

// add adds words to a state, behind those it has.
func (a *aggregate[T]) add(slabs *memory.Slabs, s *duck.State, config uint32, words []uint64) error {
	f := inlineOf(s)
	if f.takes(config) {
		if int(f.n)+len(words) <= inlineMost {
			f.config = config
			f.n += uint32(copy(f.keys[f.n:], words))
			return nil
		}
		if !s.HasPage() {
			ok, err := slabs.Append(&s.Ref, a.most(config), f.keys[:f.n], words)
			if ok {
				f.config, f.n = config, 0
			}
			if ok || err != nil {
				return err
			}
		}
	}
	t, err := a.whole(s)
	if err != nil {
		return err
	}
	return a.take(t, config, words)
}

// whole returns the page of a state, with the words that waited in the state and in its slot. The page of
// a state without words has no sketch if it is new.
func (a *aggregate[T]) whole(s *duck.State) (t T, err error) {
	f := inlineOf(s)
	words, err := s.Words()
	if err != nil {
		return t, err
	}
	if t, err = a.page(s); err != nil {
		return t, err
	}
	if len(words) > 0 {
		if err := a.take(t, f.config, words); err != nil {
			return t, err
		}
	}
	if f.n > 0 {
		err = a.take(t, f.config, f.keys[:f.n])
		f.n = 0
	}
	return t, err
}

// scatter adds words to the states of rows: perRow words for each row.
func (a *aggregate[T]) scatter(slabs *memory.Slabs, states []*duck.State, config uint32, words []uint64, perRow int) error {
	for i := 0; i < len(states); {
		s, first := states[i], i
		if f := inlineOf(s); f.takes(config) && int(f.n)+perRow <= inlineMost {
			// With many groups, this is the most frequent case.
			for _, w := range words[i*perRow : (i+1)*perRow] {
				f.keys[f.n] = w
				f.n++
			}
			f.config = config
			i++
			continue
		}
		for i++; i < len(states) && states[i] == s; i++ {
		}
		if err := a.add(slabs, s, config, words[first*perRow:i*perRow]); err != nil {
			return err
		}
	}
	return nil
}

// Combine adds each state of from to the state of into at the same index. States of from do not change:
// DuckDB may combine them with others at the same time.
func (a *aggregate[T]) Combine(from, into duck.States) error {
	for i := range from.Len() {
		if err := a.combine(into.Slabs(), from.At(i), into.At(i)); err != nil {
			return err
		}
	}
	return nil
}

// combine adds the state s to the state into.
func (a *aggregate[T]) combine(slabs *memory.Slabs, s, into *duck.State) error {
	f, g := inlineOf(s), inlineOf(into)
	isNew := g.config == 0 && !into.HasPage()
	if isNew && !s.HasPage() && !s.HasSlot() {
		*g = *f
		return nil
	}
	words, err := s.Words()
	if err != nil {
		return err
	}
	b, err := s.Page()
	if err != nil {
		return err
	}
	from, hasPage := b.(T)
	switch {
	case !isNew && f.config != 0 && !a.sums(f.config):
		t, err := a.whole(into)
		if err != nil {
			return err
		}
		words = append(words[:len(words):len(words)], f.keys[:f.n]...)
		return a.unite(t, f.config, words, from)
	case hasPage:
		t, err := a.whole(into)
		if err != nil {
			return err
		}
		if err := a.merge(t, from); err != nil {
			return err
		}
	case len(words) > 0:
		if err := a.add(slabs, into, f.config, words); err != nil {
			return err
		}
	}
	if f.n == 0 {
		return nil
	}
	return a.add(slabs, into, f.config, f.keys[:f.n])
}

// Finalize writes the BLOB of each state, or NULL if the group had no rows.
func (a *aggregate[T]) Finalize(states duck.States, out *duck.Result) error {
	var all []uint64
	var blob []byte
	var encode wordsEncoder
	if a.encoder != nil {
		encode = a.encoder(out)
	}
	for i := range out.Len() {
		s := states.At(i)
		f := inlineOf(s)
		words, err := s.Words()
		switch {
		case err != nil:
			return err
		case s.HasPage():
			blob, err = a.encodePage(s, out, blob[:0])
		case f.config == 0:
			out.SetNull(i)
			continue
		default:
			all = append(append(all[:0], words...), f.keys[:f.n]...)
			blob, err = encode(f.config, all, blob[:0])
		}
		if err != nil {
			return err
		}
		out.SetBytes(i, blob)
		out.EndRow()
	}
	return nil
}

// encodePage encodes the sketch of a state with a page, in the memory of room if it fits.
func (a *aggregate[T]) encodePage(s *duck.State, out *duck.Result, room []byte) ([]byte, error) {
	t, err := a.whole(s)
	if err != nil {
		return nil, err
	}
	if a.cost != nil {
		if err := out.Grow(a.cost(t)); err != nil {
			return nil, err
		}
	}
	return a.blob(t, room)
}
