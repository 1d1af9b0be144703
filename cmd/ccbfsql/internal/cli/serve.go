package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/serve"
)

const serveUsage = `ccbfsql serve shows the sketches of a database on a map, in the browser.

Usage: ccbfsql serve [flags] database

The database is opened read-only. Every table and view with a column of sketches
of points is a layer of the map.

Flags:
`

// serveMain runs ccbfsql serve and returns its exit code.
func serveMain(args []string) int {
	o, err := parseServe(args, os.Stdout)
	if err != nil {
		return usageCode("ccbfsql serve", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve.Run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ccbfsql serve:", err)
		return exitError
	}
	return exitOK
}

func parseServe(args []string, help io.Writer) (serve.Options, error) {
	var o serve.Options
	flags := flag.NewFlagSet("ccbfsql serve", flag.ContinueOnError)
	flags.StringVar(&o.Addr, "addr", "127.0.0.1:8080", "`HOST:PORT` to listen on; port 0 takes any that is free")
	flags.Int64Var(&o.Memory, "memory", ccbfsql.MemoryLimit(), "most `BYTES` of sketches to hold in memory")
	flags.Func("host", "`NAME` that the server goes by, beside addresses, localhost and this machine's own; may be given several times", func(name string) error {
		o.Hosts = append(o.Hosts, name)
		return nil
	})
	var words []string
	err := eachWord(flags, args, serveUsage, help, func(word string) { words = append(words, word) })
	switch {
	case err != nil:
		return o, err
	case len(words) != 1:
		return o, fmt.Errorf("one database is needed, %d were given", len(words))
	case o.Memory <= 0:
		return o, fmt.Errorf("-memory is %d, must be above 0", o.Memory)
	}
	o.Database = words[0]
	if _, err := os.Stat(o.Database); err != nil {
		return o, err
	}
	return o, nil
}
