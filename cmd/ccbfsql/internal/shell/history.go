package shell

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

const (
	historyEnv  = "CCBFSQL_HISTORY"
	historyKept = 10_000 // largest number of statements that stay when the history is loaded
)

// history stores the statements that were typed in a file. Each is one JSON string in one line, so that
// a statement of several lines is read back as one statement.
type history struct {
	path  string // empty: only in memory
	items []string
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
	h := &history{path: path}
	if path == "" {
		return h, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return &history{}, err
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return &history{}, err
	}
	defer func() { _ = f.Close() }() // only read
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadString('\n')
		var item string
		if json.Unmarshal([]byte(line), &item) == nil && item != "" {
			h.items = append(h.items, item)
		}
		if err != nil {
			break
		}
	}
	if len(h.items) > historyKept {
		h.items = h.items[len(h.items)-historyKept:]
		return h, h.rewrite()
	}
	return h, nil
}

// rewrite replaces the file by the statements in memory.
func (h *history) rewrite() error {
	var b strings.Builder
	for _, item := range h.items {
		b.WriteString(historyLine(item))
	}
	next := h.path + ".new"
	if err := os.WriteFile(next, []byte(b.String()), 0o600); err != nil {
		return err
	}
	return os.Rename(next, h.path)
}

func historyLine(item string) string {
	line, _ := json.Marshal(item)
	return string(line) + "\n"
}

// Write implements readline.History. It appends each statement to the file at once, so that two
// shells can share the file and a crash loses nothing.
func (h *history) Write(item string) (int, error) {
	item = strings.TrimSpace(item)
	if item == "" || len(h.items) > 0 && h.items[len(h.items)-1] == item {
		return len(h.items), nil
	}
	h.items = append(h.items, item)
	if h.path == "" {
		return len(h.items), nil
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return len(h.items), err
	}
	_, err = f.WriteString(historyLine(item))
	return len(h.items), errors.Join(err, f.Close())
}

// GetLine implements readline.History.
func (h *history) GetLine(i int) (string, error) {
	if i < 0 || i >= len(h.items) {
		return "", errors.New("no such line in the history")
	}
	return h.items[i], nil
}

// Len implements readline.History.
func (h *history) Len() int { return len(h.items) }

// Dump implements readline.History.
func (h *history) Dump() any { return h.items }
