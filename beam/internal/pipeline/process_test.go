package pipeline

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// commandEnv is a variable of the environment. With it, this program is ccbf-pipeline: the client
// of a run, and its workers.
const commandEnv = "CCBF_TEST_IS_PIPELINE"

func asCommand() bool {
	if os.Getenv(commandEnv) == "" {
		return false
	}
	if err := Command(os.Args[1:], "test"); err != nil {
		fmt.Fprintln(os.Stderr, "ccbf-pipeline:", err)
		os.Exit(1)
	}
	return true
}

// command returns ccbf-pipeline with arguments as a child process.
func command(args ...string) *exec.Cmd {
	cmd := exec.Command(must(os.Executable()), args...)
	cmd.Env = append(os.Environ(), commandEnv+"=1")
	return cmd
}

// prism returns Beam's Prism server of go.mod's version, and a port for it.
func prism(t *testing.T) (program, port string) {
	t.Helper()
	out, err := exec.Command("go", "tool", "-n", "prism").Output()
	require.NoError(t, err, "go tool -n prism")
	return strings.TrimSpace(string(out)), freePort()
}

func freePort() string {
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// inGroup runs a command in a process group, which ends with it, and returns its output.
func inGroup(t *testing.T, cmd *exec.Cmd) (string, error) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env = append(os.Environ(), commandEnv+"=1")
	cmd.WaitDelay = time.Second // a server still holds the pipe
	timer := time.AfterFunc(2*time.Minute, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer timer.Stop()
	out, err := cmd.CombinedOutput()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return string(out), err
}

// onPrism runs ccbf-pipeline on its own Prism server, whose workers are processes.
func onPrism(t *testing.T, args ...string) (string, error) {
	t.Helper()
	program, port := prism(t)
	script := `"$1" -job_port="$2" -serve_http=false & shift; port=$1; shift; exec "$@" -endpoint=localhost:$port`
	args = append([]string{"-c", script, "sh", program, port, must(os.Executable()), "-runner=prism", "-environment_type=PROCESS"}, args...)
	return inGroup(t, exec.Command("sh", args...))
}

// The commands of docs/SCALE.md work in their order, and its query finds crimes. The builds are not
// run, and a part of the points is there.
func TestThePage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	page, _, _ := strings.Cut(string(must(os.ReadFile("../../../docs/SCALE.md"))), "\n## Workers in processes of their own\n")
	require.NoError(t, os.Mkdir(dir+"/points", 0o755))
	for month := 10; month <= 12; month++ {
		run(t, `COPY (SELECT lon, lat, category AS kind, (month || '-01')::DATE AS seen FROM '../../../test/data/uk_crime_2018q4.parquet'
			WHERE month = '2018-%d' AND hash(lon, lat) %% 20 = 0) TO '%s/points/2018-%[1]d.parquet'`, month, dir)
	}
	ran := 0
	for _, block := range regexp.MustCompile("(?s)```(sh|sql)\n(.*?)```").FindAllStringSubmatch(page, -1) {
		switch text := strings.ReplaceAll(block[2], "build/ccbf-pipeline", "'"+must(os.Executable())+"'"); {
		case block[1] == "sql":
			set, query, _ := strings.Cut(strings.Replace(text, "'out/", "'"+dir+"/out/", 1), ";\n")
			run(t, "%s", set)
			require.EqualValues(t, 2, one(t, "SELECT count_if(crimes > 0) FROM (%s)", strings.TrimSuffix(query, ";\n")), "the months of the page's query")
		case text != block[2] && !strings.HasPrefix(text, "make"):
			cmd := exec.Command("sh", "-e", "-c", text)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), commandEnv+"=1")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s\n%s", text, out)
			ran++
		}
	}
	require.Equal(t, 3, ran, "blocks of commands")
	require.Equal(t, one(t, "SELECT count(*) FROM '%s/points/*.parquet'", dir), one(t, "SELECT sum(total)::BIGINT FROM %s", result(t, dir+"/compact/2018")))
}

// The commands of docs/SCALE.md: a Prism server starts this program as a worker, and the sketches
// equal those from SQL.
func TestWorkersAreProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	points(t, dir+"/a.parquet", 11, 12_000)
	points(t, dir+"/b.parquet", 12, 8000)

	text := string(must(os.ReadFile("../../../docs/SCALE.md")))
	found := regexp.MustCompile("(?s)\n## Workers in processes of their own\n.*?```sh\n(.*?)```\n").FindStringSubmatch(text)
	require.NotNil(t, found, "docs/SCALE.md has no commands for workers in processes of their own")
	program, port := prism(t)
	script := found[1]
	for _, r := range [][2]string{
		{"(cd beam && go tool prism ", "(exec '" + program + "' "},
		{"build/ccbf-pipeline", "'" + must(os.Executable()) + "'"},
		{"points/*.parquet", dir + "/*.parquet"},
		{"workers/2018", dir + "/out/v"},
		{"8073", port},
		{"50000", freePort()},
	} {
		require.Contains(t, script, r[0], "the commands of docs/SCALE.md")
		script = strings.ReplaceAll(script, r[0], r[1])
	}
	out, err := inGroup(t, exec.Command("sh", "-e", "-c", script))
	require.NoError(t, err, "%s\n%s", script, out)
	for _, name := range []string{"/out/v", "/out/v-external"} {
		same(t, dir+name, strings.Replace(direct, "%s", dir+"/*.parquet", 1))
	}
	require.Contains(t, out, "20000  good rows")
	require.Contains(t, out, "The workers are other processes")
}

// A flag that is wrong or has no effect is named, in one line.
func TestFlagsThatAreRefused(t *testing.T) {
	t.Parallel()
	sum := "-sql=SELECT sum(lon) AS n FROM input"
	for want, args := range map[string][]string{
		"flag provided but not defined: -byte (ccbf-pipeline -help lists":       {"-byte", "3"},
		`invalid value "1MB" for flag -bytes: must be a whole number from 256`:  {"-bytes=1MB"},
		`invalid value "8,x" for flag -layers: must be a list of whole numbers`: {"-layers=8,x"},
		`invalid boolean value "maybe" for -exact: must be BOOLEAN`:             {"-exact=maybe"},
		"-bucket has no effect without -time":                                   {"-res=1", "-bucket=month"},
		"-check has no effect without -sql":                                     {"-res=1", "-check=NULL"},
		"-x has no effect beside -sql":                                          {sum, "-x=lon", "-y=lat"},
		"-bytes has no effect beside -sql":                                      {sum, "-bytes=4096"},
	} {
		out, err := command(append(args, "-in=p.parquet", "-out=v")...).CombinedOutput()
		require.Error(t, err)
		require.Regexp(t, `^ccbf-pipeline: .*\n$`, string(out))
		require.Contains(t, string(out), want)
	}
	out := must(command("-help").Output())
	require.Contains(t, string(out), "option bytes of ccbf_agg")
}

// A killed worker ends the run with an error that names it, and no file remains.
func TestAWorkerProcessIsKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	points(t, dir+"/a.parquet", 13, 3000)
	out, err := onPrism(t, "-in="+dir+"/a.parquet", "-out=dying://"+dir+"/out/v", "-zoom=6", "-res=0.01")
	require.Error(t, err)
	require.Regexp(t, `\nccbf-pipeline: .*worker\[job-\S+_go\]`, out)
	require.Empty(t, files(dir+"/out/*.json"))
}

// A worker of another program than the client reports that, and the run ends.
func TestWorkersAreTheSameProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	points(t, dir+"/a.parquet", 14, 100)
	fillWith(t, dir+"/other", "another program")
	out, err := onPrism(t, "-in="+dir+"/a.parquet", "-out="+dir+"/v", "-res=0.01", "-worker_binary="+dir+"/other")
	require.Error(t, err)
	require.Regexp(t, `\nccbf-pipeline: .*is not the program that started the pipeline`, out)
	require.Empty(t, files(dir+"/v*"))
}

// A run leaves no temporary files behind, neither its own nor Beam's.
func TestTemporaryFilesAreRemoved(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	points(t, dir+"/a.parquet", 15, 100)
	cmd := command("-in="+dir+"/a.parquet", "-out="+dir+"/v", "-res=0.01")
	cmd.Env = append(cmd.Env, "TMPDIR="+temp)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, files(temp+"/*"))
}

// Ctrl-C ends a run in the middle of a query, and leaves nothing.
func TestASignal(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	run(t, "COPY (SELECT i FROM range(4_000_000) t(i)) TO '%s/a.parquet'", dir)
	// All rows but the first take long: together some minutes. Lengths differ, because DuckDB
	// computes a value that is equal in a whole chunk once.
	cmd := command("-in="+dir+"/a.parquet", "-out="+dir+"/out/v", "-threads=1",
		"-sql=SELECT min(md5(repeat('x', CASE WHEN i < 1000 THEN 1 ELSE 20000 + i % 7 END))) AS m FROM input")
	cmd.Env = append(cmd.Env, "TMPDIR="+temp)
	said := must(cmd.StderrPipe())
	require.NoError(t, cmd.Start())
	text := ""
	for lines := bufio.NewScanner(said); lines.Scan(); {
		text += lines.Text() + "\n"
		if strings.HasSuffix(lines.Text(), "parts united") { // a line of progress
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
		}
	}
	require.Error(t, cmd.Wait())
	require.Contains(t, text, "\nccbf-pipeline: ended by a signal")
	require.Empty(t, files(temp+"/*"))
	require.Empty(t, files(dir+"/out/*"))
}
