package bridge

import "github.com/ccbfsql/ccbfsql/filters/ccbf"

// CategoriesWhere returns the keys of a sketch's categories for which is returns true, in order.
// key.CutField reads the fields of STRUCTs. Errors come from View.ListCategories.
func CategoriesWhere(v *ccbf.View, is func(category []byte) bool) ([][]byte, error) {
	list, err := v.ListCategories()
	if err != nil {
		return nil, err
	}
	var keys [][]byte
	for _, c := range list {
		if is(c.Key) {
			keys = append(keys, c.Key)
		}
	}
	return keys, nil
}
