package cells

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Sections that are read as words are those that are read as runs: of any length, with counts
// and keys that fit no words, and with bytes that are damaged, whose error is the same.
func TestSectionsAreReadAsWords(t *testing.T) {
	r := rand.New(rand.NewPCG(47, 0))
	damaged, wide := 0, 0
	for i := range 300 {
		var run Run
		key, apart, most := r.Uint64()>>r.UintN(64), 1+uint64(1)<<r.UintN(12), uint64(4)
		if i%9 == 4 {
			most = 2 * full
		}
		for range 1 + r.IntN(1100) {
			if i%7 == 3 && r.IntN(900) == 0 {
				key += 1 << r.UintN(63)
			}
			before := key
			if key += 1 + r.Uint64N(apart); key < before {
				break
			}
			run.Keys, run.Counts = append(run.Keys, key), append(run.Counts, 1+r.Uint64N(most))
		}
		if len(run.Keys) == 0 {
			continue
		}
		list := List{{Label{None: true}, run}}
		bounds := list.Bounds()
		body, ok := list.AppendBody(nil, bounds, 1<<30)
		if !ok {
			t.Fatal("no body")
		}
		for flip := range 20 {
			if flip > 0 {
				at := r.IntN(len(body))
				body[at] ^= 1 << r.UintN(8)
			}
			asRun, err := read(body, bounds, run.total(), false)
			asWords, other := read(body, bounds, run.total(), true)
			if fmt.Sprint(err) != fmt.Sprint(other) {
				t.Fatalf("%d cells, damaged %d times: %v as a run, %v as words", len(run.Keys), flip, err, other)
			}
			if err != nil {
				damaged++
			} else if fmt.Sprint(asRun.Run) != fmt.Sprint(asWords.Run) {
				t.Fatalf("%d cells are others as words", len(run.Keys))
			} else if asWords.Words == nil {
				wide++
			}
		}
	}
	if damaged < 1000 || wide < 20 {
		t.Errorf("%d damaged ones, %d that are wide", damaged, wide)
	}
}

// read is the cells of the one section of a body, with the words that they were read as, if they were.
func read(body []byte, bounds grid.Rect, total uint64, words bool) (got Room, err error) {
	var v View
	if err := v.Reset(body, bounds, false, total); err != nil {
		return got, errors.New("no view")
	}
	err = v.EachSectionIn(func(w *Wanted) (Room, error) {
		if words && !w.Wide {
			return Room{Words: make([]uint64, w.Cells)}, nil
		}
		return Room{Run: NewRun(w.Cells)}, nil
	}, func(w *Wanted, r Room) error {
		if got = r; r.Words != nil {
			got.Run = NewRun(0)
			for _, word := range r.Words {
				got.Keys, got.Counts = append(got.Keys, w.Base|word>>countBits), append(got.Counts, word&full)
			}
		}
		return nil
	})
	return got, err
}
