package session

import (
	"fmt"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/render"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// column is a column of a result with the number of its DuckDB type.
type column struct {
	render.Column
	id mapping.Type
}

// describe returns the columns of a prepared statement. plain is true if stream can read all of
// them without a cast.
func describe(p mapping.PreparedStatement) (columns []column, plain bool) {
	plain = true
	for i := range mapping.PreparedStatementColumnCount(p) {
		t := mapping.PreparedStatementColumnLogicalType(p, i)
		c := column{id: mapping.GetTypeId(t)}
		c.Name = mapping.PreparedStatementColumnName(p, i)
		c.Type = typeName(t)
		c.Kind = kindOf(c.id)
		if c.Type == "json" {
			c.Kind = render.JSON
		}
		mapping.DestroyLogicalType(&t)
		plain = plain && isPlain(c.id)
		columns = append(columns, c)
	}
	return columns, plain
}

// value returns the SQL expression whose values stream can read: the column itself, or a cast to
// text or JSON.
func (c column) value(name string, o RunOptions) string {
	switch {
	case isPlain(c.id):
		return name
	case o.JSON && isNested(c.id):
		return "CAST(to_json(" + name + ") AS VARCHAR)"
	default:
		return "CAST(" + name + " AS VARCHAR)"
	}
}

// shown returns the columns as package render needs them.
func shown(columns []column, json bool) []render.Column {
	out := make([]render.Column, len(columns))
	for i, c := range columns {
		out[i] = c.Column
		if json && isNested(c.id) {
			out[i].Kind = render.JSON
		}
	}
	return out
}

// isPlain reports whether stream reads values of the type without a cast.
func isPlain(id mapping.Type) bool {
	switch id {
	case mapping.TypeBigInt, mapping.TypeVarchar, mapping.TypeBlob, mapping.TypeSQLNull:
		return true
	}
	return false
}

func isNested(id mapping.Type) bool {
	switch id {
	case mapping.TypeList, mapping.TypeArray, mapping.TypeStruct, mapping.TypeMap, mapping.TypeUnion, mapping.TypeVariant:
		return true
	}
	return false
}

func kindOf(id mapping.Type) render.Kind {
	switch id {
	case mapping.TypeBoolean:
		return render.Bool
	case mapping.TypeTinyInt, mapping.TypeSmallInt, mapping.TypeInteger, mapping.TypeBigInt, mapping.TypeHugeInt,
		mapping.TypeUTinyInt, mapping.TypeUSmallInt, mapping.TypeUInteger, mapping.TypeUBigInt, mapping.TypeUHugeInt,
		mapping.TypeFloat, mapping.TypeDouble, mapping.TypeDecimal, mapping.TypeBigNum:
		return render.Number
	case mapping.TypeBlob:
		return render.Blob
	default:
		return render.Text
	}
}

// typeName returns the name of a type as DuckDB's shell prints it, for example int32.
func typeName(t mapping.LogicalType) string {
	if alias := mapping.LogicalTypeGetAlias(t); alias != "" {
		return strings.ToLower(alias)
	}
	id := mapping.GetTypeId(t)
	switch id {
	case mapping.TypeDecimal:
		return fmt.Sprintf("decimal(%d,%d)", mapping.DecimalWidth(t), mapping.DecimalScale(t))
	case mapping.TypeEnum:
		var values []string
		for i := range mapping.EnumDictionarySize(t) {
			values = append(values, "'"+strings.ReplaceAll(mapping.EnumDictionaryValue(t, mapping.IdxT(i)), "'", "''")+"'")
		}
		return "enum(" + strings.Join(values, ", ") + ")"
	case mapping.TypeList:
		return child(mapping.ListTypeChildType(t)) + "[]"
	case mapping.TypeArray:
		return fmt.Sprintf("%s[%d]", child(mapping.ArrayTypeChildType(t)), mapping.ArrayTypeArraySize(t))
	case mapping.TypeMap:
		return "map(" + child(mapping.MapTypeKeyType(t)) + ", " + child(mapping.MapTypeValueType(t)) + ")"
	case mapping.TypeStruct:
		var fields []string
		for i := range mapping.StructTypeChildCount(t) {
			fields = append(fields, mapping.StructTypeChildName(t, i)+" "+child(mapping.StructTypeChildType(t, i)))
		}
		return "struct(" + strings.Join(fields, ", ") + ")"
	case mapping.TypeUnion:
		var members []string
		for i := range mapping.UnionTypeMemberCount(t) {
			members = append(members, mapping.UnionTypeMemberName(t, i)+" "+child(mapping.UnionTypeMemberType(t, i)))
		}
		return "union(" + strings.Join(members, ", ") + ")"
	}
	if width, ok := widths[id]; ok {
		return width
	}
	return strings.ToLower(strings.Trim(duck.TypeID(id).String(), `"`)) // DuckDB's name for the type of NULL is "NULL" in quotes
}

func child(t mapping.LogicalType) string {
	defer mapping.DestroyLogicalType(&t)
	return typeName(t)
}

// widths are the names of integer types, which DuckDB's shell prints with their number of bits.
var widths = map[mapping.Type]string{
	mapping.TypeTinyInt: "int8", mapping.TypeSmallInt: "int16", mapping.TypeInteger: "int32", mapping.TypeBigInt: "int64", mapping.TypeHugeInt: "int128",
	mapping.TypeUTinyInt: "uint8", mapping.TypeUSmallInt: "uint16", mapping.TypeUInteger: "uint32", mapping.TypeUBigInt: "uint64", mapping.TypeUHugeInt: "uint128",
}
