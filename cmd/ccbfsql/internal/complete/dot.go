package complete

import (
	"slices"
	"strings"
)

// Command is a dot command, its arguments as .help shows them.
type Command struct {
	Name, Args, Help string
}

// Dot completes a dot command. modes are the names of the output modes.
func Dot(text string, commands []Command, modes []string, db Database, dir string) (start int, out []Candidate) {
	line := strings.TrimLeft(text, " \t")
	words := strings.Fields(line)
	if !strings.ContainsAny(line, " \t") {
		for _, c := range commands {
			name := "." + c.Name
			if strings.HasPrefix(name, line) {
				if c.Args != "" {
					name += " "
				}
				out = append(out, Candidate{Text: name, Show: "." + c.Name, Help: strings.TrimSpace(c.Args + "  " + c.Help), Group: "commands"})
			}
		}
		return len(text) - len(line), out
	}
	found := slices.IndexFunc(commands, func(c Command) bool { return "."+c.Name == words[0] })
	if found < 0 {
		return len(text), nil
	}
	start = strings.LastIndexAny(text, " \t") + 1
	typed := text[start:]
	argument := len(words) - 1
	if typed != "" {
		argument--
	}
	args := strings.Fields(strings.Trim(commands[found].Args, "[]"))
	if argument >= len(args) {
		return start, nil
	}
	return start, sorted(argumentCandidates(strings.Trim(args[argument], "[]"), typed, commands, modes, db, dir))
}

func argumentCandidates(arg, typed string, commands []Command, modes []string, db Database, dir string) []Candidate {
	var out []Candidate
	words := func(names []string) {
		for _, name := range names {
			if hasPrefix(name, typed) {
				out = append(out, Candidate{Text: name, Show: name})
			}
		}
	}
	switch arg {
	case "FILE":
		return paths(typed, dir, "")
	case "TABLE":
		_, out = Statement("FROM "+typed, db, dir)
		return slices.DeleteFunc(out, func(c Candidate) bool { return c.Group != Tables })
	case "MODE":
		words(modes)
	case "COMMAND|FUNCTION":
		for _, c := range commands {
			words([]string{c.Name})
		}
		for _, f := range db.Functions() {
			if typed != "" && hasPrefix(f.Name, typed) && simple.MatchString(f.Name) {
				out = append(out, Candidate{Text: f.Name, Show: f.Name, Help: f.help(), Group: Functions})
			}
		}
	default:
		if strings.Contains(arg, "|") {
			words(strings.Split(arg, "|"))
		}
	}
	return out
}
