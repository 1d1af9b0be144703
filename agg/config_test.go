package agg

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

func configWith(t *testing.T, res float64) ccbf.Config {
	t.Helper()
	c, err := ccbf.Params{Res: res}.Config()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// No configuration is without a number forever: without one groups of few points
// need pages. Numbers that states bear are never another configuration's.
func TestManyConfigurations(t *testing.T) {
	before := configClock
	defer func() {
		configClock = before
		configs.ids, configs.hand, configs.full = nil, 0, false
		for i := range configs.places {
			configs.places[i].Store(nil)
		}
	}()
	now := uint32(1<<32 - 10) // it overflows on the way
	configClock = func() uint32 { return now }
	have := func(i, id uint32) {
		t.Helper()
		c := configWith(t, 1+float64(i)/1024)
		if got, err := configs.of(id); id == 0 || err != nil || *got != c || configs.number(c) != id {
			t.Fatalf("configuration %d has the number %d: %v", i, id, err)
		}
	}
	next := uint32(0)
	number := func() uint32 {
		next++
		return configs.number(configWith(t, 1+float64(next)/1024))
	}
	seen, numbers := map[uint32]bool{}, []uint32{}
	for len(numbers) < maxConfigs {
		id := number()
		if id == 0 || seen[id] {
			t.Fatalf("configuration %d has the number %d", next, id)
		}
		seen[id] = true
		numbers = append(numbers, id)
	}
	have(1, numbers[0])
	have(maxConfigs, numbers[maxConfigs-1])

	// All have just been used: the next one gets none, and they keep theirs.
	if id := number(); id != 0 {
		t.Errorf("a configuration has got the number %d of one in use", id)
	}
	now += configStays / 2
	have(1000, numbers[999])
	now += configStays/2 + 1
	for range 3000 { // past the one that was used meanwhile
		id := number()
		if id == 0 || seen[id] {
			t.Fatalf("configuration %d has the number %d", next, id)
		}
		seen[id] = true
		have(next, id)
	}
	have(1000, numbers[999])
	gone := 0
	for _, id := range numbers {
		if _, err := configs.of(id); err != nil {
			if !errors.Is(err, errConfig) {
				t.Fatal(err)
			}
			gone++
		}
	}
	if gone != 3000 || len(configs.ids) != maxConfigs {
		t.Errorf("%d have lost their numbers, want 3000; %d are known", gone, len(configs.ids))
	}
	// Each is there twice, as a key and with its number.
	if most := 2 * maxConfigs * unsafe.Sizeof(numberedConfig[ccbf.Config]{}); most > 32<<20 {
		t.Errorf("%d configurations take %d bytes", maxConfigs, most)
	} else {
		t.Logf("%d configurations take %d bytes and the map's own", maxConfigs, most)
	}
}
