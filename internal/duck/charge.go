package duck

import "github.com/ccbfsql/ccbfsql/internal/memory"

// Charge reserves n bytes of the budget for a result: for a sketch that is read and changed, for
// its BLOB, for a list. Call it before allocating, on the callback's Result and not on a part of
// it. The bytes stay reserved until Discharge, or until the callback ends. The error wraps
// ErrBudget.
func (r *Result) Charge(n int64) error {
	if n <= 0 {
		return nil
	}
	if err := memory.Reserve(n); err != nil {
		return err
	}
	r.charged += n
	return nil
}

// Discharge gives n of the bytes that Charge reserved back to the budget.
func (r *Result) Discharge(n int64) {
	if n = min(n, r.charged); n > 0 {
		r.charged -= n
		memory.Unreserve(n)
	}
}
