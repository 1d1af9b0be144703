package memory

import "golang.org/x/sys/unix"

// systemMemory returns the machine's memory in bytes, or 0 if it is not known.
func systemMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil || n > 1<<62 {
		return 0
	}
	return int64(n)
}
