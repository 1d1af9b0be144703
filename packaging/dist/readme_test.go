package dist

import (
	"bytes"
	"regexp"
	"testing"
)

// README.md names the version of the driver in go.mod.
func TestDriver(t *testing.T) {
	for file, path := range map[string]string{"../../go.mod": "github.com/duckdb/duckdb-go/v2", "../../test/olddriver/go.mod": "github.com/marcboeker/go-duckdb/v2"} {
		found := regexp.MustCompile(regexp.QuoteMeta(path) + ` (v\S+)`).FindSubmatch(read(t, file))
		if found == nil {
			t.Fatalf("no %s in %s", path, file)
		}
		if want := append([]byte("`"+path+"` "), found[1]...); !bytes.Contains(read(t, "../../README.md"), want) {
			t.Errorf("README.md does not have %s", want)
		}
	}
}
