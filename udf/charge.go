package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// making counts against the budget what one row's sketches take, until done.
type making struct {
	out   *duck.Result
	bytes int64
}

func (m *making) take(n int64) error {
	if err := m.out.Charge(n); err != nil {
		return err
	}
	m.bytes += n
	return nil
}

func (m *making) done() {
	m.out.Discharge(m.bytes)
	m.bytes = 0
}

// ccbf is the sketch of a BLOB, with room for that of its result.
func (m *making) ccbf(blob []byte) (*ccbf.Sketch, error) {
	v, err := ccbf.NewView(blob)
	if err != nil {
		return nil, err
	}
	if err := m.take(bridge.Memory(&v) + bridge.ChangeBytes(&v) + int64(len(blob))); err != nil {
		return nil, err
	}
	return v.Sketch()
}
