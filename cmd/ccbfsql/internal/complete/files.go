package complete

import (
	"os"
	"path/filepath"
	"strings"
)

// paths completes a file name relative to the folder dir. The closing quote follows a file, a slash
// follows a folder.
func paths(typed, dir, quote string) []Candidate {
	folder, begin := filepath.Split(typed)
	look := folder
	if home, ok := strings.CutPrefix(folder, "~/"); ok {
		own, err := os.UserHomeDir()
		if err != nil {
			return nil
		}
		look = filepath.Join(own, home)
	} else if !filepath.IsAbs(folder) {
		look = filepath.Join(dir, folder)
	}
	if look == "" {
		look = "."
	}
	entries, err := os.ReadDir(look)
	if err != nil {
		return nil // an unreadable folder has no completions
	}
	var out []Candidate
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, begin) || begin == "" && strings.HasPrefix(name, ".") {
			continue
		}
		if info, err := os.Stat(filepath.Join(look, name)); err == nil && info.IsDir() {
			out = append(out, Candidate{Text: folder + name + "/", Show: name + "/", Group: Files})
			continue
		}
		out = append(out, Candidate{Text: folder + name + quote, Show: name, Group: Files})
	}
	return out
}
