package sketches

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Point is a place: x is longitude or easting, y latitude or northing.
type Point struct{ X, Y float64 }

// Points are several points for one sketch: Beam's cost per element is then paid
// once for all of them. N and Category are empty or as long as X.
type Points struct {
	X, Y     []float64
	N        []uint64  // how many points each stands for, the option weight; empty: one
	Category [][]byte  // the category of each, in bytes from package key; empty: none
	Class    key.Class // class of the categories
}

var (
	pointType  = reflect.TypeFor[Point]()
	pointsType = reflect.TypeFor[Points]()
)

func init() { beam.RegisterCoder(pointsType, encodePoints, decodePoints) }

func encodePoints(p Points) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(p)
	return b.Bytes(), err
}

func decodePoints(b []byte) (p Points, err error) {
	err = gob.NewDecoder(bytes.NewReader(b)).Decode(&p)
	return p, err
}

// places builds a CascadeCBF sketch.
type places struct{ *ccbf.Builder }

func placesMaker(params json.RawMessage) (func() (builder, error), error) {
	var p ccbf.Params
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	c, err := p.Config()
	return func() (builder, error) { return places{ccbf.NewBuilder(c, nil)}, nil }, err
}

func loadPlaces(blob []byte) (builder, error) {
	v, err := ccbf.NewView(blob)
	if err != nil {
		return nil, err
	}
	t := places{ccbf.NewBuilder(v.Config, nil)}
	return t, t.AddView(&v)
}

func (t places) add(input any) error {
	switch p := input.(type) {
	case Point:
		return t.addPoints(&Points{X: []float64{p.X}, Y: []float64{p.Y}})
	case Points:
		return t.addPoints(&p)
	}
	return fmt.Errorf("%T is neither sketches.Point nor sketches.Points", input)
}

func (t places) addPoints(p *Points) error {
	n := len(p.X)
	if len(p.Y) != n || len(p.N) != n && len(p.N) > 0 || len(p.Category) != n && len(p.Category) > 0 {
		return fmt.Errorf("points with %d x, %d y, %d weights and %d categories: the numbers must be equal", n, len(p.Y), len(p.N), len(p.Category))
	}
	if len(p.Category) > 0 {
		if err := checkClass(p.Class); err != nil {
			return err
		}
	}
	for i := range n {
		cell, err := t.Grid.Cell(p.X[i], p.Y[i])
		if err != nil {
			return err
		}
		count := uint64(1)
		if len(p.N) > 0 {
			count = p.N[i]
		}
		var category []byte
		class := key.None
		if len(p.Category) > 0 {
			category, class = append([]byte{}, p.Category[i]...), p.Class // an empty category is one
		}
		if err := t.Add(cell, category, class, count); err != nil {
			return err
		}
	}
	return nil
}

func (t places) unite(blob []byte) error {
	v, err := ccbf.NewView(blob)
	if err != nil {
		return err
	}
	return t.AddView(&v)
}

func (t places) bytes() ([]byte, error) {
	s, err := t.Sketch()
	if err != nil {
		return nil, err
	}
	return s.Blob(), nil
}
