package shell

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
	"github.com/ccbfsql/ccbfsql/internal/help"
)

func (sh *Shell) dotHelp(args []string) error {
	wanted := strings.TrimPrefix(pattern(args), ".")
	var found []command
	for _, c := range commands {
		if c.name == wanted {
			found = []command{c}
			break
		}
		if matches(wanted, c.name) {
			found = append(found, c)
		}
	}
	for _, c := range found {
		if err := sh.printf("  %-22s %s\n", strings.TrimSpace("."+c.name+" "+c.args), c.help); err != nil {
			return err
		}
	}
	if len(found) == 1 && found[0].name == "map" {
		return sh.printf("%s", mapHelp())
	}
	if wanted == "" || len(found) == 1 && found[0].name == wanted {
		return nil
	}
	return sh.helpNamed(wanted, len(found) > 0)
}

// helpNamed prints the help of a function. If no function has that name, it lists the functions
// with the word in their name or summary. If there are none, it returns an error, unless a command
// matched.
func (sh *Shell) helpNamed(name string, commands bool) error {
	functions, err := sh.session.Functions(sh.ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, f := range functions {
		if strings.EqualFold(f.Name, name) {
			return sh.printf("%s", f.Help())
		}
		names = append(names, f.Name)
	}
	if commands {
		return nil
	}
	if found := found(name); len(found) > 0 {
		return sh.printf("%s", help.List(found))
	}
	return fmt.Errorf("no command or function is named %q%s", name, cmp.Or(help.Suggestion(name, names), "; .help lists the commands, .functions the functions"))
}

// found returns the functions whose name or summary matches a pattern.
func found(pattern string) (found []help.Entry) {
	for _, f := range session.Functions() {
		if matches(pattern, f.Name) || matches(pattern, f.Summary) {
			found = append(found, help.Entry{Name: f.Name, Group: f.Group, Signatures: f.Signatures, Summary: f.Summary})
		}
	}
	return found
}

// dotFunctions lists the functions whose name or summary matches the pattern.
func (sh *Shell) dotFunctions(args []string) error {
	found := found(pattern(args))
	if len(found) == 0 {
		return fmt.Errorf("no function has %q in its name or summary", pattern(args))
	}
	return sh.printf("%s", help.List(found))
}
