package bridge

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Between returns, in order, the keys of a sketch's categories from key from to key to, both included.
// Both keys belong to the class of the sketch. Errors come from View.ListCategories, or say that the
// class has no order.
func Between(v *ccbf.View, from, to []byte) ([][]byte, error) {
	class := v.Class()
	if class != key.None && !class.Ordered() {
		return nil, fmt.Errorf("a range of %v categories, which have no order: give a list of them", class)
	}
	return CategoriesWhere(v, func(c []byte) bool {
		low, ok := key.Compare(class, from, c)
		high, known := key.Compare(class, c, to)
		return ok && known && low <= 0 && high <= 0
	})
}

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
