package complete

import (
	"slices"
	"strings"
)

// Command is a dot command. Args are its arguments as .help shows them.
type Command struct {
	Name, Args, Help string
	// Options are the options that can stand between the command's name and a query. Each takes a
	// value.
	Options []Option
}

// Option is an option of a command. Value is the placeholder of its value in .help.
type Option struct {
	Name, Value, Help string
	Values            []string // possible values; nil: any
}

// Dot returns completions of a dot command. modes are the names of the output modes.
func Dot(text string, commands []Command, modes []string, db *Database) (start int, out []Candidate) {
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
	if options := commands[found].Options; options != nil {
		return query(text, len(text)-len(line)+len(words[0]), options, db)
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
	switch arg := strings.Trim(args[argument], "[]"); arg {
	case "FILE", "FOLDER":
		return files(text, start, db)
	default:
		return start, sorted(argumentCandidates(arg, typed, commands, modes, db))
	}
}

// files completes the name of a file, which begins at start.
func files(text string, start int, db *Database) (int, []Candidate) {
	const from = "FROM '"
	at, found := Statement(from+text[start:], db)
	for i := range found {
		found[i].Text = strings.TrimSuffix(found[i].Text, "'")
	}
	return start + at - len(from), found
}

// query completes the options and the query of a command whose name ends at start.
func query(text string, start int, options []Option, db *Database) (int, []Candidate) {
	// next moves start to the next word and returns the word. half is true if the text ends with the
	// word, so that it may be half-typed.
	next := func() (word string, half bool) {
		start = len(text) - len(strings.TrimLeft(text[start:], " \t"))
		end := strings.IndexAny(text[start:], " \t")
		if end < 0 {
			return text[start:], true
		}
		return text[start : start+end], false
	}
	for {
		name, half := next()
		if !strings.HasPrefix(name, "-") {
			break
		}
		if half {
			var out []Candidate
			for _, o := range options {
				if strings.HasPrefix(o.Name, name) {
					out = append(out, Candidate{Text: o.Name + " ", Show: o.Name, Help: o.Value + "  " + o.Help, Group: "options"})
				}
			}
			return start, out
		}
		start += len(name)
		value, half := next()
		if half {
			i := slices.IndexFunc(options, func(o Option) bool { return o.Name == name })
			if i >= 0 && strings.HasPrefix(options[i].Value, "FILE") {
				return files(text, start, db)
			}
			var out []Candidate
			for _, v := range options[max(i, 0)].Values {
				if i >= 0 && hasPrefix(v, value) {
					out = append(out, Candidate{Text: v + " ", Show: v})
				}
			}
			return start, out
		}
		start += len(value)
	}
	at, out := Statement(text[start:], db)
	return start + at, out
}

func argumentCandidates(arg, typed string, commands []Command, modes []string, db *Database) []Candidate {
	var out []Candidate
	words := func(names []string) {
		for _, name := range names {
			if hasPrefix(name, typed) {
				out = append(out, Candidate{Text: name, Show: name})
			}
		}
	}
	switch arg {
	case "TABLE":
		_, out = Statement("FROM "+typed, db)
		return slices.DeleteFunc(out, func(c Candidate) bool { return c.Group != Tables })
	case "MODE":
		words(modes)
	case "NAME":
		for _, c := range commands {
			words([]string{c.Name})
		}
		for _, f := range db.Functions {
			if typed != "" && hasPrefix(f.Name, typed) && simple.MatchString(f.Name) {
				out = append(out, Candidate{Text: f.Name, Show: f.Name, Help: inOneLine(f), Group: Functions})
			}
		}
	default:
		if strings.Contains(arg, "|") {
			words(strings.Split(arg, "|"))
		}
	}
	return out
}
