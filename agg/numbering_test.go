package agg

import "testing"

// TestNumbering checks that configurations have numbers of their own, and that those beyond the
// limit have none.
func TestNumbering(t *testing.T) {
	var n numbering[int]
	numbers := map[uint32]int{}
	for config := range maxConfigs {
		number := n.number(config)
		if other, taken := numbers[number]; taken || number == 0 {
			t.Fatalf("configuration %d has the number %d; %d has it too: %v", config, number, other, taken)
		}
		numbers[number] = config
	}
	if number := n.number(maxConfigs); number != 0 {
		t.Errorf("a configuration beyond the limit has the number %d", number)
	}
	for number, config := range numbers {
		if n.number(config) != number || *n.config(number) != config {
			t.Errorf("the number %d of configuration %d: %d, %d", number, config, n.number(config), *n.config(number))
		}
	}
}
