package sketches

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Point is a place: x is longitude or easting, y latitude or northing.
type Point struct{ X, Y float64 }

// Points are several points for one sketch: Beam's cost per element is then paid
// once for all of them. N and Category are nil or as long as X.
type Points struct {
	X, Y     []float64
	N        []uint64  // how many points each stands for, the option weight; nil: one
	Category [][]byte  // the category of each, in bytes from package key; nil: none
	Class    key.Class // class of the categories
}

var (
	pointType  = reflect.TypeFor[Point]()
	pointsType = reflect.TypeFor[Points]()
)

// places builds a CascadeCBF sketch.
type places struct {
	config ccbf.Config
	b      *ccbf.Builder // nil until a sketch says what it is to be
	keys   []uint64
	added  bool
}

func ccbfMaker(params json.RawMessage) (func() builder, error) {
	var p ccbf.Params
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	c, err := p.Config()
	if err != nil {
		return nil, err
	}
	return func() builder {
		t := &places{}
		t.begin(&c)
		return t
	}, nil
}

func (t *places) begin(c *ccbf.Config) {
	if t.b == nil {
		t.config = *c
		t.b = ccbf.NewBuilder(*c, nil)
		t.b.Hold = min(t.b.Hold, int64(c.Bytes)*ccbf.HoldTree) // before it prunes, or counts in counters
	}
}

func (t *places) id() sketch.ID { return ccbf.Family.ID }

func (t *places) fresh() builder { return &places{} }

func (t *places) empty() bool { return !t.added }

func (t *places) add(input any) error {
	t.added = true
	switch p := input.(type) {
	case Point:
		return t.addPoints(&Points{X: []float64{p.X}, Y: []float64{p.Y}})
	case Points:
		return t.addPoints(&p)
	}
	return fmt.Errorf("%T is neither sketches.Point nor sketches.Points", input)
}

func (t *places) addPoints(p *Points) error {
	n := len(p.X)
	if len(p.Y) != n || p.N != nil && len(p.N) != n || p.Category != nil && len(p.Category) != n {
		return fmt.Errorf("points with %d x, %d y, %d weights and %d categories: the numbers must be equal", n, len(p.Y), len(p.N), len(p.Category))
	}
	if p.Category != nil {
		if err := checkClass(p.Class); err != nil {
			return err
		}
	}
	if p.N == nil && p.Category == nil {
		if cap(t.keys) < n {
			t.keys = make([]uint64, n)
		}
		keys := t.keys[:n]
		if bridge.Keys(&t.config, keys, p.X, p.Y) == n {
			return bridge.AddKeys(t.b, keys)
		}
	}
	for i := range n {
		cell, err := t.config.Grid.Cell(p.X[i], p.Y[i])
		if err != nil {
			return err
		}
		count := uint64(1)
		if p.N != nil {
			count = p.N[i]
		}
		var category []byte
		class := key.None
		if p.Category != nil {
			class = p.Class
			if category = p.Category[i]; category == nil {
				category = []byte{} // an empty category is one
			}
		}
		if err := t.b.Add(cell, category, class, count); err != nil {
			return err
		}
	}
	return nil
}

func (t *places) merge(from builder) error {
	f := from.(*places)
	t.begin(&f.b.Config)
	t.added = true
	return t.b.Merge(f.b)
}

func (t *places) mergeBlob(blob []byte) error {
	v, err := ccbf.NewView(blob)
	if err != nil {
		return err
	}
	t.begin(&v.Config)
	t.added = true
	// The first may have fewer bytes than those to come.
	t.b.Hold = max(t.b.Hold, int64(v.Bytes)*ccbf.HoldTree, ccbf.HoldSketches)
	return t.b.AddView(&v)
}

func (t *places) bytes() ([]byte, error) {
	s, err := t.b.Sketch()
	if err != nil {
		return nil, err
	}
	return s.Blob(), nil
}
