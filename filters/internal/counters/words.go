package counters

import "github.com/ccbfsql/ccbfsql/filters/internal/words"

// Words are those in which a Plain array keeps its counters, for loops over many
// of them; B is nil for another encoding. They may be read and written; a word
// keeps its size. Set and Update can put other words in their place.
func Words(a Array) words.Table {
	if p, ok := a.(*plain); ok {
		return p.Table
	}
	return words.Table{}
}

// Words are those of a Plain body, to be read; B is nil for another encoding.
func (v *View) Words() words.Table {
	if v.e != Plain {
		return words.Table{}
	}
	return v.plain
}
