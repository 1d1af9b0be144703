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
	// limit is 0 until the first use. So importing this package reads no files and no environment
	// variables.
	limit atomic.Int64
)

// readLimit sets limit from LimitVariable, or else from the machine's memory, once. The error
// says that LimitVariable is no number of bytes; Register returns it.
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
	limit.CompareAndSwap(0, n) // keeps a limit that SetMemoryLimit has set before
	return bad
})

// memoryLimit returns the budget in bytes.
func memoryLimit() int64 {
	if n := limit.Load(); n != 0 {
		return n
	}
	_ = readLimit() // Register returns this error to the user
	return limit.Load()
}

// MemoryUsed returns the bytes that all pages and callbacks have reserved, without those of
// caches (MemoryCached).
func MemoryUsed() int64 {
	cached := MemoryCached()
	return max(0, used.Load()-cached) // never negative: a cache may shrink between the two loads
}

// MemoryLimit returns the budget of the process in bytes.
func MemoryLimit() int64 { return memoryLimit() }

// SetMemoryLimit sets the budget in bytes. If pages exceed it, they are reclaimed when memory is
// next reserved. The error says that n is not above 0.
func SetMemoryLimit(n int64) error {
	if n <= 0 {
		return fmt.Errorf("a memory limit of %d bytes; it must be above 0", n)
	}
	limit.Store(n)
	return nil
}

// reserve charges n bytes to the budget. Where they do not fit, it empties the caches, and then
// reclaims pages. The error wraps ErrBudget.
func reserve(n int64) error {
	for range 4 {
		if tryReserve(n) {
			return nil
		}
		if emptyCaches() == 0 && sweep(n) == 0 {
			break
		}
	}
	return budgetError()
}

// tryReserve charges n bytes to the budget if they fit. It never exceeds the limit, not even
// for a moment: another thread would reclaim pages.
func tryReserve(n int64) bool {
	for {
		u := used.Load()
		if n > memoryLimit()-u {
			return false
		}
		if used.CompareAndSwap(u, u+n) {
			return true
		}
	}
}

// unreserve gives n bytes back to the budget.
func unreserve(n int64) {
	used.Add(-n)
	collectGarbage(n)
}

// A group that found no room and a group that lost its page differ by chance only. Both errors
// have one text.

func budgetError() error { return budgetErrorText{ErrBudget, budgetText()} }

func reclaimedError() error { return budgetErrorText{ErrReclaimed, budgetText()} }

// budgetText returns the text that both errors have.
func budgetText() string {
	return fmt.Sprintf("memory budget of %s is used up (raise it with ccbf_memory_limit)", FormatBytes(memoryLimit()))
}

// budgetErrorText is an error with the sentinel ErrBudget or ErrReclaimed, and a text with the
// size of the budget.
type budgetErrorText struct {
	sentinel error
	text     string
}

func (e budgetErrorText) Error() string { return e.text }
func (e budgetErrorText) Unwrap() error { return e.sentinel }

// FormatBytes returns a number of bytes with a unit, such as "6.0 GiB".
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

// ParseBytes parses a number of bytes with or without a unit: 1073741824, 2GiB, 500 MB. Units
// with an i are powers of 1024, the others powers of 1000. The error says that text is no number,
// or below 1 or too large.
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
