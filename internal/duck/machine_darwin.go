package duck

import "golang.org/x/sys/unix"

// systemMemory is what the machine has, where no file says it.
func systemMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil || n > 1<<62 {
		return 0
	}
	return int64(n)
}
