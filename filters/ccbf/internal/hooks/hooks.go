// Package hooks lets package bridge use what package ccbf does not export. Its variables are set by
// package ccbf, which neither imports bridge nor can be imported here: so values of its types are
// passed as any, and bridge has functions for them with types.
package hooks

import "github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"

// View returns the methods of a *ccbf.View that users do not see.
var View func(v any) ViewMethods

// ViewMethods are the methods of a View that users do not see.
type ViewMethods interface {
	// Reader returns the reader of its form.
	Reader() form.Reader
	// Blob returns the memory that it is a view of.
	Blob() []byte
}
