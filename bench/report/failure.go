package report

import (
	"fmt"
	"path/filepath"
	"runtime"
)

// failure ends an experiment, as t.Fatal ends a test: it is what Check, Must and
// Require panic with, and what the harness makes the experiment's error.
type failure struct{ error }

// Check ends the experiment where there is an error.
func Check(err error) {
	if err != nil {
		panic(failure{at(err)})
	}
}

// Must is the value of a call that may fail; an error ends the experiment.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(failure{at(err)})
	}
	return v
}

// Require ends the experiment where something does not hold.
func Require(holds bool, format string, args ...any) {
	if !holds {
		panic(failure{at(fmt.Errorf(format, args...))})
	}
}

// at says where in the experiments the error came up.
func at(err error) error {
	_, file, line, _ := runtime.Caller(2)
	return fmt.Errorf("%s:%d: %w", filepath.Base(file), line, err)
}

// Try is the error that ended f, if one did.
func Try(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.error
		default:
			panic(r)
		}
	}()
	f()
	return nil
}
