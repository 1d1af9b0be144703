package filters_test

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// methods are those that packages of Go ask a sketch for.
type methods interface {
	keyed.Sketch
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
	encoding.TextMarshaler
	encoding.TextUnmarshaler
	sql.Scanner
	driver.Valuer
	fmt.Stringer
	AddString(v string) error
	AddUint64(v uint64) error
	AddTime(t time.Time) error
}

// one is an empty sketch of a family with the parameters of its first sample.
func one(t *testing.T, f keyed.Any) methods {
	t.Helper()
	s, err := f.Make(f.Forms()[0].Params)
	if err != nil {
		t.Fatal(err)
	}
	m, is := s.(methods)
	if !is {
		t.Fatalf("%T lacks a method of %v", s, reflect.TypeFor[methods]())
	}
	return m
}

// zero is a zero value of a sketch's type.
func zero(s methods) methods { return reflect.New(reflect.TypeOf(s).Elem()).Interface().(methods) }

// TestEncodings: encoding, JSON and database/sql return the same sketch. Other input is an error that
// changes nothing.
func TestEncodings(t *testing.T) {
	for _, f := range filters.Keyed() {
		t.Run(f.About().Name, func(t *testing.T) {
			s := one(t, f)
			for i := range uint64(20) {
				if err := s.AddUint64(i % 3); err != nil {
					t.Fatal(err)
				}
			}
			blob := s.Blob()
			if is, err := s.MarshalBinary(); err != nil || !bytes.Equal(is, blob) {
				t.Errorf("MarshalBinary: %x, %v", is, err)
			}
			value, err := driver.DefaultParameterConverter.ConvertValue(s)
			if is, _ := value.([]byte); err != nil || !bytes.Equal(is, blob) {
				t.Errorf("Value: %v, %v", value, err)
			}
			text, err := json.Marshal([]any{s})
			if err != nil {
				t.Fatal(err)
			}
			fromBinary, fromJSON, scanned := zero(s), zero(s), zero(s)
			if err := errors.Join(fromBinary.UnmarshalBinary(blob), json.Unmarshal(text, &[]any{fromJSON}), scanned.Scan(blob)); err != nil {
				t.Fatal(err)
			}
			for _, read := range []methods{fromBinary, fromJSON, scanned} {
				if !bytes.Equal(read.Blob(), blob) {
					t.Errorf("read again it is %x", read.Blob())
				}
				if err := read.AddUint64(7); err != nil { // it is one to go on with
					t.Error(err)
				}
			}
			if words, _ := sketch.Describe(filters.Families(), blob); s.String() != words || words == "" {
				t.Errorf("String: %q", s)
			}

			for _, src := range []any{nil, 7, "text", blob[:len(blob)-1]} {
				if err := s.Scan(src); !errors.Is(err, sketch.ErrInvalid) {
					t.Errorf("Scan of %T: %v", src, err)
				}
			}
			if err := s.UnmarshalText([]byte("no base64!")); !errors.Is(err, sketch.ErrInvalid) {
				t.Error(err)
			}
			if !bytes.Equal(s.Blob(), blob) {
				t.Error("an error changed it")
			}
			field := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "S", Type: reflect.TypeOf(s).Elem()}})).Elem()
			field.Field(0).Set(reflect.ValueOf(s).Elem())
			if in, err := json.Marshal(field.Interface()); err != nil || string(in) != `{"S":`+string(text[1:len(text)-1])+"}" {
				t.Errorf("JSON of a field: %s, %v", in, err)
			}
			if _, err := json.Marshal(zero(s)); err == nil {
				t.Error("JSON of a zero value")
			}
			nothing := reflect.Zero(reflect.TypeOf(s)).Interface()
			if v, err := driver.DefaultParameterConverter.ConvertValue(nothing); v != nil || err != nil {
				t.Errorf("Value of nil: %v, %v", v, err)
			}
			// A sql.Null has the sketch itself, not a pointer to it.
			value, err = driver.DefaultParameterConverter.ConvertValue(reflect.ValueOf(s).Elem().Interface())
			if is, _ := value.([]byte); err != nil || !bytes.Equal(is, blob) {
				t.Errorf("Value of no pointer: %v, %v", value, err)
			}
		})
	}
}

// asked is the answer of one of a sketch's methods for a value.
func asked[T any](t *testing.T, s methods, kind string, v T) (there bool, err error) {
	t.Helper()
	m := reflect.ValueOf(s).MethodByName("Contains" + kind)
	if !m.IsValid() {
		m = reflect.ValueOf(s).MethodByName("Count" + kind)
	}
	if !m.IsValid() {
		t.Fatalf("%T has neither Contains%s nor Count%[2]s", s, kind)
	}
	out := m.Call([]reflect.Value{reflect.ValueOf(v)})
	err, _ = out[1].Interface().(error)
	return !out[0].IsZero(), err
}

// Keys that were added by their bytes, without a class, are found by values of Go with the same bytes.
func TestValuesOfKeysWithoutClass(t *testing.T) {
	for _, f := range filters.Keyed() {
		s := one(t, f)
		if err := f.AddKey(s, []byte("oak"), 7); err != nil {
			t.Fatal(err)
		}
		if there, err := asked(t, s, "String", "oak"); !there || err != nil {
			t.Errorf("%s: %v, %v", f.About().Name, there, err)
		}
	}
}

// The methods for values of Go add the keys that SQL's values of these types have.
func TestValuesOfGo(t *testing.T) {
	noon := time.Date(2024, 2, 29, 12, 0, 0, 250_000_000, time.FixedZone("", 3600))
	for _, f := range filters.Keyed() {
		t.Run(f.About().Name, func(t *testing.T) {
			check := func(class key.Class, b []byte, s methods, err error) {
				t.Helper()
				want := one(t, f)
				if err := errors.Join(err, keyed.BaseOf(want).SetKeyClass(class), f.AddKey(want, b, 1)); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(s.Blob(), want.Blob()) {
					t.Errorf("a %v key makes %x, not %x", class, s.Blob(), want.Blob())
				}
			}
			found := func(there bool, err error) {
				t.Helper()
				if !there || err != nil {
					t.Errorf("%v, %v", there, err)
				}
			}
			s := one(t, f)
			check(key.Text, []byte("London"), s, s.AddString("London"))
			if err := s.AddUint64(1); !errors.Is(err, key.ErrClass) {
				t.Errorf("a number among texts: %v", err)
			}
			n := one(t, f)
			check(key.Int, key.AppendUint64(nil, math.MaxUint64), n, n.AddUint64(math.MaxUint64))
			at := one(t, f)
			check(key.TimestampTZ, key.AppendTimestamp(nil, noon.UnixMicro(), key.Micros), at, at.AddTime(noon))
			local := one(t, f)
			if err := keyed.BaseOf(local).SetKeyClass(key.Timestamp); err != nil {
				t.Fatal(err)
			}
			check(key.Timestamp, key.AppendTimestamp(nil, noon.UnixMicro(), key.Micros), local, local.AddTime(noon))
			found(asked(t, s, "String", "London"))
			found(asked(t, n, "Uint64", uint64(math.MaxUint64)))
			found(asked(t, at, "Time", noon))
			found(asked(t, at, "Time", noon.UTC()))
			found(asked(t, local, "Time", noon))
			if _, err := asked(t, s, "Uint64", uint64(1)); err == nil || !strings.Contains(err.Error(), "VARCHAR") {
				t.Errorf("a number among texts: %v", err)
			}
			if there, err := asked(t, one(t, f), "String", "London"); there || err != nil {
				t.Errorf("of a sketch without keys: %v, %v", there, err)
			}
		})
	}
}
