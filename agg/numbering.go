package agg

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// numbering gives numbers to configurations, so that a state of 64 bytes can name
// its own. States outlive all that could tell when a number is free again: DuckDB
// does not destroy all of them. So there are maxConfigs numbers, and where they
// are used up, a new configuration gets the place of one that no callback has
// named for long, in the order of a clock's hand (second chance). Where there is
// none, it has no number this time, and its groups keep it in their pages.
type numbering[T comparable] struct {
	sync.Mutex
	ids  map[T]uint32
	hand uint32
	full bool
	// By the number's low bits. Read without the lock.
	places [maxConfigs]atomic.Pointer[numberedConfig[T]]
}

type numberedConfig[T comparable] struct {
	config  T
	id      uint32
	touched atomic.Uint32 // clock of the last use
}

const (
	placeBits  = 16
	maxConfigs = 1 << placeBits
	// configStays is for how many callbacks a configuration keeps its number
	// after its last use: of chunks of 2,048 rows, two thousand million rows. A
	// query that comes back to a group later than that, after as many other
	// configurations as there are numbers, ends with an error.
	configStays = 1 << 20
	// configLooks is how many places one search looks at.
	configLooks = 64
)

var errConfig = fmt.Errorf("more than %d combinations of parameters are in use, and that of this group was dropped; use fewer of them in one query", maxConfigs)

// configClock counts callbacks; tests have one of their own.
var configClock = duck.Clock

func (c *numberedConfig[T]) touch(now uint32) {
	if c.touched.Load() != now {
		c.touched.Store(now)
	}
}

// number returns the number of a configuration, which is not 0; or 0 where none is
// free at the moment.
func (n *numbering[T]) number(c T) uint32 {
	now := configClock()
	n.Lock()
	defer n.Unlock()
	if id, ok := n.ids[c]; ok {
		n.places[id%maxConfigs].Load().touch(now)
		return id
	}
	place, before := n.freePlace(now)
	if place == maxConfigs {
		return 0
	}
	// The high bits count who had the place, and are never 0: an old number is
	// not taken for a new one until 2^16 configurations have followed it.
	turn := uint32(1)
	if before != nil {
		delete(n.ids, before.config)
		turn = max(before.id>>placeBits+1&(1<<(32-placeBits)-1), 1)
	}
	p := &numberedConfig[T]{config: c, id: turn<<placeBits | place}
	p.touched.Store(now)
	if n.ids == nil {
		n.ids = map[T]uint32{}
	}
	n.ids[c] = p.id
	n.places[place].Store(p)
	return p.id
}

// freePlace is a place for a new configuration, and who has had it so far;
// maxConfigs where there is none.
func (n *numbering[T]) freePlace(now uint32) (uint32, *numberedConfig[T]) {
	looks := 1
	if n.full {
		looks = configLooks
	}
	for range looks {
		place := n.hand
		n.hand = (n.hand + 1) % maxConfigs
		n.full = n.full || n.hand == 0
		before := n.places[place].Load()
		// A callback that has begun since may have touched it: less than 0.
		if before == nil || int32(now-before.touched.Load()) > configStays {
			return place, before
		}
	}
	return maxConfigs, nil
}

// of is the configuration with a number. It is an error only where the number has
// gone to another one.
func (n *numbering[T]) of(id uint32) (*T, error) {
	p := n.places[id%maxConfigs].Load()
	if p == nil || p.id != id {
		return nil, errConfig
	}
	p.touch(configClock())
	return &p.config, nil
}
