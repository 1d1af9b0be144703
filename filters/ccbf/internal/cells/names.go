package cells

// EachCategory calls f with the category of each section, in order; sections of the
// same category follow each other. The bytes are those of the body.
func (v *View) EachCategory(f func(category []byte)) {
	for i := range v.sections {
		f(v.sections[i].category)
	}
}
