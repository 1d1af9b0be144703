package udf

import "github.com/ccbfsql/ccbfsql/internal/duck"

// categoryMemo has the numbers of categories in sketches that are kept, by their values as
// DuckDB has them: a value that was there before, in this chunk or in an earlier one, is
// neither converted nor looked up again. A value is in one of memoWays entries, side by side,
// from where its hash says. It begins small, in the first-level cache, and grows where many
// values miss: two entries for about every category.
type categoryMemo struct {
	typ     duck.TypeID // of the values
	entries []memoEntry // memoWays-1 more than hashes have
	shift   uint        // of a hash, to have an entry
	words   [placePiece][2]uint64

	asked, missed int // in this window
}

type memoEntry struct {
	value  [2]uint64 // the second word of numbers is 0
	serial uint64    // of the sketch; 0 where there is no value
	number uint32
}

const (
	memoWays                 = 4
	minMemoBits, maxMemoBits = 9, 14
	// memoWindow is after how many values is asked whether one in memoShare of them missed.
	memoWindow, memoShare = 1 << 13, 16
)

// size makes room for 2^bits values, and forgets all.
func (m *categoryMemo) size(bits int) {
	m.entries, m.shift = make([]memoEntry, 1<<bits+memoWays-1), uint(64-bits)
	m.asked, m.missed = 0, 0
}

// grow looks after each window whether more room would help.
func (m *categoryMemo) grow() {
	if m.asked < memoWindow {
		return
	}
	if bits := 64 - int(m.shift); m.missed > m.asked/memoShare && bits < maxMemoBits {
		m.size(min(bits+2, maxMemoBits))
	}
	m.asked, m.missed = 0, 0
}

// longText stands for a text of which DuckDB has no value, but an address, which says
// nothing. It is no value: a number has a second word of 0, and no text is so long.
var longText = [2]uint64{1<<64 - 1, 1<<64 - 1}

// numbers writes the numbers of the categories v of rows in a sketch that is kept.
func (m *categoryMemo) numbers(r *ccbfReader, k *keptSketch, v *duck.Vector, rows, dst []uint32) error {
	typ := v.Type().ID()
	if m.entries == nil {
		m.size(minMemoBits)
	} else if m.typ != typ {
		clear(m.entries)
	}
	m.typ = typ
	for len(rows) > 0 {
		n := min(len(rows), placePiece)
		if err := m.piece(r, k, v, rows[:n], dst[:n]); err != nil {
			return err
		}
		m.asked += n
		m.grow()
		rows, dst = rows[n:], dst[n:]
	}
	return nil
}

func (m *categoryMemo) piece(r *ccbfReader, k *keptSketch, v *duck.Vector, rows, dst []uint32) error {
	words := m.words[:len(rows)]
	switch m.typ {
	case duck.IntegerID, duck.UIntegerID, duck.DateID:
		values := duck.Slice[uint32](v)
		for i, row := range rows {
			words[i] = [2]uint64{uint64(values[row])}
		}
	case duck.BigIntID, duck.UBigIntID, duck.TimestampID:
		values := duck.Slice[uint64](v)
		for i, row := range rows {
			words[i] = [2]uint64{values[row]}
		}
	case duck.VarcharID, duck.BlobID:
		for i, row := range rows {
			w, ok := v.Inline(int(row))
			if !ok {
				w = longText
			}
			words[i] = w
		}
	default:
		return numbersOf(r, k, rows, dst)
	}
	for i := range words {
		w := &words[i]
		at := ((w[0] ^ (w[1]+k.serial)*0xd6e8_feb8_6659_fd93) * 0x9e37_79b9_7f4a_7c15) >> (m.shift & 63)
		ways := (*[memoWays]memoEntry)(m.entries[at:])
		if e := &ways[0]; e.value == *w && e.serial == k.serial { // as most are
			dst[i] = e.number
			continue
		}
		if n, ok := numberIn(ways, w, k.serial); ok {
			dst[i] = n
			continue
		}
		m.missed++
		if err := numbersOf(r, k, rows[i:i+1], dst[i:i+1]); err != nil {
			return err
		}
		if *w != longText {
			*wayFor(ways, m.missed%memoWays) = memoEntry{*w, k.serial, dst[i]}
		}
	}
	return nil
}

// numberIn is the number of a value that is in one of its entries.
func numberIn(ways *[memoWays]memoEntry, value *[2]uint64, serial uint64) (uint32, bool) {
	for i := range ways {
		if e := &ways[i]; e.value == *value && e.serial == serial {
			return e.number, true
		}
	}
	return 0, false
}

// wayFor is an entry that is empty; otherwise the one with the number full.
func wayFor(ways *[memoWays]memoEntry, full int) *memoEntry {
	for i := range ways {
		if ways[i].serial == 0 {
			return &ways[i]
		}
	}
	return &ways[full]
}

// numbersOf looks up the numbers of the categories of rows in a sketch that is kept.
func numbersOf(r *ccbfReader, k *keptSketch, rows, dst []uint32) error {
	for i, row := range rows {
		b, err := r.category.Bytes(int(row), k.Class())
		if err != nil {
			return err
		}
		dst[i] = k.Category(b)
	}
	return nil
}
