package ccbfsql

import (
	"errors"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func TestInto(t *testing.T) {
	made, err := cms.New(cms.Params{})
	if err != nil {
		t.Fatal(err)
	}
	var s *cms.Sketch
	into := Into(&s, cms.Decode)
	if err := into.Scan(made.Blob()); err != nil || s == nil {
		t.Fatal(err)
	}
	if err := into.Scan(nil); err != nil || s != nil {
		t.Errorf("NULL: %v, %v", s, err)
	}
	s = made
	if err := into.Scan([]byte("no sketch")); !errors.Is(err, sketch.ErrInvalid) || s != nil {
		t.Errorf("%v, %v", s, err)
	}
	if err := into.Scan("text"); err == nil {
		t.Error("text is a sketch")
	}
}
