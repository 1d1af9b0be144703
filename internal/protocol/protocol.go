// Package protocol talks to a program that holds a DuckDB, for tests and measurements of the loadable
// extension. The programs are in test/clients.
package protocol

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Client is a program that holds a DuckDB and takes requests on its standard input. Requests and
// answers are lines of fields, separated by tabs. In them \\, \t, \n and \r have their meaning in
// Go.
//
//	<number> open <file or :memory:>    with allow_unsigned_extensions
//	<number> close
//	<number> connect <connection>       a name of the caller's choice
//	<number> disconnect <connection>
//	<number> exec <connection> <statements>
//	<number> query <connection> <statement>
//	<number> interrupt <connection>
//	<number> ...                        what only some of them can
//
// The answer to a request bears its number. It has any number of lines "row" with values as text,
// NULL as NULL and BLOBs as hexadecimal digits. Then comes "ok", or "error" and DuckDB's text.
// Requests on different connections run at once.
type Client struct {
	Cmd    *exec.Cmd
	stderr strings.Builder // what the process wrote there; complete when exited is closed
	input  io.WriteCloser
	exited chan struct{} // closed when the process ends
	err    error         // error with which the process ended; set before exited is closed

	mu      sync.Mutex
	last    int
	waiting map[string]*Request
	other   strings.Builder // lines that are not part of the protocol
}

// Request is a request without an answer yet. When done is closed, rows and err are the answer.
type Request struct {
	rows [][]string
	err  error
	done chan struct{}
}

var (
	escape   = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	unescape = strings.NewReplacer(`\\`, "\\", `\t`, "\t", `\n`, "\n", `\r`, "\r")
)

// Start starts a client.
func Start(cmd *exec.Cmd) (*Client, error) {
	c := &Client{Cmd: cmd, exited: make(chan struct{}), waiting: make(map[string]*Request)}
	cmd.Stderr = &c.stderr
	// A process that hangs at its end must not hang the test.
	cmd.WaitDelay = 10 * time.Second
	var err error
	if c.input, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go c.read(out)
	return c, nil
}

// read delivers responses until the process ends.
func (c *Client) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			break
		}
		c.take(strings.Split(strings.TrimRight(line, "\r\n"), "\t"))
	}
	_ = c.Cmd.Wait() // ProcessState says how it ended
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = fmt.Errorf("the client has ended: %v\n%s%s", c.Cmd.ProcessState, &c.stderr, &c.other)
	for _, r := range c.waiting {
		r.err = c.err
		close(r.done)
	}
	clear(c.waiting)
	close(c.exited)
}

// take handles one line of the client: a row or the end of the answer to a request.
func (c *Client) take(fields []string) {
	for i := range fields {
		fields[i] = unescape.Replace(fields[i])
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.waiting[fields[0]]
	if r == nil || len(fields) < 2 {
		fmt.Fprintln(&c.other, strings.Join(fields, "\t"))
		return
	}
	switch fields[1] {
	case "row":
		r.rows = append(r.rows, fields[2:])
		return
	case "error":
		r.err = errors.New(strings.Join(fields[2:], "\t"))
	}
	delete(c.waiting, fields[0])
	close(r.done)
}

// Begin sends a request without waiting for the response.
func (c *Client) Begin(fields ...string) *Request {
	r := &Request{done: make(chan struct{})}
	c.mu.Lock()
	if c.err != nil {
		r.err = c.err
		close(r.done)
		c.mu.Unlock()
		return r
	}
	c.last++
	number := strconv.Itoa(c.last)
	c.waiting[number] = r
	c.mu.Unlock()
	line := number
	for _, f := range fields {
		line += "\t" + escape.Replace(f)
	}
	// If this fails, the process has ended, and read reports that.
	_, _ = io.WriteString(c.input, line+"\n")
	return r
}

// Wait waits for the answer.
func (r *Request) Wait() ([][]string, error) {
	<-r.done
	return r.rows, r.err
}

// Ended reports whether the response has arrived.
func (r *Request) Ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// Do sends a request and waits for the answer.
func (c *Client) Do(fields ...string) ([][]string, error) { return c.Begin(fields...).Wait() }

// End closes the client's input and waits for its end.
func (c *Client) End() error {
	_ = c.input.Close()
	<-c.exited
	if !c.Cmd.ProcessState.Success() {
		return c.err
	}
	return nil
}
