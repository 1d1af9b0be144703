package agg

import (
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// CMS are the aggregate functions of the Count-Min Sketch.
func CMS() []duck.Function {
	return CMSKeyed.aggregates(
		"Count-Min Sketch of how often each key occurs.",
		"SELECT cms_get(cms_agg(word), 'to') FROM (VALUES ('to'), ('be'), ('or'), ('not'), ('to'), ('be')) t(word)",
		"Union of sketches: the sketch of all their keys together.",
		"SELECT cms_get(cms_union_agg(s), 3) FROM (SELECT cms_agg(x % 5) s FROM range(10) t(x) GROUP BY x % 2)")
}

// CMSKeyed is the family to what all families of keyed sketches share.
var CMSKeyed = &Keyed[cms.Params, *cms.Sketch]{
	Name: "cms",
	Settings: []Setting[cms.Params]{
		number("epsilon", "0.001",
			"An estimate is too high by at most epsilon times the total, with a probability of 1 - delta. Between 0 and 1.",
			func(p *cms.Params) *float64 { return &p.Epsilon }),
		number("delta", "0.01", "Probability that an estimate is too high by more than that. Between 0 and 1.",
			func(p *cms.Params) *float64 { return &p.Delta }),
		whole("width", "ceil(e / epsilon)", "Counters of a row, from 1. In place of epsilon.",
			func(p *cms.Params) *uint64 { return &p.Width }),
		whole("depth", "ceil(ln(1 / delta))", "Rows of counters, from 1 to 32. In place of delta.",
			func(p *cms.Params) *uint64 { return &p.Depth }),
		flag("conservative", "Raise only the counters that bound the estimate: closer, but no cms_remove and no cms_join_size.",
			func(p *cms.Params) *bool { return &p.Conservative }),
		seed(func(p *cms.Params) *uint64 { return &p.Seed }),
	},
	Defaults: func(p *cms.Params) {
		if p.Epsilon == 0 && p.Width == 0 {
			p.Epsilon = cms.DefaultEpsilon
		}
		if p.Delta == 0 && p.Depth == 0 {
			p.Delta = cms.DefaultDelta
		}
	},
	New: cms.New, Decode: cms.Decode,
	Add: unfailing((*cms.Sketch).AddHashes),
}
