package advise

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// candidate is a sketch to try on a model.
type candidate struct {
	family, options string
	bytes           uint64                        // of the BLOB
	measure         func(*model) (float64, error) // the error on a model
	err             float64                       // the error on the model of the data
	warning         string                        // a warning for the user
}

// The numbers of counters per key that are tried, in order of preference.
var (
	ccbfK = []int{4, 3, 2, 1, 6}
	cmsK  = []uint64{5, 3, 2, 1}
	sbfK  = []uint64{3, 2, 5}
)

// candidates returns the sketches for the data's kind of keys with their errors, in order of preference.
func (m *model) candidates(d *Data) (all []candidate, err error) {
	if d.Keys {
		all, err = m.keyed(d)
	} else {
		all, err = d.dense()
	}
	for i := range all {
		if err == nil {
			all[i].err, err = all[i].measure(m)
		}
	}
	return all, err
}

// layers is a choice of layers, and its option.
type layers struct {
	widths []int
	option string
}

// denseLayers returns the layers that are tried. These are the default ones and wider ones, because
// with few bits per cell narrow counters are full too soon. If there are too few bytes for both, one
// layer of counters that no count fills is tried.
func (d *Data) denseLayers() (fit []layers) {
	for _, l := range []layers{{nil, ""}, {[]int{8, 16, 32}, ", layers: [8, 16, 32]"}, {[]int{64}, ", layers: [64]"}} {
		if _, err := (ccbf.Params{Res: 1, Bytes: d.Bytes, Widths: l.widths}).Config(); err == nil && len(fit) < 2 {
			fit = append(fit, l)
		}
	}
	return fit
}

// dense returns the candidates that are a CascadeCBF with counters (dense).
func (d *Data) dense() (all []candidate, err error) {
	p := ccbf.Params{Res: 1, Bytes: d.Bytes}
	mode := ""
	if d.Remove {
		p.Mode, mode = ccbf.Standard, ", mode: 'standard'"
	}
	for _, layers := range d.denseLayers() {
		p.Widths = layers.widths
		for _, p.K = range ccbfK {
			config, err := p.Config()
			if err != nil {
				return nil, err
			}
			tried := p
			all = append(all, candidate{
				family: "ccbf", options: fmt.Sprintf("bytes: %d, k: %d%s%s", d.Bytes, p.K, layers.option, mode),
				bytes:   bridge.DenseBytes(&config) + headerBytes,
				measure: func(m *model) (float64, error) { return m.ccbfError(tried) },
			})
		}
	}
	return all, nil
}

// keyed returns the candidates that are sketches of keys: Count-Min Sketches and Spectral Bloom Filters.
func (m *model) keyed(d *Data) (all []candidate, err error) {
	for _, k := range cmsK {
		all = append(all, m.countMin(d, k))
	}
	// If keys are removed, only method ms qualifies: with rm, counts can then be below the truth.
	methods := []sbf.Method{sbf.MI, sbf.RM}
	if d.Remove {
		methods = []sbf.Method{sbf.MS}
	}
	for _, method := range methods {
		for _, k := range sbfK {
			c, err := m.spectral(d, k, method)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// countMin returns a Count-Min Sketch with depth rows.
func (m *model) countMin(d *Data, depth uint64) candidate {
	p := cms.Params{Depth: depth, Conservative: !d.Remove}
	c := candidate{family: "cms", options: fmt.Sprintf("depth: %d", depth)}
	if p.Conservative {
		c.options += ", conservative: true"
	}
	// All counters have the width that the largest counter needs. In a short row many keys share each
	// counter, so the largest counter can be much larger than the largest count.
	word := wordBytes(m.largest)
	body := d.Bytes - sketch.MaxHeader
	p.Width = body / depth / word
	if !p.Conservative {
		word = wordBytes(m.largest + d.Occurrences/p.Width)
		p.Width = body / depth / word
	}
	c.options = fmt.Sprintf("width: %d, ", p.Width) + c.options
	c.bytes = p.Width*depth*word + sketch.MaxHeader
	c.measure = func(m *model) (float64, error) { return m.cmsError(p) }
	return c
}

// wordBytes returns the number of bytes of a word that can hold n: 1, 2, 4 or 8.
func wordBytes(n uint64) uint64 { return 1 << words.Shift(n) }

// spectral returns a Spectral Bloom Filter with k counters per key, in the shortest encoding.
func (m *model) spectral(d *Data, k uint64, method sbf.Method) (candidate, error) {
	p := sbf.Params{K: k, Method: method, Encoding: sbf.Steps}
	c := candidate{family: "sbf"}
	if method == sbf.RM {
		c.warning = "; it keeps all exact counts while it is built, and unions of such sketches are no more accurate than with method 'ms'"
	}
	// width is a guess of the bits of a counter. More counters have smaller values and shorter codes. So
	// the size grows as a power of their number, with an exponent from 1/2 to 1. A step with exponent
	// 1.5, between the inverses 1 and 2, therefore approaches the number that fits. It aims below the bytes,
	// which the sketch must not exceed.
	width, fit := 4.0, p // width is in bits
	for tries := 0; tries < 6 || c.bytes == 0 && tries < 30; tries++ {
		p.Counters = min(max(k, uint64(float64(d.Bytes)*8/width)), sbf.MaxBody/8)
		body, around, err := m.sbfBytes(p)
		if err != nil {
			return c, err
		}
		bytes := body<<m.shift + around
		over := float64(bytes) / float64(d.Bytes)
		if bytes <= d.Bytes && bytes > c.bytes {
			fit, c.bytes = p, bytes
		}
		if over <= 1 && over > 0.99 {
			break
		}
		width *= math.Pow(over*1.003, 1.5)
	}
	p = fit
	c.options = fmt.Sprintf("counters: %d, k: %d, method: '%v', encoding: 'steps'", p.Counters, k, p.Method)
	c.measure = func(m *model) (float64, error) { return m.sbfError(p) }
	return c, nil
}
