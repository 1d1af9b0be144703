package filters_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

// made is a sketch and a view of it.
func made[P any, S interface{ Blob() []byte }, V any](t *testing.T, newSketch func(P) (S, error), p P, newView func([]byte) (V, error)) []any {
	t.Helper()
	s, err := newSketch(p)
	if err != nil {
		t.Fatal(err)
	}
	v, err := newView(s.Blob())
	if err != nil {
		t.Fatal(err)
	}
	return []any{s, &v}
}

// madeOfAll are a sketch of each form of each family of keys, and a view of it.
func madeOfAll(t *testing.T) (all []any) {
	t.Helper()
	for _, f := range filters.Keyed() {
		for _, form := range f.Forms() {
			s, err := f.Make(form.Params)
			if err != nil {
				t.Fatal(err)
			}
			// Families have different types, each with its own View.
			out := reflect.ValueOf(f).MethodByName("Verified").Call([]reflect.Value{reflect.ValueOf(s.Blob())})
			if err, _ := out[1].Interface().(error); err != nil {
				t.Fatal(err)
			}
			v := reflect.New(out[0].Type())
			v.Elem().Set(out[0])
			all = append(all, s, v.Interface())
		}
	}
	return all
}

// A method of a zero value answers with zero values and changes nothing, is an error, or
// panics and says what makes one. So no key is lost in one, and no answer is made up.
func TestZeroValues(t *testing.T) {
	places := made(t, ccbf.New, ccbf.Params{Res: 1}, ccbf.NewView)
	for _, made := range slices.Concat(
		places,
		madeOfAll(t),
		[]any{ccbf.NewBuilder(places[0].(*ccbf.Sketch).Config, nil)},
	) {
		typ := reflect.TypeOf(made)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			if m.Name == "UnmarshalBinary" { // it is for zero values
				continue
			}
			t.Run(typ.String()+"."+m.Name, func(t *testing.T) {
				zero := reflect.New(typ.Elem())
				results, panicked := callZero(t, m, zero, made)
				if panicked {
					return
				}
				if !zero.Elem().IsZero() {
					t.Errorf("it is changed")
				}
				if len(results) == 0 {
					t.Errorf("it says nothing")
				}
				for _, r := range results {
					if err, is := r.Interface().(error); is && err != nil {
						return
					}
				}
				for _, r := range results {
					if r.Kind() == reflect.Float64 && math.IsNaN(r.Float()) || r.Kind() == reflect.Slice && r.Len() == 0 {
						continue
					}
					if r.Kind() == reflect.Pointer && !r.IsNil() {
						r = r.Elem()
					}
					if !r.IsZero() {
						t.Errorf("it answers %v", r.Interface())
					}
				}
			})
		}
	}
}

// callZero is the results of a method of a zero value. A panic that does not say why is an
// error of the test.
func callZero(t *testing.T, m reflect.Method, zero reflect.Value, made any) (results []reflect.Value, panicked bool) {
	args := []reflect.Value{zero}
	for j := 1; j < m.Type.NumIn(); j++ {
		args = append(args, argument(m.Type.In(j), made))
	}
	defer func() {
		if p := recover(); p != nil {
			if text, is := p.(string); !is || !strings.Contains(text, "New") {
				t.Errorf("it panics: %v", p)
			}
			panicked = true
		}
	}()
	if m.Type.IsVariadic() {
		return m.Func.CallSlice(args), false
	}
	return m.Func.Call(args), false
}

// argument is a value of a type that makes sense to most methods: a made sketch, its BLOB,
// one key.
func argument(typ reflect.Type, made any) reflect.Value {
	if typ == reflect.TypeFor[[]byte]() {
		if s, is := made.(interface{ Blob() []byte }); is {
			return reflect.ValueOf(s.Blob())
		}
		return reflect.ValueOf([]byte("key"))
	}
	if typ == reflect.TypeOf(made) {
		return reflect.ValueOf(made)
	}
	switch typ.Kind() {
	case reflect.Uint64, reflect.Uint32, reflect.Int, reflect.Int64, reflect.Float64:
		return reflect.ValueOf(1).Convert(typ)
	case reflect.Slice:
		s := reflect.MakeSlice(typ, 1, 1)
		if elem := typ.Elem().Kind(); elem == reflect.Slice || elem == reflect.Uint64 {
			s.Index(0).Set(argument(typ.Elem(), made))
		}
		return s
	case reflect.Pointer:
		return reflect.New(typ.Elem())
	case reflect.Func:
		return reflect.MakeFunc(typ, func([]reflect.Value) []reflect.Value {
			out := make([]reflect.Value, typ.NumOut())
			for i := range out {
				out[i] = reflect.Zero(typ.Out(i))
			}
			return out
		})
	}
	return reflect.Zero(typ)
}
