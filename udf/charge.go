package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// reservation reserves memory of the budget for the sketches of one row, until done.
type reservation struct {
	out   *duck.Result
	bytes int64
}

// take reserves n bytes more. The error wraps memory.ErrBudget.
func (m *reservation) take(n int64) error {
	if err := m.out.Charge(n); err != nil {
		return err
	}
	m.bytes += n
	return nil
}

// done gives all bytes back.
func (m *reservation) done() {
	m.out.Discharge(m.bytes)
	m.bytes = 0
}

// ccbf decodes the sketch of a BLOB. It reserves memory for the sketch, for changes to it, and for the
// BLOB of the result.
func (m *reservation) ccbf(blob []byte) (*ccbf.Sketch, error) {
	v, err := ccbf.NewView(blob)
	if err != nil {
		return nil, err
	}
	if err := m.take(bridge.Memory(&v) + bridge.ChangeBytes(&v) + int64(len(blob))); err != nil {
		return nil, err
	}
	return v.Sketch()
}

// Grow reserves delta more bytes, so that m is the budget of a builder. A negative delta gives bytes
// back.
func (m *reservation) Grow(delta int64) error {
	if delta < 0 {
		m.out.Discharge(-delta)
		m.bytes += delta
		return nil
	}
	return m.take(delta)
}

// keyed decodes a sketch of keys. It reserves memory for the BLOB of the result and for as many copies
// of the sketch, which can be larger than its BLOB.
func (m *reservation) keyed(f keyed.Any, blob []byte, copies int64) (keyed.Sketch, error) {
	if err := m.take(2 * int64(len(blob))); err != nil {
		return nil, err
	}
	s, err := f.Load(blob)
	if err != nil {
		return nil, err
	}
	return s, m.take(copies * int64(s.Bytes()))
}

// encoder is a sketch that becomes a BLOB.
type encoder interface{ Blob() []byte }

// rawBlob is a BLOB that is a result as it is.
type rawBlob []byte

// Blob implements encoder.
func (b rawBlob) Blob() []byte { return b }

// eachSketch writes the sketches that create returns, for the rows without a NULL in the first n arguments.
// Other rows are NULL, and so are rows for which create returns nil. The memory that create reserves is given
// back after each row.
func eachSketch(rows *duck.Rows, n int, out *duck.Result, create func(m *reservation, i int) (encoder, error)) error {
	m := reservation{out: out}
	return eachValidUpTo(rows, n, out, func(i int) error {
		s, err := create(&m, i)
		switch {
		case err != nil:
			return err
		case s == nil:
			out.SetNull(i)
		default:
			out.SetBytes(i, s.Blob())
		}
		m.done()
		return nil
	})
}

// eachPair returns a function that makes a sketch of two BLOBs.
func eachPair(create func(m *reservation, a, b []byte) (encoder, error)) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		return eachSketch(rows, 2, out, func(m *reservation, i int) (encoder, error) {
			return create(m, rows.Col(0).Bytes(i), rows.Col(1).Bytes(i))
		})
	}
}

// eachUnion returns the function X_union. The union with NULL is the other sketch.
func eachUnion(unite func(m *reservation, a, b []byte) (encoder, error)) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		left, right := rows.Col(0), rows.Col(1)
		return eachSketch(rows, 0, out, func(m *reservation, i int) (encoder, error) {
			switch {
			case !left.Valid(i) && !right.Valid(i):
				return nil, nil
			case !left.Valid(i):
				return rawBlob(right.Bytes(i)), nil
			case !right.Valid(i):
				return rawBlob(left.Bytes(i)), nil
			}
			return unite(m, left.Bytes(i), right.Bytes(i))
		})
	}
}
