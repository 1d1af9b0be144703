package duck

// Charge counts n bytes against the budget that a callback takes to make its
// results: for a sketch that is read and changed, for its BLOB, for a list. They
// count until Discharge, or until the callback ends. r is the Result that the
// callback was given, not a part of it. The error wraps ErrBudget. Call it before
// allocating.
func (r *Result) Charge(n int64) error {
	if n <= 0 {
		return nil
	}
	if err := reserve(n); err != nil {
		return err
	}
	r.charged += n
	return nil
}

// Discharge gives back n of the bytes charged.
func (r *Result) Discharge(n int64) {
	if n = min(n, r.charged); n > 0 {
		r.charged -= n
		giveBack(n)
	}
}
