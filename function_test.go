package ccbfsql

import (
	"errors"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// A function is scalar or aggregate, in all of its overloads.
func TestKinds(t *testing.T) {
	for _, f := range functions {
		for _, o := range f.Overloads {
			if (o.Scalar == nil) == (o.Aggregate == nil) || (o.Scalar == nil) != (f.Overloads[0].Scalar == nil) {
				t.Errorf("%s is both scalar and aggregate, or neither", f.Name)
			}
		}
	}
}

// Who may give options can ask which.
func TestOptionsAreDescribed(t *testing.T) {
	for _, f := range functions {
		for _, o := range f.Overloads {
			for _, p := range o.Params {
				if (p.Name == "options") != (len(p.Options) > 0) {
					t.Errorf("%s: the parameter %s describes %d options", f.Name, p.Name, len(p.Options))
				}
			}
		}
		for _, o := range f.Options() {
			if o.Name == "" || o.Default == "" || o.Summary == "" {
				t.Errorf("%s: %+v", f.Name, o)
			}
		}
	}
}

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
