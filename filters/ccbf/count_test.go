package ccbf

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
)

func BenchmarkExactCount(b *testing.B) {
	builder := NewBuilder(must(Params{Res: 1, Bytes: 1 << 26}.Config()), nil)
	keys := crowd(1 << 20)
	if err := builder.addPoints(keys); err != nil {
		b.Fatal(err)
	}
	var v View
	if err := v.Reset(must(builder.Sketch()).Blob()); err != nil {
		b.Fatal(err)
	}
	var sum uint64
	for i := 0; b.Loop(); i++ {
		sum += v.Count(cells.CellOf(0, 0, keys[i*7919%len(keys)]), nil)
	}
	_ = sum
}
