package memory

import (
	"cmp"
	"os"
	"path"
	"strconv"
	"strings"
)

// defaultLimit returns 15% of the memory that the machine and the process's cgroup allow. DuckDB's
// own limit is 80% by default; the rest is for the process itself.
func defaultLimit() int64 {
	const unknown = 8 << 30 // the limit if the size of the memory is not known
	return cmp.Or(machineMemory(os.ReadFile), systemMemory(), unknown) / 100 * 15
}

// machineMemory returns the smallest of the machine's memory and the limits of the process's
// cgroups, in bytes, or 0 if nothing is known. It reads files by read.
func machineMemory(read func(string) ([]byte, error)) int64 {
	var least int64
	consider := func(n int64) {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	consider(physicalMemory(read))
	groups, err := read("/proc/self/cgroup")
	if err != nil {
		return least
	}
	for line := range strings.Lines(string(groups)) {
		// A line is hierarchy:controllers:path. Version 2 of cgroups has hierarchy 0 and no controllers.
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		root, file := "", ""
		switch {
		case parts[0] == "0" && parts[1] == "":
			root, file = "/sys/fs/cgroup", "memory.max"
		case strings.Contains(","+parts[1]+",", ",memory,"):
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		// A limit of the group or of any parent group counts. Inside a container, the path may be that on
		// the host. The group is then at the root of the visible tree, where the loop ends.
		for dir := path.Clean("/" + parts[2]); ; dir = path.Dir(dir) {
			if b, err := read(path.Join(root, dir, file)); err == nil {
				if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil {
					consider(n)
				}
			}
			if dir == "/" {
				break
			}
		}
	}
	return least
}

// physicalMemory returns the machine's memory in bytes by Linux's /proc/meminfo, or 0.
func physicalMemory(read func(string) ([]byte, error)) int64 {
	info, err := read("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(info)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err == nil {
				return n << 10
			}
		}
	}
	return 0
}
