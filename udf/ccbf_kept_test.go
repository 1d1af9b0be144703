package udf

import "testing"

// A thread that had begun before another one had kept the sketch pays for its questions
// behind that: it must not take it for one that is still to be bought.
func TestPayingForWhatIsBought(t *testing.T) {
	const price = 10
	tag := tagOf([]byte("a sketch that is asked by two threads"), true)
	a, b := accountOf(tag), accountOf(tag)
	if a.pay(price-1, price) || a.bought() {
		t.Fatal("bought for less than the price")
	}
	if !a.pay(1, price) {
		t.Fatal("the price was paid, but nobody buys")
	}
	if b.pay(price, price) {
		t.Fatal("two threads buy the same")
	}
	a.set(bought)
	if b.pay(1, price) || b.pay(price, price) || !b.bought() {
		t.Fatal("what was bought is paid for again")
	}
	a.set(0) // it was given up
	if b.pay(price-1, price) || !b.pay(1, price) {
		t.Fatal("what was given up is bought again for another price")
	}
	a.set(0)
}
