package bitio_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// The bytes are those of encoding/binary, whatever the number of bits.
func TestPutUvarint(t *testing.T) {
	r := rand.New(rand.NewPCG(80, 0))
	for n := range bitio.MostVarint + 1 {
		for i := range 200 {
			v := r.Uint64()>>(64-bitio.MostVarint)>>(bitio.MostVarint-n) | 1<<n>>1
			if i == 0 {
				v = 1 << n >> 1
			}
			got := make([]byte, bitio.VarintRoom)
			if got, want := got[:bitio.PutUvarint(got, v)], binary.AppendUvarint(nil, v); !bytes.Equal(got, want) {
				t.Fatalf("%#x: %x, want %x", v, got, want)
			}
		}
	}
}
