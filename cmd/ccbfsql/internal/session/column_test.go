package session

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/duckdb/duckdb-go/v2/mapping"
)

// The driver and this project use the same numbers for types, so that one table has the names of
// both.
func TestTypeNumbers(t *testing.T) {
	for id, want := range map[mapping.Type]duck.TypeID{
		mapping.TypeBoolean: duck.BooleanID, mapping.TypeDouble: duck.DoubleID, mapping.TypeVarchar: duck.VarcharID,
		mapping.TypeBlob: duck.BlobID, mapping.TypeDate: duck.DateID, mapping.TypeTime: duck.TimeID, mapping.TypeTimeTZ: duck.TimeTZID,
		mapping.TypeTimestamp: duck.TimestampID, mapping.TypeTimestampS: duck.TimestampSID, mapping.TypeTimestampMS: duck.TimestampMSID,
		mapping.TypeTimestampNS: duck.TimestampNSID, mapping.TypeTimestampTZ: duck.TimestampTZID, mapping.TypeInterval: duck.IntervalID,
		mapping.TypeUUID: duck.UUIDID, mapping.TypeBit: duck.BitID, mapping.TypeBigNum: duck.BigNumID, mapping.TypeSQLNull: duck.SQLNullID,
		mapping.TypeGeometry: duck.GeometryID, mapping.TypeVariant: duck.VariantID, mapping.TypeFloat: duck.FloatID,
	} {
		if duck.TypeID(id) != want {
			t.Errorf("%v is %d, not %d", want, id, want)
		}
	}
}
