package report

// Compared are the heads of a page whose claims are comparisons.
var Compared = []string{"what", "published", "ours, the paper's parameters", "ours, our defaults", "bytes: defaults of paper's", "note"}

// Comparison is one published figure and ours beside it; "-" stands where there
// is none.
type Comparison []string

// Compare adds a comparison to the claims of the section: what is measured, with
// its unit, and what was published of it.
func (s *Section) Compare(what, published string) Comparison {
	c := Comparison{what, published, "-", "-", "-", "-"}
	s.claims.rows = append(s.claims.rows, c)
	return c
}

func (c Comparison) set(i int, text string) Comparison {
	c[i] = text
	return c
}

// Paper is ours with the paper's parameters.
func (c Comparison) Paper(text string) Comparison { return c.set(2, text) }

// Defaults is ours with our defaults.
func (c Comparison) Defaults(text string) Comparison { return c.set(3, text) }

// Both is ours with either.
func (c Comparison) Both(text string) Comparison { return c.Paper(text).Defaults(text) }

// Bytes are those that our defaults take, and the paper's parameters.
func (c Comparison) Bytes(text string) Comparison { return c.set(4, text) }

// Note says what is to be known of it.
func (c Comparison) Note(text string) Comparison { return c.set(5, text) }

// Worse notes that ours is worse and why, where it is.
func (c Comparison) Worse(is bool, why string) Comparison {
	if !is {
		return c
	}
	return c.Note("worse: " + why)
}
