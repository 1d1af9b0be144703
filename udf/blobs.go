package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// ccbf decodes the sketch of a BLOB. It reserves memory for the sketch and as many copies of it, for changes to it,
// and for the BLOB of the result.
func (c *call) ccbf(blob []byte, copies int64) (*ccbf.Sketch, error) {
	v, err := ccbf.NewView(blob)
	if err != nil {
		return nil, err
	}
	if err := c.out.Grow((1+copies)*bridge.Memory(&v) + bridge.ChangeBytes(&v) + int64(len(blob))); err != nil {
		return nil, err
	}
	return v.Sketch()
}

// keyed decodes a sketch of keys. It reserves memory for the BLOB of the result and for as many copies
// of the sketch, which can be larger than its BLOB.
func (c *call) keyed(f keyed.Any, blob []byte, copies int64) (keyed.Sketch, error) {
	if err := c.out.Grow(2 * int64(len(blob))); err != nil {
		return nil, err
	}
	s, err := f.Load(blob)
	if err != nil {
		return nil, err
	}
	return s, c.out.Grow(copies * int64(s.Bytes()))
}

// encoder is a sketch that becomes a BLOB.
type encoder interface{ Blob() []byte }

// rawBlob is a BLOB that is a result as it is.
type rawBlob []byte

// Blob implements encoder.
func (b rawBlob) Blob() []byte { return b }

// eachSketch is each of rows whose result is the sketch that create returns. It is NULL if create returns
// nil.
func (c *call) eachSketch(create func(i int) (encoder, error)) error {
	return c.each(func(i int) error {
		s, err := create(i)
		switch {
		case err != nil:
			return err
		case s == nil:
			c.out.SetNull(i)
		default:
			c.out.SetBytes(i, s.Blob())
		}
		return nil
	})
}

// pair is a function that makes a sketch of two BLOBs.
type pair = func(c *call, a, b []byte) (encoder, error)

// eachPair returns a function of two BLOBs.
func eachPair(create pair) compute {
	return func(c *call) error {
		return c.eachSketch(func(i int) (encoder, error) { return create(c, c.Col(0).Bytes(i), c.Col(1).Bytes(i)) })
	}
}

// eachUnion returns the function X_union. The union with NULL is the other sketch.
func eachUnion(unite pair) compute {
	return func(c *call) error {
		c.needed = 0
		left, right := c.Col(0), c.Col(1)
		return c.eachSketch(func(i int) (encoder, error) {
			switch {
			case !left.Valid(i) && !right.Valid(i):
				return nil, nil
			case !left.Valid(i):
				return rawBlob(right.Bytes(i)), nil
			case !right.Valid(i):
				return rawBlob(left.Bytes(i)), nil
			}
			return unite(c, left.Bytes(i), right.Bytes(i))
		})
	}
}
