package ccbf

// CategoryNames are the categories that points of the sketch have, in the order of
// their bytes; known is false for counters, which know no names.
func (v *View) CategoryNames() (names []string, known bool) {
	add := func(category []byte) {
		if category != nil && (len(names) == 0 || names[len(names)-1] != string(category)) {
			names = append(names, string(category))
		}
	}
	switch v.Form() {
	case Exact:
		v.cells.EachCategory(add)
	case Tree:
		for i := range v.tree.sections {
			add(v.tree.sections[i].Category)
		}
	default:
		return nil, false
	}
	return names, true
}
