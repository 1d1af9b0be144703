package duck

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/memory"
	"github.com/ccbfsql/ccbfsql/internal/queries"
	duckdb "github.com/duckdb/duckdb-go/v2"
)

// openDB is a database in memory with the functions on it.
func openDB(t testing.TB, fns []Function) (*sql.DB, *Instance) {
	t.Helper()
	if err := Embedded(); err != nil {
		t.Fatal(err)
	}
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if used := memory.Used(); used != 0 {
			t.Errorf("%d bytes are held after the database was closed", used)
		}
	})
	return db, register(t, db, fns)
}

func register(t testing.TB, db *sql.DB, fns []Function) *Instance {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return registerOn(t, conn, fns)
}

// registerOn registers functions on a connection.
func registerOn(t testing.TB, conn *sql.Conn, fns []Function) (in *Instance) {
	t.Helper()
	err := conn.Raw(func(dc any) error {
		p, err := ConnOf(dc.(driver.Conn))
		if err != nil {
			return err
		}
		in, err = Register(p, fns)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// ask runs a query and writes its rows as text: columns apart by |, rows by
// newline.
func ask(db *sql.DB, query string) (string, error) {
	_, all, err := queries.Values(context.Background(), db, query)
	if err != nil {
		return "", err
	}
	var lines []string
	for _, row := range all {
		var cells []string
		for _, v := range row {
			cells = append(cells, fmt.Sprint(v))
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return strings.Join(lines, "\n"), nil
}

func mustAsk(t testing.TB, db *sql.DB, query string) string {
	t.Helper()
	out, err := ask(db, query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return out
}

func mustExec(t testing.TB, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.Exec(query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// same checks that a query with our function and one without give one answer.
func same(t *testing.T, db *sql.DB, ours, theirs string) {
	t.Helper()
	got, want := mustAsk(t, db, ours), mustAsk(t, db, theirs)
	if want == "" {
		t.Fatalf("no rows from %s", theirs)
	}
	if got != want {
		t.Errorf("%s\n got %.600s\nwant %.600s", ours, got, want)
	}
}

// toySum is an exact sum of BIGINTs that lives in the state alone.
type toySum struct{}

type sumState struct{ sum, rows int64 }

func sumOf(s *State) *sumState { return (*sumState)(unsafe.Pointer(&s.Inline)) }

func (toySum) Update(args *Rows, states States) error {
	x := args.Col(0)
	vals := Slice[int64](x)
	for i, v := range vals {
		if x.Valid(i) {
			s := sumOf(states.At(i))
			s.sum += v
			s.rows++
		}
	}
	return nil
}

func (toySum) Combine(from, into States) error {
	for i := range from.Len() {
		f, t := sumOf(from.At(i)), sumOf(into.At(i))
		t.sum += f.sum
		t.rows += f.rows
	}
	return nil
}

func (toySum) Finalize(states States, out *Result) error {
	vals := Out[int64](out)
	for i := range vals {
		if s := sumOf(states.At(i)); s.rows > 0 {
			vals[i] = s.sum
		} else {
			out.SetNull(i)
		}
	}
	return nil
}

// toyList keeps every value in a page, in the order of arrival, as a list. Each
// page costs at least `cost` bytes, so that few groups fill a budget.
type toyList struct {
	cost    int64
	combine func() error // a failure to be tried
}

type listPage struct {
	lease *memory.Lease
	vals  []int64
}

func (a toyList) page(s *State) (*listPage, error) {
	obj, err := s.Page()
	if err != nil {
		return nil, err
	}
	if obj != nil {
		return obj.(*listPage), nil
	}
	b := &listPage{lease: new(memory.Lease)}
	return b, s.NewPage(b.lease, b, a.cost)
}

func (b *listPage) add(vals ...int64) error {
	if err := b.lease.Grow(int64(len(vals)) * 8); err != nil {
		return err
	}
	b.vals = append(b.vals, vals...)
	return nil
}

func (a toyList) Update(args *Rows, states States) error {
	x := args.Col(0)
	for i, v := range Slice[int64](x) {
		if !x.Valid(i) {
			continue
		}
		b, err := a.page(states.At(i))
		if err != nil {
			return err
		}
		if err := b.add(v); err != nil {
			return err
		}
	}
	return nil
}

func (a toyList) Combine(from, into States) error {
	if a.combine != nil {
		if err := a.combine(); err != nil {
			return err
		}
	}
	for i := range from.Len() {
		obj, err := from.At(i).Page()
		if err != nil {
			return err
		}
		if obj == nil {
			continue
		}
		b, err := a.page(into.At(i))
		if err != nil {
			return err
		}
		if err := b.add(obj.(*listPage).vals...); err != nil {
			return err
		}
	}
	return nil
}

func (a toyList) Finalize(states States, out *Result) error {
	for i := range out.Len() {
		obj, err := states.At(i).Page()
		if err != nil {
			return err
		}
		if obj == nil {
			out.SetNull(i)
			continue
		}
		vals := obj.(*listPage).vals
		copy(Out[int64](out.List(i, len(vals))), vals)
	}
	return nil
}

func oneArg(name string, arg, returns Type, f func(*Rows, *Result) error) Function {
	return Function{Name: name, Overloads: []Overload{{
		Params: []Param{{Name: "x", Type: arg}}, Returns: returns, Scalar: f,
	}}}
}

func aggregateOf(name string, arg, returns Type, a Aggregator) Function {
	return Function{Name: name, Overloads: []Overload{{
		Params: []Param{{Name: "x", Type: arg}}, Returns: returns, Aggregate: a,
	}}}
}

var errToy = errors.New("a toy error")

// toys are the functions most tests register.
func toys() []Function {
	add := func(args *Rows, out *Result) error {
		a, b := Slice[int64](args.Col(0)), Slice[int64](args.Col(1))
		o := Out[int64](out)
		for i := range o {
			if args.Col(0).Valid(i) && args.Col(1).Valid(i) {
				o[i] = a[i] + b[i]
			} else {
				out.SetNull(i)
			}
		}
		return nil
	}
	return []Function{
		{Name: "toy_add", Overloads: []Overload{{
			Params: []Param{{Name: "a", Type: BigInt}, {Name: "b", Type: BigInt}}, Returns: BigInt, Scalar: add,
		}}},
		oneArg("toy_type", Any, Varchar, func(args *Rows, out *Result) error {
			s := args.Col(0).Type().String()
			for i := range out.Len() {
				out.SetString(i, s)
			}
			return nil
		}),
		oneArg("toy_show", Any, Varchar, func(args *Rows, out *Result) error {
			for i := range out.Len() {
				out.SetString(i, show(args.Col(0), i))
			}
			return nil
		}),
		oneArg("toy_rows", Any, BigInt, func(args *Rows, out *Result) error {
			o := Out[int64](out)
			for i := range o {
				o[i] = int64(args.Len())
			}
			return nil
		}),
		oneArg("toy_panic", BigInt, BigInt, func(args *Rows, out *Result) error {
			var none []int
			_ = none[args.Len()]
			return nil
		}),
		oneArg("toy_fail", BigInt, BigInt, func(args *Rows, out *Result) error { return errToy }),
		aggregateOf("toy_sum", BigInt, BigInt, toySum{}),
		aggregateOf("toy_list", BigInt, ListOf(BigInt), toyList{cost: 64}),
	}
}

// show writes a value as the test wants to see it. Decimals have at most 4 digits.
func show(v *Vector, i int) string {
	if !v.Valid(i) {
		return "NULL"
	}
	t := v.Type()
	switch t.ID() {
	case IntegerID:
		return fmt.Sprint(Slice[int32](v)[i])
	case BigIntID:
		return fmt.Sprint(Slice[int64](v)[i])
	case VarcharID:
		return string(v.Bytes(i))
	case DecimalID:
		_, scale := t.Decimal()
		return fmt.Sprintf("%de-%d", Slice[int16](v)[i], scale)
	case StructID:
		var parts []string
		for j := range v.NumFields() {
			parts = append(parts, v.FieldName(j)+"="+show(v.Field(j), i))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case ListID:
		from, n := v.ListRange(i)
		var parts []string
		for j := range n {
			parts = append(parts, show(v.Elem(), from+j))
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return "?" + t.String()
}
