package conform

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// A kit that lets everything through is worth nothing. So it runs on an exact list of keys, a family
// that keeps every law. Then it runs on the same family with one defect at a time, which the right
// check must find.

// defect is a defect of a list.
type defect string

const (
	sound            defect = ""
	undercounts      defect = "loses occurrences"
	overcounts       defect = "counts absent keys"
	orderMatters     defect = "bytes depend on order"
	touchesSource    defect = "union changes its source"
	unionLoses       defect = "union loses a key"
	removesTooMany   defect = "removal of too many is no error"
	removeChanges    defect = "refused removal changes"
	removeLeavesMark defect = "removal does not restore"
	blobAliased      defect = "decoded sketch shares the BLOB's memory"
	noChecksum       defect = "checksum is not verified"
	trustsCount      defect = "allocates what the BLOB claims"
	trustsIndex      defect = "reads where the BLOB says"
	notCanonical     defect = "two spellings of one state"
	lookDiffers      defect = "lookup on the BLOB differs"
	takesTail        defect = "ignores bytes after the end"
	anyFamily        defect = "takes another family's BLOB"
	meetsItself      defect = "counts a key twice that is added a second time"
)

type list struct {
	defect defect
	n      map[uint64]uint64
	last   uint64 // for orderMatters, and marks that removals leave
	raw    []byte // for blobAliased
}

var errList = fmt.Errorf("refused: %w", sketch.ErrTooMany)

func (l *list) Add(id, n uint64) error {
	if l.defect == undercounts && id%97 == 3 && n > 100 {
		n--
	}
	if l.defect == meetsItself && l.n[id] > 0 {
		n *= 2
	}
	if l.n[id] += n; l.n[id] == 0 {
		delete(l.n, id)
	}
	if l.defect == orderMatters {
		l.last = id
	}
	return nil
}

func (l *list) Count(id uint64) uint64 {
	if l.defect == overcounts && l.n[id] == 0 && id%8 == 0 {
		return 1
	}
	return l.n[id]
}

func (l *list) Remove(id, n uint64) error {
	if n > l.n[id] {
		switch l.defect {
		case removesTooMany:
			return nil
		case removeChanges:
			l.last++
		}
		return errList
	}
	if l.n[id] -= n; l.n[id] == 0 {
		delete(l.n, id)
	}
	if l.defect == removeLeavesMark {
		l.last++
	}
	return nil
}

func (l *list) Union(o Subject) error {
	for id, n := range maps.Clone(o.(*list).n) {
		if l.defect == unionLoses && id%101 == 0 {
			continue
		}
		l.n[id] += n
	}
	if l.defect == touchesSource {
		o.(*list).last++
	}
	return nil
}

func (l *list) UnionBlob(blob []byte) error {
	o, err := decodeList(l.defect, blob)
	if err != nil {
		return err
	}
	return l.Union(o)
}

// kitID is the number of these tests' family.
var kitID = sketch.Define(sketch.Family{ID: 249, Name: "list", Article: "a"}).ID

// Blob is a count, a mark, and pairs in order: 16 bytes each.
func (l *list) Blob() []byte {
	ids := slices.Sorted(maps.Keys(l.n))
	params := binary.LittleEndian.AppendUint64(nil, uint64(len(ids)))
	params = binary.LittleEndian.AppendUint64(params, l.last)
	var body []byte
	for _, id := range ids {
		body = binary.LittleEndian.AppendUint64(body, id)
		body = binary.LittleEndian.AppendUint64(body, l.n[id])
	}
	blob := sketch.Join(sketch.Header{Family: kitID}, params, body)
	if l.raw != nil {
		copy(blob, l.raw[:4])
	}
	return blob
}

func parseList(d defect, blob []byte) (n uint64, b sketch.Blob, err error) {
	if d == takesTail && len(blob) > 0 && blob[len(blob)-1] == 0 {
		if _, _, err := parseList(sound, blob[:len(blob)-1]); err == nil {
			blob = blob[:len(blob)-1]
		}
	}
	if d == anyFamily {
		b, err = sketch.Parse(blob)
	} else {
		b, err = sketch.ParseAs(kitID, blob)
	}
	if err != nil {
		return 0, b, err
	}
	if b.Header != (sketch.Header{Family: b.Family}) {
		return 0, b, sketch.Invalidf("header fields that a list has not")
	}
	r := sketch.NewReader("parameters", b.Params)
	n = r.Uint64()
	mark := r.Uint64()
	if err := r.Done(); err != nil {
		return 0, b, err
	}
	switch {
	case mark != 0 && (d == sound || d == lookDiffers):
		return 0, b, sketch.Invalidf("a mark of %d", mark)
	case d == trustsCount:
		// Capped, so that the test survives; the kit's bound is lower still.
		room := make([]byte, min(16*n, 64<<20))
		_ = room[:0]
	case d == trustsIndex && n > 0:
		_ = b.Body[16*n-1]
	}
	if n > uint64(len(b.Body)) || 16*n != uint64(len(b.Body)) {
		return 0, b, sketch.Invalidf("%d pairs in %d bytes", n, len(b.Body))
	}
	return n, b, nil
}

func decodeList(d defect, blob []byte) (*list, error) {
	n, b, err := parseList(d, blob)
	if err != nil {
		return nil, err
	}
	if d == noChecksum {
		err = nil
	} else if err = sketch.Verify(blob); d == takesTail && err != nil {
		err = sketch.Verify(blob[:len(blob)-1])
	}
	if err != nil {
		return nil, err
	}
	l := &list{defect: d, n: map[uint64]uint64{}, last: binary.LittleEndian.Uint64(b.Params[8:])}
	before := uint64(0)
	for i := range n {
		id := binary.LittleEndian.Uint64(b.Body[16*i:])
		v := binary.LittleEndian.Uint64(b.Body[16*i+8:])
		if d != notCanonical && (v == 0 || i > 0 && id <= before) {
			return nil, sketch.Invalidf("pair %d, key %d, count %d", i, id, v)
		}
		l.n[id] += v
		before = id
	}
	if d == blobAliased {
		l.raw = blob
	}
	return l, nil
}

func listFamily(d defect) Family {
	empty := func() Subject { return &list{defect: d, n: map[uint64]uint64{}} }
	return Family{
		Name: string(d), New: empty, Small: empty,
		Drawn: func(*rand.Rand) func() Subject { return empty },
		Decode: func(blob []byte) (Subject, error) {
			l, err := decodeList(d, blob)
			if err != nil {
				return nil, err
			}
			return l, nil
		},
		Look: func(blob []byte, id uint64) (uint64, error) {
			n, b, err := parseList(d, blob)
			if err != nil {
				return 0, err
			}
			sum := uint64(0)
			for i := range n {
				if binary.LittleEndian.Uint64(b.Body[16*i:]) == id {
					sum += binary.LittleEndian.Uint64(b.Body[16*i+8:])
				}
			}
			if d == lookDiffers && sum > 7 {
				sum++
			}
			return sum, nil
		},
		Check: func(blob []byte) error { _, err := decodeList(d, blob); return err },
		Laws:  Laws{OrderFree: true, UnionCommutes: true, UnionEqualsWhole: true, Deletable: true, Restores: true, Alone: true},
		Load:  100, Keys: 300,
	}
}

func TestKitAcceptsASoundFamily(t *testing.T) { Run(t, listFamily(sound)) }

// failureRecorder is a testing.TB that records the failures that a check reports.
type failureRecorder struct {
	testing.TB
	verdict string
}

func (w *failureRecorder) Helper()             {}
func (w *failureRecorder) Logf(string, ...any) {}
func (w *failureRecorder) Fatal(args ...any)   { w.stop(fmt.Sprint(args...)) }
func (w *failureRecorder) Fatalf(format string, args ...any) {
	w.stop(fmt.Sprintf(format, args...))
}
func (w *failureRecorder) Skip(...any)     { panic(w) }
func (w *failureRecorder) stop(say string) { w.verdict = say; panic(w) }

// judge runs one check and returns what it found: nothing, or a failure, or
// the panic of the family.
func judge(t *testing.T, check func(testing.TB, Family), f Family) (verdict string) {
	w := &failureRecorder{TB: t}
	defer func() {
		if r := recover(); r == any(w) {
			verdict = w.verdict
		} else if r != nil {
			verdict = fmt.Sprintf("panic: %v", r)
		}
	}()
	check(w, f)
	return ""
}

func TestKitFindsDefects(t *testing.T) {
	for d, finders := range map[defect][]string{
		undercounts:      {"Operations"},
		overcounts:       {"Absent"},
		orderMatters:     {"Order"},
		touchesSource:    {"Union"},
		unionLoses:       {"Union", "Operations"},
		removesTooMany:   {"Remove"},
		removeChanges:    {"Remove"},
		removeLeavesMark: {"Remove"},
		blobAliased:      {"Codec"},
		noChecksum:       {"BitFlips"},
		trustsCount:      {"BitFlips", "ResealedFlips"},
		trustsIndex:      {"BitFlips", "ResealedFlips"},
		notCanonical:     {"ResealedFlips"},
		lookDiffers:      {"Codec"},
		takesTail:        {"Truncations"},
		anyFamily:        {"Foreign"},
		meetsItself:      {"Sizes"},
	} {
		for _, c := range checks {
			if !slices.Contains(finders, c.name) {
				continue
			}
			verdict := judge(t, c.check, listFamily(d))
			if verdict == "" {
				t.Errorf("%s does not find a family that %s", c.name, d)
			}
			t.Logf("%s: %s: %s", d, c.name, verdict)
		}
	}
}
