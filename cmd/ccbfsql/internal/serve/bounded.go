package serve

import (
	"fmt"
	"net/http"
	"time"
)

// Limits of all requests: the bytes of a body, how many are answered at a time, and how long
// one may take.
const (
	maxBody    = 1 << 20
	atOnce     = 16
	answerTime = time.Minute
)

// bounded limits the body and the time of a request, and how many are answered at a time. The
// others wait, as long as somebody waits for them.
func bounded(next http.Handler) http.Handler {
	places := make(chan struct{}, atOnce)
	inTime := http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}), answerTime, fmt.Sprintf(`{"error":"the answer takes more than %v"}`, answerTime))
	return http.MaxBytesHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json") // of an answer that takes too long
		inTime.ServeHTTP(w, r)
	}), maxBody)
}
