package udf

import (
	"github.com/ccbfsql/ccbfsql/agg"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Cuckoo are the scalar functions of the cuckoo filter.
func Cuckoo() []duck.Function {
	k := agg.CuckooKeyed
	const (
		q = "cuckoo_agg(x % 3) s FROM range(10) t(x)"
		m = "cuckoo_agg(x % 3, {duplicates: true}) s FROM range(10) t(x)"
	)
	fn := selects("cuckoo")
	return append(keyedFunctions(k, "cuckoo filter", cuckoo.Check),
		fn("cuckoo_remove", duck.Blob, keyedRemove(k, (*cuckoo.Sketch).Remove),
			"Filter with one occurrence of a key less, or with weight of them less; only of a multiset, and only for keys that were added.",
			"cuckoo_count(cuckoo_remove(s, 2), 2) FROM (SELECT "+m+")", params(paramSketch, paramKey), paramOptions),
		fn("cuckoo_contains", duck.Boolean, keyedLookup(cuckoo.NewView, (*cuckoo.View).ContainsHashes),
			"Whether a key may be there: always true for one that was added and not removed.",
			"cuckoo_contains(s, 1) FROM (SELECT "+q+")", params(paramSketch, paramKey)),
		fn("cuckoo_count", duck.UBigInt, keyedLookup(cuckoo.NewView, (*cuckoo.View).CountHashes),
			"Occurrences of a key in a multiset: never below the true number; 1 or 0 in a set.",
			"cuckoo_count(s, 1) FROM (SELECT "+m+")", params(paramSketch, paramKey)),
		keyedInfo("cuckoo", "Every parameter of a filter, how full it is, its bits per key and its false positive rate.",
			"SELECT (cuckoo_info(s)).stored FROM (SELECT "+q+")",
			cuckoo.NewView, (*cuckoo.View).Info, cuckooInfoFields, cuckooInfo),
	)
}

var cuckooInfoFields = []duck.Field{
	{Name: "variant", Type: duck.Varchar},
	{Name: "variable_length", Type: duck.Boolean},
	{Name: "duplicates", Type: duck.Boolean},
	{Name: "capacity", Type: duck.UBigInt},
	{Name: "fingerprint_bits", Type: duck.UBigInt},
	{Name: "slots", Type: duck.UBigInt},
	{Name: "buckets", Type: duck.UBigInt},
	{Name: "stored", Type: duck.UBigInt},
	{Name: "load", Type: duck.Double},
	{Name: "fill", Type: duck.Double},
	{Name: "bits_per_key", Type: duck.Double},
	{Name: "fpp", Type: duck.Double},
}

func cuckooInfo(f *fields, info cuckoo.Info) {
	f.text(info.Variant.String())
	f.flag(info.VariableLength)
	f.flag(info.Duplicates)
	f.count(info.Capacity)
	f.count(info.FingerprintBits)
	f.count(info.Slots)
	f.count(info.Buckets)
	f.count(info.Stored)
	f.float(info.Load)
	f.float(info.Fill)
	if info.Stored == 0 {
		f.null()
	} else {
		f.float(info.BitsPerKey)
	}
	f.float(info.FalsePositiveRate)
}
