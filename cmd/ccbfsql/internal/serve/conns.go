package serve

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

// crowd accepts connections and keeps so many of them: where one more comes, the
// one that has waited longest for a request, or for the rest of one, is closed.
// Connections that send slowly, or nothing, hold up nobody.
type crowd struct {
	net.Listener
	most int

	mu      sync.Mutex
	open    int
	waiting list.List // of *conn, the longest first
}

// conn is a connection of a crowd.
type conn struct {
	net.Conn
	crowd  *crowd
	place  *list.Element // in waiting; nil while its request is answered
	closed bool
}

func newCrowd(l net.Listener, most int) *crowd { return &crowd{Listener: l, most: most} }

func (c *crowd) Accept() (net.Conn, error) {
	for {
		n, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		k := &conn{Conn: n, crowd: c}
		if c.admit(k) {
			return k, nil
		}
		_ = n.Close() // requests are answered on all of them: bounded has more to say
	}
}

// admit makes room for a connection; false where there is none.
func (c *crowd) admit(k *conn) bool {
	c.mu.Lock()
	var last *conn
	if c.open >= c.most {
		if c.waiting.Len() == 0 {
			c.mu.Unlock()
			return false
		}
		last = c.waiting.Front().Value.(*conn)
		c.leave(last)
	}
	c.open++
	k.place = c.waiting.PushBack(k)
	c.mu.Unlock()
	if last != nil {
		_ = last.Conn.Close() // it is of no use to anyone
	}
	return true
}

// leave takes a connection out of the books. c.mu is held.
func (c *crowd) leave(k *conn) {
	if k.closed {
		return
	}
	k.closed = true
	c.open--
	if k.place != nil {
		c.waiting.Remove(k.place)
		k.place = nil
	}
}

func (k *conn) Close() error {
	k.crowd.mu.Lock()
	k.crowd.leave(k)
	k.crowd.mu.Unlock()
	return k.Conn.Close()
}

// answering says that a request came whole and is answered now, or no longer.
func (k *conn) answering(now bool) {
	if k == nil {
		return
	}
	c := k.crowd
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case k.closed:
	case now && k.place != nil:
		c.waiting.Remove(k.place)
		k.place = nil
	case !now && k.place == nil:
		k.place = c.waiting.PushBack(k)
	}
}

type connKey struct{}

func withConn(ctx context.Context, n net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, n)
}

// connOf is the connection of a request; nil in tests without one.
func connOf(r *http.Request) *conn {
	k, _ := r.Context().Value(connKey{}).(*conn)
	return k
}
