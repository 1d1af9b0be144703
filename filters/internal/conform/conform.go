// Package conform is the conformance kit: what every family of sketches
// promises, checked the same way for all of them. A family's test adapts its
// sketch to the kit with integers for keys and runs it:
//
//	type subject struct{ *cms.Sketch }
//
//	func (s subject) Add(id, n uint64) error    { s.Sketch.AddKey(bytesOf(id), n); return nil }
//	func (s subject) Count(id uint64) uint64    { return s.Sketch.CountKey(bytesOf(id)) }
//	func (s subject) Remove(id, n uint64) error { return s.Sketch.RemoveKey(bytesOf(id), n) }
//	func (s subject) Union(o conform.Subject) error {
//		return s.Sketch.Union(o.(subject).Sketch)
//	}
//
//	var family = conform.Family{
//		Name:   "cms",
//		New:    func() conform.Subject { ... },
//		Decode: func(blob []byte) (conform.Subject, error) { ... },
//		Look:   func(blob []byte, id uint64) (uint64, error) { ... },
//		Check:  cms.Check,
//		Laws: conform.Laws{OrderFree: true, UnionCommutes: true, UnionEqualsWhole: true,
//			Deletable: true, Restores: true},
//		Drawn:  func(r *rand.Rand) func() conform.Subject { ... conform.Size(r, 100) ... },
//		Load:   500, Absent: 0.01,
//	}
//
//	func TestConformance(t *testing.T) { conform.Run(t, family) }
//	func FuzzBlob(f *testing.F)        { conform.Fuzz(f, family) }
//	func FuzzOps(f *testing.F)         { conform.FuzzOps(f, family) }
//
// What a subject can do beyond Subject, it says by the methods that it has:
// Remover, Uniter, BlobUniter. What it promises, Laws says.
package conform

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"
)

// Subject is a sketch whose keys are integers.
type Subject interface {
	// Add counts n occurrences of a key. An error fails the test.
	Add(id, n uint64) error
	// Count is the estimate, or 1 for a key that may be in a set.
	Count(id uint64) uint64
	// Blob encodes the sketch and leaves it unchanged.
	Blob() []byte
}

// Remover is a Subject that has a removal, be it only to refuse.
type Remover interface {
	Remove(id, n uint64) error
}

// Uniter is a Subject that takes in another of its family.
type Uniter interface {
	Union(other Subject) error
}

// BlobUniter is a Subject that takes in the sketch of a BLOB.
type BlobUniter interface {
	UnionBlob(blob []byte) error
}

// Laws are what a family promises beyond never counting too few.
type Laws struct {
	// OrderFree: the same additions in another order make the same bytes.
	OrderFree bool
	// UnionCommutes: unions in another order or grouping make the same bytes.
	UnionCommutes bool
	// UnionEqualsWhole: the union of parts has the bytes of the whole, after
	// additions only.
	UnionEqualsWhole bool
	// Deletable: keys that were added can be removed. Otherwise a Remover must
	// refuse and change nothing.
	Deletable bool
	// Restores: additions and their removal leave the bytes of before.
	Restores bool
	// Exact: every Count is the true count.
	Exact bool
	// Spellings: a BLOB with the same meaning as one of the family's own may be
	// accepted although it has other bytes, as compressed data can be packed in
	// more than one way.
	Spellings bool
	// Below: a Count may be below the true count, and a removal of more than it
	// may be right. How seldom, the family's own test holds.
	Below bool
	// Alone: a key that no other key is beside has its true count, whatever the
	// sizes and however often its own counters coincide.
	Alone bool
	// Set: Count is 1 for a key that may be there and 0 for one that is not.
	// With Deletable, a key is there until it was removed as often as added.
	Set bool
}

// Family is a family, or one form of it, as the kit sees it.
type Family struct {
	Name string
	// New makes an empty subject that has room for the random operations:
	// about 5,000 keys, or Keys.
	New func() Subject
	// Small makes an empty subject whose BLOB, with 50 keys in it, stays at a
	// few KiB: every bit of it is flipped. New where it is nil.
	Small func() Subject
	// Drawn makes a way to make empty subjects of one configuration, drawn from
	// all that there are: odd sizes and tiny ones too (Size). They may be too small
	// for what is added: Add and Union then say so.
	Drawn func(r *rand.Rand) func() Subject
	// Decode makes a subject from a BLOB, verifying its checksum.
	Decode func(blob []byte) (Subject, error)
	// Look answers from a BLOB without decoding it; it may skip the checksum.
	// nil where the family has no such thing.
	Look func(blob []byte, id uint64) (uint64, error)
	// Check is the family's sketch.Family Check.
	Check func(blob []byte) error
	Laws  Laws
	// Absent is the largest probability that a key that was never added has a
	// Count above 0 when Load distinct keys are in a subject of New. The kit
	// allows four standard deviations of the sample more.
	Load   int
	Absent float64
	// Keys is the number of distinct keys of the random operations, 5,000
	// where it is 0.
	Keys int
	// Allocs is the bytes that Decode and Look may allocate for a BLOB beyond
	// 16 times its length; 64 KiB where it is 0.
	Allocs int
}

// long reports whether the run may take minutes: CCBF_LONG=1.
func long() bool { return os.Getenv("CCBF_LONG") == "1" }

func (f Family) keys() int {
	if f.Keys > 0 {
		return f.Keys
	}
	return 5000
}

func (f Family) small() Subject {
	if f.Small != nil {
		return f.Small()
	}
	return f.New()
}

func (f Family) allocs(blob []byte) uint64 {
	if f.Allocs > 0 {
		return uint64(f.Allocs) + 16*uint64(len(blob))
	}
	return 64<<10 + 16*uint64(len(blob))
}

// Run runs every check as a subtest. An ordinary run does 10^5 random
// operations, one with CCBF_LONG=1 in the environment 10^7.
func Run(t *testing.T, f Family) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.check(t, f) })
	}
}

var checks = []struct {
	name  string
	check func(t testing.TB, f Family)
}{
	{"Operations", operations},
	{"Absent", absent},
	{"Order", order},
	{"Union", union},
	{"Remove", remove},
	{"Sizes", sizes},
	{"Codec", codec},
	{"Truncations", truncations},
	{"BitFlips", bitFlips},
	{"ResealedFlips", resealedFlips},
	{"Foreign", foreign},
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(t testing.TB, what string, a, b []byte) {
	t.Helper()
	if bytes.Equal(a, b) {
		return
	}
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	t.Fatalf("%s: BLOBs of %d and %d bytes differ at byte %d", what, len(a), len(b), at)
}

// truth is what a count must be at least.
func (f Family) truth(n uint64) uint64 {
	if f.Laws.Set {
		return min(n, 1)
	}
	return n
}

// compare checks one estimate against the true count.
func (f Family) compare(t testing.TB, when string, id, got, n uint64) {
	t.Helper()
	want := f.truth(n)
	if got < want && !f.Laws.Below || f.Laws.Exact && got != want {
		t.Fatalf("%s: key %d counted %d, true count %d", when, id, got, want)
	}
}
