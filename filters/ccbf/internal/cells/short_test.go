package cells

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Categories have the numbers in which they were added, whatever their lengths, and others
// have none, alone and many at once.
func TestCategoryNumbers(t *testing.T) {
	r := rand.New(rand.NewPCG(68, 0))
	for _, n := range []int{0, 1, 2, 3, 487, 5000} {
		var c categoryNumbers
		want := make(map[string]uint32)
		add := func(category []byte) {
			if _, ok := want[string(category)]; !ok {
				want[string(category)] = c.add(category)
			}
		}
		var others [][]byte
		for i := range n {
			text := fmt.Sprint(i)
			category := bytes.Repeat([]byte{byte(i)}, r.IntN(2*maxShort-len(text)))
			add(append(category, text...))
			add(key.AppendInt64(nil, int64(i)*1e9))
			others = append(others, append(category, 0), key.AppendInt64(nil, int64(i)*1e9+1))
		}
		if n > 0 {
			add(nil)
			add([]byte{0})
			add(bytes.Repeat([]byte{0xff}, maxShort))
		}
		c.index()
		for category, number := range want {
			if got := c.number([]byte(category)); got != number || int(number) >= len(want) {
				t.Fatalf("%q of %d has number %d, want %d", category, len(want), got, number)
			}
			others = append(others, []byte(category))
		}
		others = append(others, []byte("none"), []byte("none that is short"), []byte{0, 0})
		var short []ShortCategory
		var asked [][]byte
		for _, category := range others {
			number, ok := want[string(category)]
			if !ok {
				number = NoCategory
			}
			if got := c.number(category); got != number {
				t.Fatalf("%q has number %d, want %d", category, got, number)
			}
			if s, ok := shortOf(category); ok {
				short, asked = append(short, s), append(asked, category)
			}
		}
		numbers := make([]uint32, len(short))
		c.numbers(numbers, short)
		for i, category := range asked {
			if got := c.number(category); numbers[i] != got {
				t.Fatalf("%q has number %d among many, %d alone", category, numbers[i], got)
			}
		}
	}
}

// A short category is what DuckDB has of a text: its length in four bytes, the text, and
// zeros. That of an integer is that of its key.
func TestShortCategories(t *testing.T) {
	for n := range maxShort + 2 {
		text := bytes.Repeat([]byte{'x'}, n)
		s, ok := shortOf(text)
		if ok != (n <= maxShort) {
			t.Fatalf("%d bytes: %v", n, ok)
		}
		if !ok {
			continue
		}
		var b []byte
		for _, w := range s {
			b = binary.LittleEndian.AppendUint64(b, w)
		}
		want := append(binary.LittleEndian.AppendUint32(nil, uint32(n)), text...)
		if want = append(want, make([]byte, 16-len(want))...); !bytes.Equal(b, want) {
			t.Errorf("%d bytes are %x, want %x", n, b, want)
		}
	}
	for _, v := range []int64{0, 1, -1, math.MaxInt32, math.MinInt32, math.MaxUint32, math.MaxInt64, math.MinInt64} {
		if want, _ := shortOf(key.AppendInt64(nil, v)); ShortInt(v) != want {
			t.Errorf("%d is %x, want %x", v, ShortInt(v), want)
		}
	}
}
