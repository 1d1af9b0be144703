// Package filters lists the families of sketches, each in a package below this
// one, for what works with all of them. docs/ARCHITECTURE.md says what they may import.
package filters

import (
	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/filters/top"
)

// keyedFamilies are the families of sketches of keys. A new one is one line here.
var keyedFamilies = []keyed.Any{
	cms.Family,
	sbf.Family,
	bloom.Family,
	cbf.Family,
	cuckoo.Family,
	top.Family,
}

// Keyed are the families of sketches of keys.
func Keyed() []keyed.Any { return append([]keyed.Any(nil), keyedFamilies...) }

// Families are all families: CascadeCBF, whose keys are places, and those of keys.
func Families() []sketch.Family {
	all := []sketch.Family{ccbf.Family}
	for _, f := range keyedFamilies {
		all = append(all, f.About())
	}
	return all
}
