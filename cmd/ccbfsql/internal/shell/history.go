package shell

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/reeflective/readline"
)

const (
	historyEnv  = "CCBFSQL_HISTORY"
	historyKept = 10_000 // largest number of statements that stay when the history is loaded
)

// history is a history in memory that also stores statements in a file. Each is one JSON string in one
// line, so that a statement of several lines is read back as one statement.
type history struct {
	readline.History
	path string // file; "": none
	last string // the last statement
}

// historyPath returns the file of the history: CCBFSQL_HISTORY, or a file in the user's state
// folder. It returns "" if CCBFSQL_HISTORY is empty: no history is stored.
func historyPath() string {
	if path, ok := os.LookupEnv(historyEnv); ok {
		return path
	}
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		state = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(state, "ccbfsql", "history")
}

func loadHistory(path string) (*history, error) {
	h := &history{History: readline.NewInMemoryHistory()}
	if path == "" {
		return h, nil
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	text, readErr := os.ReadFile(path)
	if !errors.Is(readErr, os.ErrNotExist) {
		err = errors.Join(err, readErr)
	}
	lines := strings.SplitAfter(string(text), "\n")
	if at := len(lines) - historyKept; at > 0 && err == nil {
		lines = lines[at:]
		next := path + ".new"
		if err = os.WriteFile(next, []byte(strings.Join(lines, "")), 0o600); err == nil {
			err = os.Rename(next, path)
		}
	}
	for _, line := range lines {
		var item string
		if json.Unmarshal([]byte(line), &item) == nil {
			_, _ = h.Write(item) // not yet to the file
		}
	}
	if err == nil {
		h.path = path
	}
	return h, err
}

// Write implements readline.History. It appends each statement to the file at once, so that two
// shells can share the file and a crash loses nothing.
func (h *history) Write(item string) (int, error) {
	item = strings.TrimSpace(item)
	if item == "" || item == h.last {
		return h.Len(), nil
	}
	h.last = item
	n, err := h.History.Write(item)
	if h.path == "" {
		return n, err
	}
	line, err := json.Marshal(item)
	if err != nil {
		return n, err
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return n, err
	}
	_, err = f.Write(append(line, '\n'))
	return n, errors.Join(err, f.Close())
}
