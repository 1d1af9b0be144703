package session

import "testing"

func TestCloseTwice(t *testing.T) {
	n := 0
	r := &Result{close: func() { n++ }}
	r.Close()
	r.Close()
	if n != 1 {
		t.Errorf("closed %d times", n)
	}
}
