package report

// Compared are the heads of a page whose claims are comparisons.
var Compared = []string{"what", "published", "ours, the paper's parameters", "ours, our defaults", "bytes: defaults of paper's", "note"}

// Comparison is one published figure and ours beside it; "-" stands where there
// is none.
type Comparison struct {
	What      string // is measured, with its unit
	Published string
	Paper     string // ours with the paper's parameters
	Defaults  string // ours with our defaults
	Bytes     string // that our defaults take, and the paper's parameters
	Note      string // where ours is worse: that it is, and why
}

// Compare adds a comparison to the claims of the section.
func (s *Section) Compare(c Comparison) {
	s.Claim(c.What, c.Published, c.Paper, c.Defaults, c.Bytes, c.Note)
}
