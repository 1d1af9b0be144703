package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Connections that are open at a time, and requests that are answered at a time:
// fewer, so that there is always a connection to close for a new one.
const (
	connections = 256
	requests    = 128
)

// bounded reads requests whole, lets so many through at a time, and sends their
// answers after that: a client that sends or reads slowly takes no one's place.
func bounded(next http.Handler) http.Handler {
	slots := make(chan struct{}, requests)
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
		default:
			w.Header().Set("Retry-After", "1")
			fail(w, r, &problem{http.StatusServiceUnavailable, fmt.Errorf("too many requests: %d are being answered, which is the limit", requests)})
			return
		}
		a := answerWriter{header: w.Header(), status: http.StatusOK}
		func() {
			connOf(r).answering(true)
			defer func() {
				connOf(r).answering(false)
				<-slots
			}()
			next.ServeHTTP(&a, r)
		}()
		if r.Context().Err() != nil {
			return
		}
		w.WriteHeader(a.status)
		_, _ = w.Write(a.body.Bytes()) // the client is gone then
	})
}

// answerWriter holds an answer until it is whole.
type answerWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answerWriter) Header() http.Header         { return a.header }
func (a *answerWriter) WriteHeader(status int)      { a.status = status }
func (a *answerWriter) Write(b []byte) (int, error) { return a.body.Write(b) }
