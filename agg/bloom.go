package agg

import (
	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Bloom are the aggregate functions of the Bloom filter.
func Bloom() []duck.Function {
	return BloomKeyed.aggregates(
		"Bloom filter of the keys: a set in about 10 bits per key.",
		"SELECT bloom_contains(bloom_agg(word), 'or') FROM (VALUES ('to'), ('be'), ('or'), ('not'), ('to'), ('be')) t(word)",
		"Union of filters: the filter of all their keys together.",
		"SELECT bloom_contains(bloom_union_agg(s), 3) FROM (SELECT bloom_agg(x % 5) s FROM range(10) t(x) GROUP BY x % 2)")
}

// BloomKeyed is the family to what all families of keyed sketches share.
var BloomKeyed = &Keyed[bloom.Params, *bloom.Sketch]{
	Name: "bloom",
	Settings: []Setting[bloom.Params]{
		whole("capacity", "100000, or with bits and k ln(2) * bits / k", "Distinct keys that the filter is made for, from 1. With more of them more absent keys are found.",
			func(p *bloom.Params) *uint64 { return &p.Capacity }),
		number("fpp", "0.01", "False positive rate: the probability that an absent key is found when the filter is full. From 1e-18 to below 1.",
			func(p *bloom.Params) *float64 { return &p.FPP }),
		whole("bits", "what capacity and fpp need", "Length of the filter, from 1 to 2^33. In place of fpp.",
			func(p *bloom.Params) *uint64 { return &p.Bits }),
		bloomK,
		choice("variant", "'standard': k is a whole number. 'rational': k is any number; the last hash function is used for that part of the keys. "+
			"'blocks': likewise, in blocks of powers of two, which bloom_shrink can drop.",
			func(p *bloom.Params) *bloom.Variant { return &p.Variant }, bloom.Standard, bloom.Rational, bloom.Blocks),
		choice("activation", "What decides on the last hash function of a key where the variant is 'rational': 'hash', bits of the hash that no position depends on, "+
			"or 'position', the position before.",
			func(p *bloom.Params) *bloom.Activation { return &p.Activation }, bloom.ByHash, bloom.ByPosition),
		seed(func(p *bloom.Params) *uint64 { return &p.Seed }),
	},
	Defaults: func(p *bloom.Params) {
		if p.Capacity == 0 && (p.Bits == 0 || p.K == 0) {
			p.Capacity = bloom.DefaultCapacity
		}
		if p.FPP == 0 && p.Bits == 0 {
			p.FPP = bloom.DefaultFPP
		}
	},
	New: bloom.New, Decode: bloom.Decode,
	Add: unfailing((*bloom.Sketch).AddHashes),
}

// bloomK is the option k, which can be 0.
var bloomK = Setting[bloom.Params]{
	args.Option{Name: "k", Kind: args.Number, Default: "ln(2) * bits / capacity",
		Summary: "Hash functions, to 64. A whole number from 1 where the variant is 'standard', its default is rounded up; otherwise any from 0."},
	func(p *bloom.Params, o *args.Options, i, row int) error {
		p.K = o.Float(i, row, 0)
		switch p.K {
		case 0:
			p.K = bloom.NoHashes
		case bloom.NoHashes:
			return sketch.OptionError("k", "is -1, must be from 0 to %d", bloom.MaxK)
		}
		return nil
	},
}
