package agg

import (
	"sync"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

// configs gives numbers to configurations, so that a state of 64 bytes can name
// its own. States outlive all that could tell when a number is free again, so past
// maxConfigs a configuration has none, and its groups keep it in
// their blocks.
var configs struct {
	sync.Mutex
	ids map[ccbf.Config]uint32
	// By number. It is appended to in place: readers hold an earlier, shorter one.
	list atomic.Pointer[[]*ccbf.Config]
}

const maxConfigs = 1 << 16

// intern returns the number of a configuration, from 1 on; 0 where it has none.
func intern(c ccbf.Config) uint32 {
	configs.Lock()
	defer configs.Unlock()
	if id, ok := configs.ids[c]; ok {
		return id
	}
	var list []*ccbf.Config
	if p := configs.list.Load(); p != nil {
		list = *p
	}
	if len(list) >= maxConfigs {
		return 0
	}
	if configs.ids == nil {
		configs.ids = map[ccbf.Config]uint32{}
		list = []*ccbf.Config{nil}
	}
	id := uint32(len(list))
	list = append(list, &c)
	configs.list.Store(&list)
	configs.ids[c] = id
	return id
}

// interned is the configuration with a number.
func interned(id uint32) *ccbf.Config { return (*configs.list.Load())[id] }
