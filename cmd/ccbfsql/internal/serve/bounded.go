package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Limits of all requests: how many are answered at a time, and how long one may take.
const (
	requests   = 128
	answerTime = time.Minute
)

// bounded limits the body and the time of a request, and how many are answered at a time.
// A body is read before: who sends slowly takes no one's place.
func bounded(next http.Handler) http.Handler {
	slots := make(chan struct{}, requests)
	next = http.TimeoutHandler(next, answerTime, fmt.Sprintf(`{"error":"the answer takes more than %v"}`, answerTime))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			status := http.StatusBadRequest
			if size := new(http.MaxBytesError); errors.As(err, &size) {
				status, err = http.StatusRequestEntityTooLarge, fmt.Errorf("more than %d bytes", maxBody)
			}
			fail(w, r, &problem{status, err})
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			w.Header().Set("Retry-After", "1")
			fail(w, r, &problem{http.StatusServiceUnavailable, fmt.Errorf("too many requests: %d are being answered, which is the limit", requests)})
			return
		}
		w.Header().Set("Content-Type", "application/json") // of an answer that takes too long
		next.ServeHTTP(w, r)
	})
}
