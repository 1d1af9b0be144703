package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/session"
	"github.com/ccbfsql/ccbfsql/internal/help"
)

// Points says how sketches are built from a file of points, or from a table of a database.
type Points struct {
	Table string  // Table of points in the database; "": the file is itself one of points.
	Save  string  // Database file in which the sketches are kept; "": they are not kept.
	X, Y  string  // Columns of coordinates; "": found by their names.
	Res   float64 // Side of a cell; 0: chosen by the points.
	Grain string  // Period of a sketch, one of Grains; "": chosen by the times.
}

// Grains are the periods of sketches, the longest first.
var Grains = []string{"year", "month", "day", "hour"}

// daysOf are the lengths of Grains in days.
var daysOf = []float64{365, 30, 1, 1. / 24}

// IsPoints reports whether sketches are built from points: the table, or the file or URL by its name.
func (o *Options) IsPoints() bool {
	return o.Points.Table != "" || session.DataFile.MatchString(pathOf(o.File))
}

// pathOf returns the name of a file, or a URL without its query.
func pathOf(name string) string {
	if at := strings.IndexAny(name, "?#"); at >= 0 && strings.Contains(name, "://") {
		return name[:at]
	}
	return name
}

// Usual names of columns of coordinates by axis: coordinateWords are whole names or parts of names, and
// coordinateNames are only whole names.
var (
	coordinateWords = map[string]string{"x": "lon|lng|long|longitude|x", "y": "lat|latitude|y"}
	coordinateNames = map[string]string{"x": "easting", "y": "northing"}
)

var numeric = regexp.MustCompile(`^(DOUBLE|FLOAT|DECIMAL.*|U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER)$`)

// coordinate returns the column with the coordinates of an axis, x or y. given is its name from a flag, or
// "" to find it.
func coordinate(columns []tableColumn, given, axis string) (string, error) {
	if given != "" {
		i := slices.IndexFunc(columns, func(c tableColumn) bool { return strings.EqualFold(c.name, given) })
		if i < 0 {
			return "", fmt.Errorf("-%s: the file has no column %q%s", axis, given, help.Suggestion(given, columnNames(columns)))
		}
		return columns[i].name, nil
	}
	named := func(of []tableColumn, pattern string) []tableColumn {
		name := regexp.MustCompile(pattern)
		return slices.DeleteFunc(slices.Clone(of), func(c tableColumn) bool { return !name.MatchString(c.name) })
	}
	whole := `(?i)^(` + coordinateWords[axis] + `|` + coordinateNames[axis] + `)$`
	part := `(?i)(^|_| )(` + coordinateWords[axis] + `)($|_| )`
	numbers := slices.DeleteFunc(slices.Clone(columns), func(c tableColumn) bool { return !numeric.MatchString(c.typ) })
	for _, pattern := range []string{whole, part} {
		switch found := named(numbers, pattern); len(found) {
		case 0:
		case 1:
			return found[0].name, nil
		default:
			return "", fmt.Errorf("%s may each be the column of %s: choose one with -%s COLUMN", strings.Join(columnNames(found), " and "), axis, axis)
		}
	}
	if text := named(columns, whole+`|`+part); len(text) > 0 {
		return "", fmt.Errorf("%s is %s, not of numbers: -%s %[1]s reads its text as numbers; decimals need a point, not a comma, and columns without values are text", text[0].name, text[0].typ, axis)
	}
	others := "there is none"
	if len(numbers) > 0 {
		others = "there are " + strings.Join(columnNames(numbers), ", ")
	}
	return "", fmt.Errorf("no column of numbers has a name like %s: choose one with -%s COLUMN; %s", axis, axis, others)
}

func columnNames(columns []tableColumn) (names []string) {
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}

// plan describes the sketches to build from a file.
type plan struct {
	location
	from   string // file or table, in SQL
	table  string
	res    float64
	rows   uint64 // rows with a point
	empty  uint64 // rows without a point
	groups []group
}

// group is a column by which rows are grouped into sketches: its name in the table of sketches, and its
// SQL expression.
type group struct{ name, expr string }

// Limits of grouping: the values of a column, its rows for each of them on average, and the number of
// sketches. With fewer rows, the column rather names them, as an address does, and a map of it would publish that.
const (
	mostKinds   = 64
	rowsPerKind = 4
	mostGroups  = 5000
)

// planned examines the file at from: where its points are, its resolution, and by which columns to
// group.
func planned(ctx context.Context, s *session.Session, from, file string, o Points) (*plan, error) {
	p := &plan{from: lexer.QuoteText(from), table: tableName(file)}
	if o.Table != "" {
		p.from, p.table = from, o.Table+"_sketches"
	}
	described, err := s.Strings(ctx, "DESCRIBE FROM "+p.from)
	if err != nil {
		return nil, err
	}
	var columns []tableColumn
	for _, row := range described {
		columns = append(columns, tableColumn{row[0], row[1]})
	}
	if p.location, err = located(columns, o); err != nil {
		if o.Table != "" {
			err = fmt.Errorf("table %s: %w. If it has sketches, leave out -table", o.Table, err)
		}
		return nil, err
	}
	var points, squares, width, height float64
	answers := []*float64{&points, &squares, &width, &height}
	isPoint := fmt.Sprintf("coalesce(isfinite(%s) AND isfinite(%s), false)", p.x, p.y)
	asked := []string{isPoint, "count(*)", fmt.Sprintf("approx_count_distinct(1000 * floor(%s) + floor(%s))", p.x, p.y)}
	for _, v := range []string{p.x, p.y} { // from a sample, because approx_quantile takes longer than building the sketches
		asked = append(asked, fmt.Sprintf("coalesce(list_reduce(reservoir_quantile(%s, [0.95, 0.05], 65536), lambda high, low: high - low), 0)", v))
	}
	var others []*statistics
	for _, c := range columns {
		if slices.Contains(p.columns, c.name) || !sliderType.MatchString(c.typ) {
			continue
		}
		other := &statistics{tableColumn: c}
		others = append(others, other)
		days := "0"
		if isTime(c.typ) {
			days = fmt.Sprintf("coalesce(date_diff('day', min(%[1]s), max(%[1]s)), 0)", lexer.QuoteName(c.name))
		}
		asked = append(asked, fmt.Sprintf("approx_count_distinct(%s)", lexer.QuoteName(c.name)), days)
		answers = append(answers, &other.values, &other.days)
	}
	found, err := s.Strings(ctx, fmt.Sprintf("SELECT %s FROM %s GROUP BY ALL", strings.Join(asked, ", "), p.from))
	if err != nil {
		return nil, err
	}
	for _, row := range found {
		if row[0] == "false" {
			p.empty, _ = strconv.ParseUint(row[1], 10, 64) // SQL returns a number here
			continue
		}
		for i, text := range row[1:] {
			*answers[i], _ = strconv.ParseFloat(text, 64) // SQL returns a number here
		}
	}
	if p.rows = uint64(points); p.rows == 0 {
		return nil, fmt.Errorf("%s has no row with a point in %s", file, strings.Join(p.columns, " and "))
	}
	p.res = resolution(points, squares, width, height)
	if o.Res > 0 {
		p.res = o.Res
	}
	return p, p.group(others, columnNames(columns), o.Grain)
}

// location is where the points of a table are: SQL expressions of the coordinates, and the columns
// in them.
type location struct {
	x, y    string
	columns []string
	points  string // arguments of ccbf_agg for the points, in SQL
}

// located finds the columns of coordinates, or a column of GEOMETRY points.
func located(columns []tableColumn, o Points) (at location, err error) {
	geometry := slices.IndexFunc(columns, func(c tableColumn) bool { return strings.HasPrefix(c.typ, "GEOMETRY") })
	if geometry >= 0 && o.X == "" && o.Y == "" {
		// The first point of a geometry gives its place. Only POINT and MULTIPOINT count.
		name := columns[geometry].name
		part := func(i int) string {
			return fmt.Sprintf(`TRY_CAST(regexp_extract(%s::VARCHAR, '^(?:MULTI)?POINT[ ZM]*\(+([^ ]+) ([^ ,)]+)', %d) AS DOUBLE)`, lexer.QuoteName(name), i)
		}
		return location{part(1), part(2), []string{name}, lexer.QuoteName(name)}, nil
	}
	x, err := coordinate(columns, o.X, "x")
	if err != nil {
		return at, err
	}
	y, err := coordinate(columns, o.Y, "y")
	if err != nil {
		return at, err
	}
	if x == y {
		return at, fmt.Errorf("x and y are both column %s: choose two with -x COLUMN and -y COLUMN", x)
	}
	at.x, at.y, at.columns = lexer.QuoteName(x)+"::DOUBLE", lexer.QuoteName(y)+"::DOUBLE", []string{x, y}
	at.points = at.x + ", " + at.y
	return at, nil
}

// statistics are about the number of distinct values of a column and, for times, the days between the
// first and the last.
type statistics struct {
	tableColumn
	values, days float64
}

// group chooses the columns to group by. The first is a column of times, in periods of which there
// are some dozens. The others are columns with few values, the fewest first. taken are the names of all
// columns. A grain without a column of times is an error.
func (p *plan) group(columns []*statistics, taken []string, grain string) error {
	var kinds []*statistics
	groups := 1.0
	for _, c := range columns {
		if !isTime(c.typ) {
			if c.values >= 2 && c.values <= min(mostKinds, float64(p.rows)/rowsPerKind) {
				kinds = append(kinds, c)
			}
			continue
		}
		if len(p.groups) > 0 || c.values < 2 {
			continue
		}
		grains := Grains
		if c.typ == "DATE" {
			grains = Grains[:3]
		}
		at := 0
		for i := range grains {
			if grain == grains[i] || grain == "" && c.days/daysOf[i] <= 130 {
				at = i
			}
		}
		part, parts := grains[at], c.days/daysOf[at]+1
		cast := "::DATE"
		if part == "hour" {
			cast = ""
		}
		name := part
		if part == "day" && c.typ == "DATE" || slices.ContainsFunc(taken, func(t string) bool { return strings.EqualFold(t, part) }) {
			name = c.name // the days of a DATE are the column itself, and a name stands for one column
		}
		p.groups = append(p.groups, group{name, fmt.Sprintf("date_trunc('%s', %s)%s", part, lexer.QuoteName(c.name), cast)})
		groups *= min(parts, c.values)
	}
	if grain != "" && !slices.ContainsFunc(columns, func(c *statistics) bool { return isTime(c.typ) }) {
		return fmt.Errorf("-time is %s, but no column is a DATE or TIMESTAMP", grain)
	}
	slices.SortStableFunc(kinds, func(a, b *statistics) int { return int(a.values - b.values) })
	for _, k := range kinds {
		if groups*k.values > mostGroups {
			break
		}
		groups *= k.values
		p.groups = append(p.groups, group{k.name, lexer.QuoteName(k.name)})
	}
	return nil
}

// Parameters of the resolution: cells per point, and the least number of cells along the longer
// side.
const (
	cellsPerPoint = 10
	leastAlong    = 100
)

// resolution returns a power of ten for the side of a cell. 90% of the points along each axis lie
// within a width and a height. squares is the number of squares of a degree that have points: what lies
// between distant cities does not count. Finer cells would mostly have single points, and coarser ones would
// merge distant points. Degrees are limited to 0.0001 to 0.1: about 10 metres to 10 kilometres.
func resolution(points, squares, width, height float64) float64 {
	longer := math.Max(width, height)
	if !(longer > 0) {
		return 0.001
	}
	shorter := math.Max(math.Min(width, height), longer/leastAlong) // at least some width, if all points are on a line
	area, degrees := longer*shorter, longer < 400
	if degrees {
		area = math.Min(area, squares)
	}
	power := math.Round(math.Log10(math.Sqrt(area / (cellsPerPoint * points))))
	power = math.Min(power, math.Floor(math.Log10(longer/leastAlong)+1e-9))
	if degrees {
		power = math.Min(math.Max(power, -4), -1)
	}
	// Parsed as a decimal, because a computed power of ten may be a neighbouring double.
	res, err := strconv.ParseFloat(fmt.Sprintf("1e%d", int(power)), 64)
	if err != nil || res == 0 {
		return 0.001
	}
	return res
}

// tableName returns a name for the table of sketches, from the file's name.
func tableName(file string) string {
	name := session.DataFile.ReplaceAllString(path.Base(filepath.ToSlash(pathOf(file))), "")
	if name == "" || strings.Contains(name, "*") {
		return "points"
	}
	return name
}

// statement returns the SQL that builds the table.
func (p *plan) statement() string {
	var names, exprs []string
	for _, g := range p.groups {
		names = append(names, lexer.QuoteName(g.name))
		exprs = append(exprs, g.expr+" AS "+lexer.QuoteName(g.name))
	}
	exprs = append(exprs, fmt.Sprintf("ccbf_agg(%s, %v) AS sketch", p.points, p.res))
	by := ""
	if len(names) > 0 {
		by = "\nGROUP BY ALL ORDER BY " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("CREATE TABLE %s AS\nSELECT %s\nFROM %s\nWHERE isfinite(%s) AND isfinite(%s)%s", lexer.QuoteName(p.table), strings.Join(exprs, ", "), p.from, p.x, p.y, by)
}

// build builds the sketches of a file in a database. It writes the statement to out, with a
// progress bar on a terminal.
func build(ctx context.Context, database, file string, o Points, out io.Writer) (err error) {
	_, missing := os.Stat(database)
	s, err := session.Open(ctx, session.Options{Path: database})
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, s.Close())
		if err != nil && errors.Is(missing, fs.ErrNotExist) { // the new database is empty
			_ = os.Remove(database)
			_ = os.Remove(database + ".wal")
		}
	}()
	temporary, err := os.MkdirTemp("", "ccbfsql-points")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	bar := s.ShowProgress(out)
	defer func() { bar.Stop() }()
	from := "points_of." + lexer.QuoteName(o.Table)
	if o.Table == "" {
		from, err = reachable(ctx, s, file, temporary, out)
	} else {
		_, err = s.Strings(ctx, "ATTACH "+lexer.QuoteText(file)+" AS points_of (READ_ONLY)")
	}
	if err != nil {
		return err
	}
	p, err := planned(ctx, s, from, file, o)
	if err != nil {
		return err
	}
	if there, err := s.Strings(ctx, "SELECT 1 FROM duckdb_tables() WHERE table_name = "+lexer.QuoteText(p.table)); err != nil || len(there) > 0 {
		return errors.Join(err, fmt.Errorf("%s already has a table %q: serve the database itself, or give another name to -save", database, p.table))
	}
	bar.Stop()
	names := make([]string, len(p.groups))
	for i, g := range p.groups {
		names[i] = g.name
	}
	by := ""
	if len(names) > 0 {
		by = " by " + strings.Join(names, " and ")
	}
	what := "points"
	if len(p.columns) == 1 { // a MULTIPOINT has several points
		what = "rows of points"
	}
	fmt.Fprintf(out, "%s: %d %s%s, in cells of %v (-res sets another size). The statement:\n%s;\n", file, p.rows, what, by, p.res, p.statement())
	if p.empty > 0 {
		fmt.Fprintf(out, "Rows left out, as they have no point: %d.\n", p.empty)
	}
	bar = s.ShowProgress(out)
	_, err = s.Strings(ctx, p.statement())
	return err
}

// reachable returns the name under which DuckDB can read a file of points. The file of a URL is copied
// to a folder if DuckDB's extension httpfs can be neither found nor installed.
func reachable(ctx context.Context, s *session.Session, file, folder string, out io.Writer) (string, error) {
	u, err := url.Parse(file)
	if isURL := err == nil && (u.Scheme == "http" || u.Scheme == "https"); !isURL || strings.Contains(u.Path, "*") {
		return file, nil
	}
	if _, err := s.Strings(ctx, "DESCRIBE FROM "+lexer.QuoteText(file)); err == nil || !strings.Contains(err.Error(), `extension "httpfs"`) {
		return file, nil // DuckDB's own error is better
	}
	copied := filepath.Join(folder, path.Base(u.Path)) // DuckDB recognises the format by the end of the name
	n, err := fetch(ctx, file, copied)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	fmt.Fprintf(out, "DuckDB's extension httpfs is not installed: copied %s, %d bytes.\n", file, n)
	return copied, nil
}

// fetch copies the contents of a URL to a file, and returns the number of bytes.
func fetch(ctx context.Context, from, file string) (int64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, http.NoBody)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close() //nolint:errcheck // opened for reading
	if answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("the server answered %s", answer.Status)
	}
	to, err := os.Create(file)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(to, answer.Body)
	return n, errors.Join(err, to.Close())
}

// pointTable is a table of points without sketches.
type pointTable struct {
	Table string `json:"table"`
	X     string `json:"x"` // columns of the coordinates; twice the same for a GEOMETRY column
	Y     string `json:"y"`
}

// tablesOfPoints returns the tables of points. It returns none if the database has sketches.
func (s *server) tablesOfPoints(ctx context.Context) ([]pointTable, error) {
	found := []pointTable{}
	if layers, err := s.all(ctx); err != nil || len(layers) > 0 {
		return found, err
	}
	db, done, err := s.source.use(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	all, err := tables(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, t := range all {
		if at, err := located(t.columns, Points{}); err == nil {
			found = append(found, pointTable{t.name, at.columns[0], at.columns[len(at.columns)-1]})
		}
	}
	return found, nil
}

// buildTable builds the sketches of a table of points, and serves them afterwards.
func (s *server) buildTable(r *http.Request) (any, error) {
	var asked struct {
		Table string `json:"table"`
	}
	if err := readJSON(r, &asked); err != nil {
		return nil, err
	}
	found, err := s.tablesOfPoints(r.Context())
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(found, func(t pointTable) bool { return t.Table == asked.Table }) {
		names := make([]string, len(found))
		for i, t := range found {
			names[i] = t.Table
		}
		return nil, &problem{http.StatusNotFound, fmt.Errorf("there is no table %q to build sketches of; there are: %s", asked.Table, strings.Join(names, ", "))}
	}
	return asked, s.build(asked.Table)
}
