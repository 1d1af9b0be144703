package agg

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// configs gives numbers to configurations, so that a state of 64 bytes can name
// its own. States outlive all that could tell when a number is free again: DuckDB
// does not destroy all of them. So there are maxConfigs numbers, and where they
// are used up, a new configuration gets the place of one that no callback has
// named for long, in the order of a clock's hand (second chance). Where there is
// none, it has no number this time, and its groups keep it in their pages.
var configs struct {
	sync.Mutex
	ids  map[ccbf.Config]uint32
	hand uint32
	full bool
	// By the number's low bits. Read without the lock.
	places [maxConfigs]atomic.Pointer[numbered]
}

type numbered struct {
	ccbf.Config
	id      uint32
	touched atomic.Uint32 // clock of the last use
}

const (
	placeBits  = 16
	maxConfigs = 1 << placeBits
	// configStays is for how many callbacks a configuration keeps its number
	// after its last use: of chunks of 2,048 rows, two thousand million rows. A
	// query that comes back to a group later than that, after as many other
	// configurations as there are numbers, ends with errConfig.
	configStays = 1 << 20
	// configLooks is how many places one search looks at.
	configLooks = 64
)

// configClock counts callbacks; tests have one of their own.
var configClock = duck.Clock

var errConfig = fmt.Errorf("more than %d combinations of resolution and options are in use, and that of this group was dropped; use fewer of them in one query", maxConfigs)

func (c *numbered) touch(now uint32) {
	if c.touched.Load() != now {
		c.touched.Store(now)
	}
}

// intern returns the number of a configuration, which is not 0; or 0 where none is
// free at the moment.
func intern(c ccbf.Config) uint32 {
	now := configClock()
	configs.Lock()
	defer configs.Unlock()
	if id, ok := configs.ids[c]; ok {
		configs.places[id%maxConfigs].Load().touch(now)
		return id
	}
	place, before := freePlace(now)
	if place == maxConfigs {
		return 0
	}
	// The high bits count who had the place, and are never 0: an old number is
	// not taken for a new one until 2^16 configurations have followed it.
	turn := uint32(1)
	if before != nil {
		delete(configs.ids, before.Config)
		turn = max(before.id>>placeBits+1&(1<<(32-placeBits)-1), 1)
	}
	n := &numbered{Config: c, id: turn<<placeBits | place}
	n.touched.Store(now)
	if configs.ids == nil {
		configs.ids = map[ccbf.Config]uint32{}
	}
	configs.ids[c] = n.id
	configs.places[place].Store(n)
	return n.id
}

// freePlace is a place for a new configuration, and who has had it so far;
// maxConfigs where there is none.
func freePlace(now uint32) (uint32, *numbered) {
	looks := 1
	if configs.full {
		looks = configLooks
	}
	for range looks {
		place := configs.hand
		configs.hand = (configs.hand + 1) % maxConfigs
		configs.full = configs.full || configs.hand == 0
		before := configs.places[place].Load()
		// A callback that has begun since may have touched it: less than 0.
		if before == nil || int32(now-before.touched.Load()) > configStays {
			return place, before
		}
	}
	return maxConfigs, nil
}

// interned is the configuration with a number. It is an error only where the
// number has gone to another one.
func interned(id uint32) (*ccbf.Config, error) {
	n := configs.places[id%maxConfigs].Load()
	if n == nil || n.id != id {
		return nil, errConfig
	}
	n.touch(configClock())
	return &n.Config, nil
}
