package key

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// value is a value of a class, for STRUCTs: nil is NULL.
type value struct {
	class  Class
	b      []byte
	fields []value // of a STRUCT
	null   bool
}

func of(c Class, b []byte) value { return value{class: c, b: b} }

func structOf(fields ...value) value {
	classes := make([]Class, len(fields))
	for i, f := range fields {
		classes[i] = f.class
	}
	c, ok := Struct(classes...)
	if !ok {
		panic("no class")
	}
	return value{class: c, fields: fields}
}

func (v value) orNull() value { v.null = true; return v }

func (v value) bytes() (b []byte) {
	for _, f := range v.fields {
		switch {
		case f.null:
			b = AppendNullField(b)
		case f.class.IsStruct():
			b = append(AppendStructField(b), f.bytes()...)
		default:
			b = AppendField(b, f.b)
		}
	}
	return b
}

func TestStructClasses(t *testing.T) {
	pair, _ := Struct(Int, Text)
	nested, _ := Struct(pair, Date)
	for text, c := range map[string]Class{
		"STRUCT(BIGINT, VARCHAR)":               pair,
		"STRUCT(STRUCT(BIGINT, VARCHAR), DATE)": nested,
	} {
		if c.String() != text || !c.Known() || !c.IsStruct() {
			t.Errorf("%#x is %v, known %v, want %s", uint64(c), c, c.Known(), text)
		}
	}
	// docs/FORMAT.md
	if pair != 0x31e || nested != 0x6f31ee {
		t.Errorf("%#x, %#x", uint64(pair), uint64(nested))
	}
	classes := slices.Repeat([]Class{TimeTZ}, MaxParts)
	if c, ok := Struct(classes...); !ok || !c.Known() || strings.Count(c.String(), "TIMETZ") != MaxParts {
		t.Errorf("%d fields: %v, %v", MaxParts, c, ok)
	}
	for _, fields := range [][]Class{nil, {None}, {pair, pair, pair, pair}, slices.Repeat([]Class{Int}, MaxParts+1), {lastClass + 1}, {Class(structBegins)}} {
		if c, ok := Struct(fields...); ok {
			t.Errorf("%v is %v", fields, c)
		}
	}
	for _, c := range []Class{14, 15, 0x1f, 0xfe, 0xee, 0xfee, 0x1ee, 0xf1e, 0x10e, 0xfff1ee, 0x11ee} {
		if c.Known() {
			t.Errorf("class %#x is known as %v", uint64(c), c)
		}
	}
}

func TestStructBytes(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 300)
	v := structOf(of(Int, AppendInt64(nil, 1)), of(Text, []byte("oak")), structOf(of(Text, nil), of(Date, nil).orNull()), of(Text, long))
	b := v.bytes()
	want := "\x09\x01\x00\x00\x00\x00\x00\x00\x00\x04oak\x01\x01\x00\xad\x02" + string(long)
	if string(b) != want {
		t.Errorf("%q, want %q", b, want)
	}
	for n := range long { // the length takes one byte or two
		want := append(binary.AppendUvarint([]byte("before"), uint64(n)+1), long[:n]...)
		if got := AppendField([]byte("before"), long[:n]); !bytes.Equal(got, want) {
			t.Fatalf("%d bytes: %x", n, got)
		}
	}
	if got := Format(v.class, b); got != `(1, oak, ('', NULL), `+string(long)+`)` {
		t.Error(got)
	}
}

func TestStructConvert(t *testing.T) {
	from := structOf(of(Decimal, AppendDecimal(nil, 25, 0, 1)), structOf(of(Text, []byte("oak"))), of(Int, nil).orNull(), of(Date, AppendDate(nil, 1)))
	to := structOf(of(Float, AppendFloat64(nil, 2.5)), structOf(of(Blob, []byte("oak"))), of(Float, nil).orNull(), of(Timestamp, AppendTimestamp(nil, 86400, Seconds)))
	got, err := Convert([]byte("before"), from.class, to.class, from.bytes())
	if err != nil || string(got) != "before"+string(to.bytes()) {
		t.Errorf("%x, %v, want %x", got, err, to.bytes())
	}
	missing := structOf(of(Int, nil), structOf(of(Text, nil)).orNull(), of(Int, nil).orNull(), of(Date, nil).orNull())
	missing.fields[0].null = true
	if got, err := Convert(nil, missing.class, to.class, missing.bytes()); err != nil || string(got) != "\x00\x00\x00\x00" {
		t.Errorf("%x, %v", got, err)
	}
	one := structOf(of(Int, AppendInt64(nil, 1)))
	for _, c := range []struct {
		from, to value
		text     string
	}{
		{from, one, "a STRUCT(DECIMAL, STRUCT(VARCHAR), BIGINT, DATE) key does not fit a sketch of STRUCT(BIGINT) keys"},
		{structOf(of(Decimal, AppendDecimal(nil, 25, 0, 1))), one, "a STRUCT(DECIMAL) key does not fit a sketch of STRUCT(BIGINT) keys: (2.5) is not exactly a STRUCT(BIGINT)"},
		{structOf(one), one, "a STRUCT(STRUCT(BIGINT)) key does not fit a sketch of STRUCT(BIGINT) keys: pass the value alone, without the STRUCT"},
		{of(Int, AppendInt64(nil, 1)), one, "a BIGINT key does not fit a sketch of STRUCT(BIGINT) keys"},
		{one, structOf(of(Text, nil)), "a STRUCT(BIGINT) key does not fit a sketch of STRUCT(VARCHAR) keys"},
	} {
		if _, err := Convert(nil, c.from.class, c.to.class, c.from.bytes()); !errors.Is(err, ErrClass) || err.Error() != c.text {
			t.Errorf("%v, want %s", err, c.text)
		}
	}
}

// Different values have different bytes, whatever their fields hold.
func TestStructApart(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	seen := map[string]string{}
	for range 20_000 {
		var fields []value
		for range 3 {
			v := of(Text, bytes.Repeat([]byte{byte(r.IntN(3))}, r.IntN(3)))
			if r.IntN(4) == 0 {
				v = of(Text, nil).orNull()
			}
			fields = append(fields, v)
		}
		inner := structOf(fields[1:]...)
		inner.null = r.IntN(4) == 0
		v := structOf(fields[0], inner)
		what := fmt.Sprint(fields[0])
		if inner.null {
			what += "NULL"
		} else {
			what += fmt.Sprint(inner)
		}
		b := string(v.bytes())
		if before, ok := seen[b]; ok && before != what {
			t.Fatalf("%x is %s and %s", b, before, what)
		}
		seen[b] = what
	}
}

// Bytes that are no key of their class are an error, not a panic.
func FuzzConvert(f *testing.F) {
	f.Add(uint64(Int), uint64(Float), []byte("12345678"))
	f.Add(uint64(Decimal), uint64(Float), []byte("123456789"))
	f.Add(uint64(Decimal), uint64(Int), append([]byte{1}, make([]byte, 17)...))
	v := structOf(of(Int, AppendInt64(nil, 1)), structOf(of(Text, []byte("oak")), of(Decimal, nil).orNull()))
	f.Add(uint64(v.class), uint64(v.class), v.bytes())
	f.Fuzz(func(t *testing.T, from, to uint64, b []byte) {
		x, y := Class(from), Class(to)
		if !x.Known() || !y.Known() {
			return
		}
		_ = Format(x, b)
		if got, err := Convert(nil, x, y, b); err != nil && (!errors.Is(err, ErrClass) || err.Error() == "" || len(got) != 0) {
			t.Fatalf("%v to %v: %x, error %v", x, y, got, err)
		}
	})
}

// The examples of docs/FORMAT.md.
func TestStructFormat(t *testing.T) {
	page, err := os.ReadFile("../../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	has := func(claim string) {
		if !strings.Contains(string(page), claim) {
			t.Errorf("docs/FORMAT.md does not have %s", claim)
		}
	}
	one := AppendInt64(nil, 1)
	for _, c := range []struct {
		v           value
		class, text string
	}{
		{structOf(of(Int, one), of(Text, []byte("oak"))), "0x31e", "`09 0100000000000000 04 6f616b`"},
		{structOf(of(Int, nil).orNull(), of(Text, nil)), "0x31e", "`00 01`"},
		{structOf(structOf(of(Int, one), of(Int, nil).orNull()), of(Date, AppendDate(nil, 1))), "0x6f11ee", "`01 09 0100000000000000 00 09 0100000000000000`"},
	} {
		has(c.text)
		if got := fmt.Sprintf("%#x", uint64(c.v.class)); got != c.class {
			t.Errorf("class %s, want %s", got, c.class)
		}
		has(c.class)
		if want, _ := hex.DecodeString(strings.NewReplacer(" ", "", "`", "").Replace(c.text)); !bytes.Equal(want, c.v.bytes()) {
			t.Errorf("%x, want %x", c.v.bytes(), want)
		}
	}
	if v := binary.AppendUvarint(nil, 0x31e); fmt.Sprintf("%x", v) != "9e06" {
		t.Errorf("%x", v)
	}
}

// Fields and CutField take apart what Struct and AppendField made, whatever is NULL or nested.
func TestStructFields(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var random func(depth int) value
	random = func(depth int) value {
		fields := make([]value, 1+r.IntN(3))
		for i := range fields {
			if fields[i] = of(Text, bytes.Repeat([]byte{'a'}, r.IntN(200))); depth > 0 && r.IntN(3) == 0 {
				fields[i] = random(depth - 1)
			} else if r.IntN(2) == 0 {
				fields[i] = of(Int, AppendInt64(nil, r.Int64()))
			}
			fields[i].null = r.IntN(4) == 0
		}
		return structOf(fields...)
	}
	for range 1000 {
		v := random(1)
		rest := v.bytes()
		classes := v.class.Fields()
		if len(classes) != len(v.fields) {
			t.Fatalf("%v has %d fields, want %d", v.class, len(classes), len(v.fields))
		}
		for i, f := range v.fields {
			want, before := f.b, rest
			if f.fields != nil {
				want = f.bytes()
			}
			var got []byte
			var ok bool
			if got, rest, ok = CutField(classes[i], rest); !ok || classes[i] != f.class || (got == nil) != f.null || !f.null && !bytes.Equal(got, want) {
				t.Fatalf("field %d of %v: %v %x (NULL %v), want %v %x (NULL %v)", i, v.class, ok, got, got == nil, f.class, want, f.null)
			}
			for n := range len(before) - len(rest) {
				if _, _, ok := CutField(classes[i], before[:n]); ok {
					t.Fatalf("%d of the %d bytes of a %v are one", n, len(before)-len(rest), classes[i])
				}
			}
		}
		if len(rest) > 0 {
			t.Fatalf("%d bytes behind the last field", len(rest))
		}
	}
	if Int.Fields() != nil {
		t.Error("an integer has fields")
	}
}
