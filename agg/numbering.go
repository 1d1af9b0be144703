package agg

import (
	"sync"
	"sync/atomic"
)

// maxConfigs is the largest number of configurations with a number, in one process.
const maxConfigs = 1 << 16

// numbering numbers configurations from 1 on, so that a state of 64 bytes can name its own. A
// number is never used again: DuckDB does not destroy all states, so nothing shows that no state
// names it any more. After maxConfigs, new configurations get no number, and their groups keep
// them in pages.
type numbering[T comparable] struct {
	mu      sync.Mutex
	numbers map[T]uint32
	configs [maxConfigs + 1]atomic.Pointer[T] // by number, its configuration; read without the lock
}

// number returns the number of a configuration, or 0 if it has none.
func (n *numbering[T]) number(config T) uint32 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if number, ok := n.numbers[config]; ok {
		return number
	}
	if len(n.numbers) == maxConfigs {
		return 0
	}
	if n.numbers == nil {
		n.numbers = map[T]uint32{}
	}
	number := uint32(len(n.numbers) + 1)
	n.numbers[config] = number
	n.configs[number].Store(&config)
	return number
}

// config returns the configuration with a number that number returned.
func (n *numbering[T]) config(number uint32) *T { return n.configs[number].Load() }
