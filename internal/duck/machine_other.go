//go:build !darwin

package duck

// systemMemory is what the machine has, where no file says it. On Windows nothing
// is asked yet.
func systemMemory() int64 { return 0 }
