package duck

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// TypeID is the number of a type in DuckDB's C API.
type TypeID int

// The ids of DuckDB's types. Ids above 36 are newer than the C API v1.2.0: types of arguments can
// have them, but no function is registered with them.
const (
	BooleanID     TypeID = 1
	TinyIntID     TypeID = 2
	SmallIntID    TypeID = 3
	IntegerID     TypeID = 4
	BigIntID      TypeID = 5
	UTinyIntID    TypeID = 6
	USmallIntID   TypeID = 7
	UIntegerID    TypeID = 8
	UBigIntID     TypeID = 9
	FloatID       TypeID = 10
	DoubleID      TypeID = 11
	TimestampID   TypeID = 12
	DateID        TypeID = 13
	TimeID        TypeID = 14
	IntervalID    TypeID = 15
	HugeIntID     TypeID = 16
	VarcharID     TypeID = 17
	BlobID        TypeID = 18
	DecimalID     TypeID = 19
	TimestampSID  TypeID = 20
	TimestampMSID TypeID = 21
	TimestampNSID TypeID = 22
	EnumID        TypeID = 23
	ListID        TypeID = 24
	StructID      TypeID = 25
	MapID         TypeID = 26
	UUIDID        TypeID = 27
	UnionID       TypeID = 28
	BitID         TypeID = 29
	TimeTZID      TypeID = 30
	TimestampTZID TypeID = 31
	UHugeIntID    TypeID = 32
	ArrayID       TypeID = 33
	AnyID         TypeID = 34
	BigNumID      TypeID = 35
	SQLNullID     TypeID = 36
	TimeNSID      TypeID = 39
	// The values of GEOMETRY, since DuckDB 1.5, are WKB in a string. Before it, the spatial extension had
	// an alias GEOMETRY of BLOB with another layout.
	GeometryID TypeID = 40
	VariantID  TypeID = 41
)

// Type is a logical type of DuckDB. Compare simple types with ==, and nested ones by String.
type Type struct {
	id TypeID
	d  *detail // what else belongs to the type; nil for simple types without an alias
}

// detail is the parameters of a type beside its id.
type detail struct {
	alias        string   // name of a type over another one, such as "JSON".
	fields       []Field  // STRUCT, UNION; key and value of a MAP.
	elem         Type     // LIST, ARRAY
	size         uint64   // length of an ARRAY, number of texts of an ENUM.
	width, scale uint8    // DECIMAL
	stored       TypeID   // DECIMAL, ENUM: the type of the integers that hold the values.
	texts        []string // ENUM; nil in the type of a column of arguments
}

// Field is a field of a STRUCT.
type Field struct {
	Name string
	Type Type
}

// The types of parameters and results of functions.
var (
	Any      = Type{id: AnyID}
	Boolean  = Type{id: BooleanID}
	BigInt   = Type{id: BigIntID}
	UTinyInt = Type{id: UTinyIntID}
	UBigInt  = Type{id: UBigIntID}
	UHugeInt = Type{id: UHugeIntID}
	Double   = Type{id: DoubleID}
	Varchar  = Type{id: VarcharID}
	Blob     = Type{id: BlobID}
	Geometry = Type{id: GeometryID}
)

// ListOf returns the type elem[].
func ListOf(elem Type) Type {
	return Type{id: ListID, d: &detail{elem: elem}}
}

// StructOf returns the type STRUCT(fields...).
func StructOf(fields ...Field) Type {
	return Type{id: StructID, d: &detail{fields: fields}}
}

// ID returns the number of the type.
func (t Type) ID() TypeID { return t.id }

var noDetail detail

// parameters returns what belongs to the type beside its id, empty for simple types.
func (t Type) parameters() *detail {
	if t.d == nil {
		return &noDetail
	}
	return t.d
}

// Alias returns the name of a type over another one, such as JSON, or "".
func (t Type) Alias() string { return t.parameters().alias }

// Fields returns the fields of a STRUCT, the members of a UNION, or key and value of a MAP.
func (t Type) Fields() []Field { return t.parameters().fields }

// Elem returns the type of the elements of a LIST or an ARRAY.
func (t Type) Elem() Type { return t.parameters().elem }

// Size returns the length of an ARRAY, or the number of texts of an ENUM.
func (t Type) Size() uint64 { return t.parameters().size }

// Decimal returns the number of digits of a DECIMAL, and how many of them are behind the point.
func (t Type) Decimal() (width, scale uint8) {
	d := t.parameters()
	return d.width, d.scale
}

// Stored returns the type of the values in the memory of a vector: an integer for DECIMAL and ENUM.
func (t Type) Stored() TypeID { return cmp.Or(t.parameters().stored, t.id) }

// plainTypes has the types without parameters, with their names in SQL. width is the number of bytes of a
// value in the memory of its vector, 0 if it is not known.
var plainTypes = map[TypeID]struct {
	name  string
	width int
}{
	BooleanID: {"BOOLEAN", 1}, TinyIntID: {"TINYINT", 1}, SmallIntID: {"SMALLINT", 2}, IntegerID: {"INTEGER", 4}, BigIntID: {"BIGINT", 8},
	UTinyIntID: {"UTINYINT", 1}, USmallIntID: {"USMALLINT", 2}, UIntegerID: {"UINTEGER", 4}, UBigIntID: {"UBIGINT", 8},
	HugeIntID: {"HUGEINT", 16}, UHugeIntID: {"UHUGEINT", 16}, FloatID: {"FLOAT", 4}, DoubleID: {"DOUBLE", 8},
	DateID: {"DATE", 4}, TimeID: {"TIME", 8}, TimeNSID: {"TIME_NS", 8}, TimeTZID: {"TIME WITH TIME ZONE", 8}, IntervalID: {"INTERVAL", 16},
	TimestampID: {"TIMESTAMP", 8}, TimestampSID: {"TIMESTAMP_S", 8}, TimestampMSID: {"TIMESTAMP_MS", 8}, TimestampNSID: {"TIMESTAMP_NS", 8},
	TimestampTZID: {"TIMESTAMP WITH TIME ZONE", 8}, VarcharID: {"VARCHAR", 16}, BlobID: {"BLOB", 16}, BitID: {"BIT", 16}, BigNumID: {"BIGNUM", 16},
	GeometryID: {"GEOMETRY", 16}, UUIDID: {"UUID", 16}, SQLNullID: {"\"NULL\"", 4}, AnyID: {"ANY", 0}, VariantID: {"VARIANT", 0},
}

// String returns the type in SQL.
func (t Type) String() string {
	if alias := t.Alias(); alias != "" {
		return alias
	}
	switch t.id {
	case DecimalID:
		w, s := t.Decimal()
		return "DECIMAL(" + strconv.Itoa(int(w)) + "," + strconv.Itoa(int(s)) + ")"
	case EnumID:
		var quoted []string
		for _, s := range t.parameters().texts {
			quoted = append(quoted, "'"+strings.ReplaceAll(s, "'", "''")+"'")
		}
		return strings.TrimSuffix("ENUM("+strings.Join(quoted, ", ")+")", "()")
	case ListID:
		return t.Elem().String() + "[]"
	case ArrayID:
		return t.Elem().String() + "[" + strconv.FormatUint(t.Size(), 10) + "]"
	case MapID:
		return "MAP(" + t.Fields()[0].Type.String() + ", " + t.Fields()[1].Type.String() + ")"
	case StructID, UnionID:
		word := "STRUCT("
		if t.id == UnionID {
			word = "UNION("
		}
		parts := make([]string, len(t.Fields()))
		for i, f := range t.Fields() {
			parts[i] = quoteName(f.Name) + " " + f.Type.String()
		}
		return word + strings.Join(parts, ", ") + ")"
	}
	return t.id.String()
}

// String returns the name of the type in SQL, without parameters.
func (id TypeID) String() string {
	return cmp.Or(plainTypes[id].name, "type "+strconv.Itoa(int(id)))
}

// plainName matches names that need no quotes in SQL.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// quoteName quotes a name for SQL, unless it is a plain identifier.
func quoteName(name string) string {
	if plainName.MatchString(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
