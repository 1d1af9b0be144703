package filters_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// zeroValues has the types that only constructors make, each beside a value that one made.
func zeroValues(t *testing.T) []any {
	var out []any
	add := func(made any, err error) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, made)
	}
	b, err := bloom.New(bloom.Params{})
	add(b, err)
	bv, err := bloom.NewView(b.Blob())
	add(&bv, err)
	c, err := cbf.New(cbf.Params{})
	add(c, err)
	cv, err := cbf.NewView(c.Blob())
	add(&cv, err)
	m, err := cms.New(cms.Params{})
	add(m, err)
	mv, err := cms.NewView(m.Blob())
	add(&mv, err)
	k, err := cuckoo.New(cuckoo.Params{Duplicates: true})
	add(k, err)
	kv, err := cuckoo.NewView(k.Blob())
	add(&kv, err)
	s, err := sbf.New(sbf.Params{})
	add(s, err)
	sv, err := sbf.NewView(s.Blob())
	add(&sv, err)
	g, err := ccbf.New(ccbf.Params{Res: 1})
	add(g, err)
	add(ccbf.NewBuilder(g.Config, nil), nil)
	gv, err := ccbf.NewView(g.Blob())
	add(&gv, err)
	return out
}

// A method of a zero value answers with zero values and changes nothing, is an error, or
// panics and says what makes one. So no key is lost in one, and no answer is made up.
func TestZeroValues(t *testing.T) {
	for _, made := range zeroValues(t) {
		typ := reflect.TypeOf(made)
		for i := range typ.NumMethod() {
			m := typ.Method(i)
			if limits := "AreaLimit LimitAreas MaxSpots"; strings.Contains(limits, m.Name) { // of a View for any BLOB
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
