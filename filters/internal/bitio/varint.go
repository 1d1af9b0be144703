package bitio

import (
	"encoding/binary"
	"math/bits"
)

// MostVarint is up to how many bits PutUvarint takes, and VarintRoom how many bytes there must be.
const (
	MostVarint = 56
	VarintRoom = 8
)

// PutUvarint writes a number of up to MostVarint bits as binary.AppendUvarint does, and returns behind how many
// bytes. It has no branch, for nobody foresees how many they are.
func PutUvarint(to []byte, v uint64) int {
	n := uint(bits.Len64(v|1)*9+64) / 64 // a seventh, rounded up
	// Seven bits of each byte: by halves, by quarters, by eighths.
	v = v&(1<<28-1) | v>>28<<32
	v = v&0x0000_3fff_0000_3fff | v&0x0fff_c000_0fff_c000<<2
	v = v&0x007f_007f_007f_007f | v&0x3f80_3f80_3f80_3f80<<1
	const more = 0x8080_8080_8080_8080
	binary.LittleEndian.PutUint64(to, v|more&(1<<(8*(n-1)&63)-1))
	return int(n)
}
