package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// reservation reserves memory of the budget for the sketches of one row, until done.
type reservation struct {
	out   *duck.Result
	bytes int64
}

// take reserves n bytes more. The error wraps duck.ErrBudget.
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
