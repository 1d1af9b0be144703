package serve

import (
	"fmt"
	"net/http"
	"time"
)

// Limits of requests: the bytes of a body, how many run at a time, and how long one can take.
const (
	maxBody    = 1 << 20
	atOnce     = 16
	answerTime = time.Minute
)

// limited limits the body and the time of requests, and how many run at a time. Further requests
// wait for their turn, as long as their client does.
func limited(next http.Handler) http.Handler {
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
		w.Header().Set("Content-Type", "application/json") // for the response of TimeoutHandler
		inTime.ServeHTTP(w, r)
	}), maxBody)
}
