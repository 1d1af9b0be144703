package duck

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// ErrBudget is wrapped by the error of a query that needs more memory than the
// budget has left.
var ErrBudget = errors.New("memory budget is used up")

// LimitVariable is the environment variable that sets the budget.
const LimitVariable = "CCBF_MEMORY_LIMIT"

var (
	used atomic.Int64
	// limit is 0 until it is asked for: who imports this package and never
	// builds a sketch has no files and no environment read.
	limit atomic.Int64
)

// readLimit reads the machine and LimitVariable, once. Its error is a value of
// LimitVariable that could not be understood: it is reported when functions are
// registered, not swallowed.
var readLimit = sync.OnceValue(func() error {
	n := defaultLimit()
	var bad error
	if text := os.Getenv(LimitVariable); text != "" {
		if v, err := ParseBytes(text); err != nil {
			bad = fmt.Errorf("%s: %w", LimitVariable, err)
		} else {
			n = v
		}
	}
	limit.CompareAndSwap(0, n) // not over what SetMemoryLimit was told before
	return bad
})

// most is the budget.
func most() int64 {
	if n := limit.Load(); n != 0 {
		return n
	}
	_ = readLimit() // Register reports it
	return limit.Load()
}

// MemoryUsed is the number of bytes that all pages are charged for, and MemoryKept that of
// what is kept besides.
func MemoryUsed() int64 {
	kept := MemoryKept()
	return max(0, used.Load()-kept) // some may have been given up between
}

// MemoryLimit is the budget of all pages of the process.
func MemoryLimit() int64 { return most() }

// SetMemoryLimit changes the budget. Pages above a lower one are reclaimed
// when the next page is asked for.
func SetMemoryLimit(n int64) error {
	if n <= 0 {
		return fmt.Errorf("a memory limit of %d bytes; it must be above 0", n)
	}
	limit.Store(n)
	return nil
}

// reserve charges n bytes, after making room where that is possible.
func reserve(n int64) error {
	for range 4 {
		if tryReserve(n) {
			return nil
		}
		if giveUpKept() == 0 && sweep(n) == 0 {
			break
		}
	}
	return budgetError()
}

// tryReserve never goes above the limit, not even for a moment: another thread
// would take that for a reason to reclaim.
func tryReserve(n int64) bool {
	for {
		u := used.Load()
		if n > most()-u {
			return false
		}
		if used.CompareAndSwap(u, u+n) {
			return true
		}
	}
}

func giveBack(n int64) {
	used.Add(-n)
	noteFreed(n)
}

// Whether a group found no room or lost what it had is the same to whoever reads
// it, and chance: one text for both.

func budgetError() error { return budgetErrorText{ErrBudget, budgetText()} }

func reclaimedError() error { return budgetErrorText{ErrReclaimed, budgetText()} }

func budgetText() string {
	return fmt.Sprintf("memory budget of %s is used up (raise it with ccbf_memory_limit)", FormatBytes(most()))
}

// budgetErrorText says in one sentence what its sentinel says without numbers.
type budgetErrorText struct {
	sentinel error
	text     string
}

func (e budgetErrorText) Error() string { return e.text }
func (e budgetErrorText) Unwrap() error { return e.sentinel }

// FormatBytes writes a number of bytes for people: "6.0 GiB".
func FormatBytes(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB"}
	if n < 1<<10 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	v := float64(n)
	unit := ""
	for _, u := range units {
		v /= 1 << 10
		unit = u
		if v < 1<<10 {
			break
		}
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " " + unit
}

var byteUnits = map[string]float64{
	"": 1, "b": 1, "bytes": 1,
	"k": 1e3, "kb": 1e3, "kib": 1 << 10,
	"m": 1e6, "mb": 1e6, "mib": 1 << 20,
	"g": 1e9, "gb": 1e9, "gib": 1 << 30,
	"t": 1e12, "tb": 1e12, "tib": 1 << 40,
}

// ParseBytes reads a number of bytes with or without a unit: 1073741824, 2GiB,
// 500 MB. Units with an i are powers of 1024, the others powers of 1000.
func ParseBytes(text string) (int64, error) {
	s := strings.TrimSpace(text)
	end := strings.LastIndexAny(s, "0123456789.") + 1
	unit, known := byteUnits[strings.ToLower(strings.TrimSpace(s[end:]))]
	v, err := strconv.ParseFloat(strings.TrimSpace(s[:end]), 64)
	if err != nil || !known {
		return 0, fmt.Errorf("%q is not a number of bytes, for example 1073741824, 2GiB or 500MB", text)
	}
	v *= unit
	if !(v >= 1 && v < math.MaxInt64) {
		return 0, fmt.Errorf("%q is not between 1 byte and 8 EiB", text)
	}
	return int64(v), nil
}
