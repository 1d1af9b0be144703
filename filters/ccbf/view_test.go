package ccbf

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// A view of which the head was read first is, when it is open, as one that was made at once; where
// either cannot be read, it is none of that BLOB and the error is the same.
func TestViewsAreOpenedLater(t *testing.T) {
	refused := 0
	var v View
	for _, sample := range must(samples()) {
		for cut := range min(8, len(sample.Blob)) {
			blob := sample.Blob[:len(sample.Blob)-cut]
			var fresh View
			want := fresh.Reset(blob)
			err := v.resetHead(blob)
			if err == nil {
				if !isOf(&v, blob) {
					t.Fatalf("%s: no view of the BLOB whose head was read", sample.Name)
				}
				err = v.open()
			}
			if want != nil {
				refused++
				if err == nil || err.Error() != want.Error() || isOf(&v, blob) {
					t.Fatalf("%s, %d bytes fewer: %v, at once %v", sample.Name, cut, err, want)
				}
				continue
			}
			must(0, err)
			must(0, v.open()) // once more is nothing
			for x := range int64(5) {
				c := grid.Cell{X: x, Y: x % 2}
				if got, want := v.Count(c, nil), fresh.Count(c, nil); got != want {
					t.Fatalf("%s: %v counts %d, at once %d", sample.Name, c, got, want)
				}
			}
			if v.Bounds != fresh.Bounds || v.Config != fresh.Config || v.header != fresh.header {
				t.Fatalf("%s: %+v, at once %+v", sample.Name, v.Head, fresh.Head)
			}
		}
	}
	if refused == 0 {
		t.Error("every BLOB was read")
	}
}

// isOf reports whether v is a view of this memory.
func isOf(v *View, blob []byte) bool {
	return len(v.blob) == len(blob) && len(blob) > 0 && &v.blob[0] == &blob[0]
}
