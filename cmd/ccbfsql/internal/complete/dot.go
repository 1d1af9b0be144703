package complete

import (
	"regexp"
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

// Dot returns completions of a dot command.
func Dot(text string, db *Database) (start int, out []Candidate) {
	line := strings.TrimLeft(text, " \t")
	words := strings.Fields(line)
	if !strings.ContainsAny(line, " \t") {
		for _, c := range db.Commands {
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
	found := slices.IndexFunc(db.Commands, func(c Command) bool { return "."+c.Name == words[0] })
	if found < 0 {
		return len(text), nil
	}
	command := db.Commands[found]
	if command.Options != nil {
		return query(text, len(text)-len(line)+len(words[0]), command.Options, db)
	}
	start = strings.LastIndexAny(text, " \t") + 1
	typed := text[start:]
	argument := len(words) - 1
	if typed != "" {
		argument--
	}
	args := strings.Fields(strings.Trim(command.Args, "[]"))
	if argument >= len(args) {
		return start, nil
	}
	switch arg := strings.Trim(args[argument], "[]"); arg {
	case "FILE", "FOLDER":
		return files(text, start, db)
	default:
		return start, sorted(argumentCandidates(arg, typed, db))
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

// Text between the name of a command with options and the cursor. It has options with their values. Then it
// has the half-typed name of an option, or a name and its half-typed value, or a query.
var (
	optionName  = regexp.MustCompile(`^` + optionsBefore + `\s+(-\S*)$`)
	optionValue = regexp.MustCompile(`^` + optionsBefore + `\s+(-\S+)\s+(\S*)$`)
	beforeQuery = regexp.MustCompile(`^` + optionsBefore + `\s*`)
)

// optionsBefore is the options with their values, which may be quoted.
const optionsBefore = `(?:\s+-\S+\s+(?:'[^']*'|"[^"]*"|[^'"\s]\S*))*`

// query completes the options and the query of a command whose name ends at start.
func query(text string, start int, options []Option, db *Database) (int, []Candidate) {
	var out []Candidate
	rest := text[start:]
	if at := optionName.FindStringSubmatchIndex(rest); at != nil {
		for _, o := range options {
			if strings.HasPrefix(o.Name, rest[at[2]:]) {
				out = append(out, Candidate{Text: o.Name + " ", Show: o.Name, Help: o.Value + "  " + o.Help, Group: "options"})
			}
		}
		return start + at[2], out
	}
	if at := optionValue.FindStringSubmatchIndex(rest); at != nil {
		i := slices.IndexFunc(options, func(o Option) bool { return o.Name == rest[at[2]:at[3]] })
		switch {
		case i < 0:
			return start + at[4], nil
		case strings.HasPrefix(options[i].Value, "FILE"):
			return files(text, start+at[4], db)
		}
		for _, v := range options[i].Values {
			if hasPrefix(v, rest[at[4]:]) {
				out = append(out, Candidate{Text: v + " ", Show: v})
			}
		}
		return start + at[4], out
	}
	start += len(beforeQuery.FindString(rest))
	at, out := Statement(text[start:], db)
	return start + at, out
}

func argumentCandidates(arg, typed string, db *Database) []Candidate {
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
		words(db.Modes)
	case "NAME":
		for _, c := range db.Commands {
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
