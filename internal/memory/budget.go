package memory

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

// ErrBudget is wrapped by the error of a query that needs more memory than the budget has left, or whose
// memory was reclaimed for others.
var ErrBudget = errors.New("memory budget")

// LimitVariable is the environment variable that sets the budget.
const LimitVariable = "CCBF_MEMORY_LIMIT"

var (
	used atomic.Int64
	// limit is 0 until the first use. So importing this package reads no files and no environment
	// variables.
	limit atomic.Int64
)

// ReadLimit sets limit from LimitVariable, or else from the machine's memory, once. The error
// says that LimitVariable is no number of bytes; Register returns it.
var ReadLimit = sync.OnceValue(func() error {
	n := defaultLimit()
	var bad error
	if text := os.Getenv(LimitVariable); text != "" {
		if v, err := ParseBytes(text); err != nil {
			bad = fmt.Errorf("%s: %w", LimitVariable, err)
		} else {
			n = v
		}
	}
	limit.CompareAndSwap(0, n) // keeps a limit that SetLimit has set before
	return bad
})

// Limit returns the budget of the process in bytes.
func Limit() int64 {
	if n := limit.Load(); n != 0 {
		return n
	}
	_ = ReadLimit() // Register returns this error to the user
	return limit.Load()
}

// Used returns the bytes that all pages and callbacks have reserved, without the
// cache (Cached).
func Used() int64 {
	cached := Cached()
	return max(0, used.Load()-cached) // never negative: a cache may shrink between the two loads
}

// SetLimit sets the budget in bytes. If pages exceed it, they are reclaimed when memory is
// next reserved. The error says that n is not above 0.
func SetLimit(n int64) error {
	if n <= 0 {
		return fmt.Errorf("a memory limit of %d bytes; it must be above 0", n)
	}
	limit.Store(n)
	return nil
}

// Reserve charges n bytes to the budget. Where they do not fit, it empties the cache, and then
// reclaims pages. The error wraps ErrBudget.
func Reserve(n int64) error {
	for range 4 {
		if tryReserve(n, Limit()) {
			return nil
		}
		if EmptyCache() == 0 && sweep(n) == 0 {
			break
		}
	}
	return errBudget()
}

// tryReserve charges n bytes to the budget if at most most bytes are then used. It never exceeds that,
// not even for a moment: another thread would reclaim pages.
func tryReserve(n, most int64) bool {
	for {
		u := used.Load()
		if n > most-u {
			return false
		}
		if used.CompareAndSwap(u, u+n) {
			return true
		}
	}
}

// Unreserve gives n bytes back to the budget.
func Unreserve(n int64) {
	used.Add(-n)
	collectGarbage(n)
}

// errBudget returns the error of a query that found no memory, or whose memory was reclaimed: which of
// them it is depends on chance.
func errBudget() error {
	return fmt.Errorf("%w of %s is used up (raise it with ccbf_memory_limit)", ErrBudget, formatBytes(Limit()))
}

// formatBytes returns a number of bytes with a unit, such as "6.0 GiB".
func formatBytes(n int64) string {
	if n < 1<<10 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB"}
	v, i := float64(n)/(1<<10), 0
	for ; v >= 1<<10 && i < len(units)-1; i++ {
		v /= 1 << 10
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " " + units[i]
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
