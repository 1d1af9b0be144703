package advise

import (
	"encoding"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// A trial ends after this many wrong counts, which give the error to about a tenth, or after this many
// keys.
const (
	enoughWrong = 200
	enoughKeys  = 1 << 14
)

// meanError returns the mean of (estimate - count) / count over the keys of the model. estimates builds a
// sketch with a seed and returns its estimates of all keys. meanError calls it with one seed after the
// other, until it has compared enough keys or enough wrong counts.
func (m *model) meanError(estimates func(seed uint64) ([]uint64, error)) (float64, error) {
	sum, wrong, asked := 0.0, 0, 0
	for seed := uint64(0); wrong < enoughWrong && asked < enoughKeys; seed++ {
		got, err := estimates(seed)
		if err != nil {
			return 0, err
		}
		for i, n := range m.counts {
			if got[i] != n {
				wrong++
				sum += (float64(got[i]) - float64(n)) / float64(n)
			}
		}
		asked += len(m.counts)
	}
	return sum / float64(asked), nil
}

// ccbfError returns the mean error of a CascadeCBF of the model that has become counters.
func (m *model) ccbfError(p ccbf.Params) (float64, error) {
	p.Bytes >>= m.shift
	// In a list, at most 2^14 cells at random places among 2^64 take 50 bits each or more. With at most
	// 6 bytes for each cell the list does not fit, and the sketch gets counters.
	if most := 6 * uint64(len(m.counts)); most > 512 {
		p.Bytes = min(p.Bytes, most)
	}
	cells := make([]grid.Cell, len(m.counts))
	for i := range cells {
		// Cells at random places are so far apart that their list is larger than p.Bytes.
		x, y := key.HashUint64(0, uint64(i))
		cells[i] = grid.Cell{X: int64(x>>32) - 1<<30, Y: int64(y>>32) - 1<<30}
	}
	got := make([]uint64, len(cells))
	return m.meanError(func(seed uint64) ([]uint64, error) {
		p.Seed = seed
		c, err := p.Config()
		if err != nil {
			return nil, err
		}
		b := ccbf.NewBuilder(c, nil)
		for i, n := range m.counts {
			if err := b.Add(cells[i], nil, key.None, n); err != nil {
				return nil, err
			}
		}
		s, err := b.Sketch()
		if err != nil {
			return nil, err
		}
		var v ccbf.View
		if err := v.Reset(s.Blob()); err != nil {
			return nil, err
		}
		v.Counts(got, cells, ccbf.Categories{})
		return got, nil
	})
}

// keyed is the interface of sketches of keys.
type keyed interface {
	AddHashes(h1s, h2s, ns []uint64)
	CountHashes(dst, h1s, h2s []uint64)
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// fill adds the model to a sketch of keys, and returns the BLOB.
func (m *model) fill(s keyed, seed uint64) ([]byte, error) {
	h1, h2 := make([]uint64, len(m.stream.keys)), make([]uint64, len(m.stream.keys))
	key.HashUint64s(seed, m.stream.keys, h1, h2)
	s.AddHashes(h1, h2, m.stream.weights)
	return s.MarshalBinary()
}

// keyedError returns the error of a sketch of keys, which empty makes with this seed.
func (m *model) keyedError(empty func(seed uint64) (keyed, error)) (float64, error) {
	got, all := make([]uint64, len(m.counts)), make([]uint64, len(m.counts))
	h1, h2 := make([]uint64, len(all)), make([]uint64, len(all))
	for i := range all {
		all[i] = uint64(i)
	}
	return m.meanError(func(seed uint64) ([]uint64, error) {
		s, err := empty(seed)
		if err != nil {
			return nil, err
		}
		// A sketch of method rm keeps exact counts until its BLOB is made. So the error is measured on the
		// decoded BLOB.
		blob, err := m.fill(s, seed)
		if err == nil {
			err = s.UnmarshalBinary(blob)
		}
		if err != nil {
			return nil, err
		}
		key.HashUint64s(seed, all, h1, h2)
		s.CountHashes(got, h1, h2)
		return got, nil
	})
}

// cmsError returns the error of a Count-Min Sketch.
func (m *model) cmsError(p cms.Params) (float64, error) {
	p.Width = max(1, p.Width>>m.shift)
	return m.keyedError(func(seed uint64) (keyed, error) {
		p.Seed = seed
		return cms.New(p)
	})
}

// scaled returns the parameters of a filter for the model.
func (m *model) scaled(p sbf.Params) sbf.Params {
	p.Counters = max(p.K, p.Counters>>m.shift)
	return p
}

// sbfBytes returns the length of the body of a Spectral Bloom Filter of the model, and the length of
// the other parts.
func (m *model) sbfBytes(p sbf.Params) (body, around uint64, err error) {
	s, err := sbf.NewGathering(m.scaled(p))
	if err != nil {
		return 0, 0, err
	}
	blob, err := m.fill(s, 0)
	if err != nil {
		return 0, 0, err
	}
	b, err := sketch.Parse(blob)
	return uint64(len(b.Body)), uint64(len(blob) - len(b.Body)), err
}

// sbfError returns the error of a Spectral Bloom Filter.
func (m *model) sbfError(p sbf.Params) (float64, error) {
	p = m.scaled(p)
	return m.keyedError(func(seed uint64) (keyed, error) {
		p.Seed = seed
		return sbf.NewGathering(p)
	})
}
