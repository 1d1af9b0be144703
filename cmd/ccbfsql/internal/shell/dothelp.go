package shell

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
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

// helpNamed explains the function of that name. That there is none is an
// error, unless a command was meant.
func (sh *Shell) helpNamed(name string, commands bool) error {
	ctx, done := sh.signals.during()
	defer done()
	functions, err := sh.session.Functions(ctx)
	if err != nil {
		return err
	}
	for _, f := range functions {
		if strings.EqualFold(f.Name, name) {
			return sh.helpFunction(f)
		}
	}
	if commands {
		return nil
	}
	return fmt.Errorf("neither a command nor a function is named %q%s", name, nearest(name, functions))
}

// helpFunction prints how a function is called, what it does, and an example
// to be copied: those of the project's own functions run as they are.
func (sh *Shell) helpFunction(f ccbfsql.Function) error {
	var b strings.Builder
	for _, signature := range f.Signatures {
		fmt.Fprintf(&b, "  %s\n", signature)
	}
	if f.Summary != "" {
		fmt.Fprintf(&b, "      %s\n", f.Summary)
	}
	if f.Example != "" {
		fmt.Fprintf(&b, "\n  %s\n", strings.ReplaceAll(f.Example, "\n", "\n  "))
	}
	return sh.printf("%s", b.String())
}

// nearest suggests the function that is spelt most alike, if one is.
func nearest(wanted string, functions []ccbfsql.Function) string {
	best, least := "", 1+len(wanted)/3
	for _, f := range functions {
		if d := levenshtein.ComputeDistance(strings.ToLower(wanted), strings.ToLower(f.Name)); d < least {
			best, least = f.Name, d
		}
	}
	if best == "" {
		return "; .help lists the commands, .functions the functions"
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

func (sh *Shell) dotFunctions(args []string) error {
	group, found := "", false
	for _, f := range session.Functions() {
		if !matches(pattern(args), f.Name) {
			continue
		}
		found = true
		if f.Group != group {
			if err := sh.printf("%s\n", f.Group); err != nil {
				return err
			}
			group = f.Group
		}
		for _, signature := range f.Signatures {
			if err := sh.printf("  %s\n", signature); err != nil {
				return err
			}
		}
		if err := sh.printf("      %s\n", f.Summary); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("no function matches %q", pattern(args))
	}
	return nil
}
