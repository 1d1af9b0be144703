package session

import (
	"fmt"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// describe returns the columns of a prepared statement and their types in DuckDB. With json, values
// of nested types are JSON.
func describe(p mapping.PreparedStatement, json bool) (columns []render.Column, types []duck.TypeID) {
	for i := range mapping.PreparedStatementColumnCount(p) {
		t := duck.ReadType(mapping.PreparedStatementColumnLogicalType(p, i).Ptr)
		c := render.Column{Name: mapping.PreparedStatementColumnName(p, i), Type: typeName(t), Kind: kindOf(t.ID())}
		if c.Type == "json" || json && isNested(t.ID()) {
			c.Kind = render.JSON
		}
		columns, types = append(columns, c), append(types, t.ID())
	}
	return columns, types
}

// castsOf returns names for the columns of a result, and SQL expressions whose values stream can read.
// These are the columns themselves, or casts to text or JSON. Numbered names distinguish columns of
// the same name.
func castsOf(types []duck.TypeID, json bool) (names, values []string) {
	for i, id := range types {
		name := fmt.Sprintf("c%d", i)
		value := "CAST(" + name + " AS VARCHAR)"
		switch {
		case isPlain(id):
			value = name
		case json && isNested(id):
			value = "CAST(to_json(" + name + ") AS VARCHAR)"
		}
		names, values = append(names, name), append(values, value)
	}
	return names, values
}

// isPlain reports whether stream reads values of the type without a cast.
func isPlain(id duck.TypeID) bool {
	switch id {
	case duck.BigIntID, duck.VarcharID, duck.BlobID, duck.SQLNullID:
		return true
	}
	return false
}

func isNested(id duck.TypeID) bool {
	switch id {
	case duck.ListID, duck.ArrayID, duck.StructID, duck.MapID, duck.UnionID, duck.VariantID:
		return true
	}
	return false
}

func kindOf(id duck.TypeID) render.Kind {
	switch id {
	case duck.BooleanID:
		return render.Bool
	case duck.TinyIntID, duck.SmallIntID, duck.IntegerID, duck.BigIntID, duck.HugeIntID,
		duck.UTinyIntID, duck.USmallIntID, duck.UIntegerID, duck.UBigIntID, duck.UHugeIntID,
		duck.FloatID, duck.DoubleID, duck.DecimalID, duck.BigNumID:
		return render.Number
	case duck.BlobID:
		return render.Blob
	default:
		return render.Text
	}
}

// typeName returns the name of a type as DuckDB's shell prints it, for example int32.
func typeName(t duck.Type) string {
	fields := func() string {
		var out []string
		for _, f := range t.Fields() {
			out = append(out, f.Name+" "+typeName(f.Type))
		}
		return strings.Join(out, ", ")
	}
	if t.Alias() != "" {
		return strings.ToLower(t.Alias())
	}
	switch t.ID() {
	case duck.EnumID:
		return "enum" + strings.TrimPrefix(t.String(), "ENUM")
	case duck.ListID:
		return typeName(t.Elem()) + "[]"
	case duck.ArrayID:
		return fmt.Sprintf("%s[%d]", typeName(t.Elem()), t.Size())
	case duck.MapID:
		return "map(" + typeName(t.Fields()[0].Type) + ", " + typeName(t.Fields()[1].Type) + ")"
	case duck.StructID:
		return "struct(" + fields() + ")"
	case duck.UnionID:
		return "union(" + fields() + ")"
	}
	if width, ok := widths[t.ID()]; ok {
		return width
	}
	return strings.ToLower(strings.Trim(t.String(), `"`)) // DuckDB's name for the type of NULL is "NULL" in quotes
}

// widths are the names of integer types, which DuckDB's shell prints with their number of bits.
var widths = map[duck.TypeID]string{
	duck.TinyIntID: "int8", duck.SmallIntID: "int16", duck.IntegerID: "int32", duck.BigIntID: "int64", duck.HugeIntID: "int128",
	duck.UTinyIntID: "uint8", duck.USmallIntID: "uint16", duck.UIntegerID: "uint32", duck.UBigIntID: "uint64", duck.UHugeIntID: "uint128",
}
