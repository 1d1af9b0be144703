package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
)

// Package bridge does what databases and pipelines need by methods of the types below, which users do
// not see. They are types of their own, so that package ccbf exports no method for it.
func init() {
	hooks.View = func(v any) hooks.ViewMethods { return (*hookedView)(v.(*View)) }
}

type hookedView View

func (v *hookedView) Reader() form.Reader { return (*View)(v).reader() }
func (v *hookedView) Blob() []byte        { return v.blob }
