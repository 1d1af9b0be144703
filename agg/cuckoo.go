package agg

import (
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Cuckoo are the aggregate functions of the cuckoo filter.
func Cuckoo() []duck.Function {
	return CuckooKeyed.aggregates(
		"Cuckoo filter of the keys: a set, or with duplicates a multiset from which keys can be removed. An error where it is full.",
		"SELECT cuckoo_contains(cuckoo_agg(word), 'or') FROM (VALUES ('to'), ('be'), ('or'), ('not'), ('to'), ('be')) t(word)",
		"Union of filters: the filter of all their keys together. An error where they do not fit.",
		"SELECT cuckoo_contains(cuckoo_union_agg(s), 3) FROM (SELECT cuckoo_agg(x % 5) s FROM range(10) t(x) GROUP BY x % 2)")
}

// CuckooKeyed is the family to what all families of keyed sketches share.
var CuckooKeyed = &Keyed[cuckoo.Params, *cuckoo.Sketch]{
	Name: "cuckoo",
	Settings: []Setting[cuckoo.Params]{
		whole("capacity", "100000", "Distinct keys that fit, or with duplicates occurrences. From 1.",
			func(p *cuckoo.Params) *uint64 { return &p.Capacity }),
		whole("fingerprint_bits", "12", "Bits of each key, from 4 to 32: an absent key is found with a probability of about 2 * slots / 2^fingerprint_bits when the filter is full.",
			func(p *cuckoo.Params) *uint64 { return &p.FingerprintBits }),
		whole("slots", "4", "Keys that a bucket holds, from 1 to 8. More of them fill the filter better and make it find more absent keys.",
			func(p *cuckoo.Params) *uint64 { return &p.Slots }),
		choice("variant", "'plain': the number of buckets is a power of two. 'tagged': any even number, so no more bytes than capacity needs.",
			func(p *cuckoo.Params) *cuckoo.Variant { return &p.Variant }, cuckoo.Plain, cuckoo.Tagged),
		flag("variable_length", "Keys use the bits that others do not yet use: fewer absent keys are found while the filter is not full. Needs 2 slots.",
			func(p *cuckoo.Params) *bool { return &p.VariableLength }),
		flag("duplicates", "Make a multiset: every occurrence takes a slot, so that keys can be counted and removed, at most 2 * slots of each.",
			func(p *cuckoo.Params) *bool { return &p.Duplicates }),
		seed(func(p *cuckoo.Params) *uint64 { return &p.Seed }),
	},
	Defaults: func(p *cuckoo.Params) { *p = p.WithDefaults() },
	New:      cuckoo.New, Decode: cuckoo.Decode,
	Add: (*cuckoo.Sketch).AddHashes,
}
