package pipeline

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
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

// prism returns Beam's Prism server of go.mod's version, and a port for it.
func prism(t *testing.T) (program, port string) {
	t.Helper()
	out, err := exec.Command("go", "tool", "-n", "prism").Output()
	if err != nil {
		t.Fatalf("go tool -n prism: %v", err)
	}
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

// The commands of docs/SCALE.md: a Prism server starts this program as a worker, and the sketches
// equal those from SQL.
func TestWorkersAreProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	points(t, dir+"/a.parquet", 11, 12_000)
	points(t, dir+"/b.parquet", 12, 8000)

	text := string(must(os.ReadFile("../../../docs/SCALE.md")))
	found := regexp.MustCompile("(?s)\n## Workers in processes of their own\n.*?```sh\n(.*?)```\n").FindStringSubmatch(text)
	if found == nil {
		t.Fatal("docs/SCALE.md has no commands for workers in processes of their own")
	}
	program, port := prism(t)
	script := found[1]
	for _, r := range [][2]string{
		{"(cd beam && go tool prism ", "(exec '" + program + "' "},
		{"build/ccbf-pipeline", "'" + must(os.Executable()) + "'"},
		{"points/*.parquet", dir + "/*.parquet"},
		{"out/2018", dir + "/out/v"},
		{"8073", port},
		{"50000", freePort()},
	} {
		if !strings.Contains(script, r[0]) {
			t.Fatalf("the commands of docs/SCALE.md do not have %q:\n%s", r[0], script)
		}
		script = strings.ReplaceAll(script, r[0], r[1])
	}
	out, err := inGroup(t, exec.Command("sh", "-e", "-c", script))
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, out)
	}
	for _, name := range []string{"/out/v", "/out/v-external"} {
		same(t, dir+name, strings.Replace(direct, "%s", dir+"/*.parquet", 1))
	}
	if !strings.Contains(out, "20000  good rows") || !strings.Contains(out, "The workers are other processes") {
		t.Errorf("the run says:\n%s", out)
	}
}

// A killed worker ends the run with an error that names it, and no file remains.
func TestAWorkerProcessIsKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	points(t, dir+"/a.parquet", 13, 3000)
	out, err := onPrism(t, "-in="+dir+"/a.parquet", "-out=dying://"+dir+"/out/v", "-zoom=6", "-res=0.01")
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !regexp.MustCompile(`\nccbf-pipeline: .*worker\[job-\S+_go\]`).MatchString(out) {
		t.Errorf("%v: %s", err, out)
	}
	if left := must(filepath.Glob(dir + "/out/*.json")); len(left) > 0 {
		t.Errorf("files %v are left", left)
	}
}

// A worker of another program than the client reports that, and the run ends.
func TestWorkersAreTheSameProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	points(t, dir+"/a.parquet", 14, 100)
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("another program"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := onPrism(t, "-in="+dir+"/a.parquet", "-out="+dir+"/v", "-res=0.01", "-worker_binary="+other)
	if err == nil || !regexp.MustCompile(`\nccbf-pipeline: .*is not the program that started the pipeline`).MatchString(out) {
		t.Errorf("%v: %s", err, out)
	}
	if left := must(filepath.Glob(filepath.Join(dir, "v*"))); len(left) > 0 {
		t.Errorf("files %v are left", left)
	}
}

// A run leaves no temporary files behind, neither its own nor Beam's.
func TestTemporaryFilesAreRemoved(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	points(t, dir+"/a.parquet", 15, 100)
	cmd := exec.Command(must(os.Executable()), "-in="+dir+"/a.parquet", "-out="+dir+"/v", "-res=0.01")
	cmd.Env = append(os.Environ(), commandEnv+"=1", "TMPDIR="+temp)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if left := entries(t, temp); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// Ctrl-C ends a run in the middle of a query, and leaves nothing.
func TestASignal(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	run(t, "COPY (SELECT i FROM range(4_000_000) t(i)) TO '%s/a.parquet'", dir)
	// All rows but the first take long: together some minutes. Lengths differ, because DuckDB
	// computes a value that is equal in a whole chunk once.
	cmd := exec.Command(must(os.Executable()), "-in="+dir+"/a.parquet", "-out="+dir+"/out/v", "-threads=1",
		"-sql=SELECT min(md5(repeat('x', CASE WHEN i < 1000 THEN 1 ELSE 20000 + i % 7 END))) AS m FROM input")
	cmd.Env = append(os.Environ(), commandEnv+"=1", "TMPDIR="+temp)
	said := must(cmd.StderrPipe())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	text := ""
	for lines := bufio.NewScanner(said); lines.Scan(); {
		text += lines.Text() + "\n"
		if strings.HasSuffix(lines.Text(), "parts united") { // a line of progress
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(text, "\nccbf-pipeline: ended by a signal") {
		t.Errorf("%v: %s", err, text)
	}
	if left := entries(t, temp); len(left) > 0 {
		t.Errorf("%v are left among the temporary files", left)
	}
	if left := must(filepath.Glob(dir + "/out/*")); len(left) > 0 {
		t.Errorf("files %v are left", left)
	}
}
