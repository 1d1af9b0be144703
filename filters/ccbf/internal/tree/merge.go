package tree

import "github.com/ccbfsql/ccbfsql/filters/internal/saturate"

// Merge adds the points of two lists: what each knows is kept.
func Merge(a, b Squares) Squares {
	switch {
	case a.Len() == 0:
		return b
	case b.Len() == 0:
		return a
	}
	n := a.Len() + b.Len()
	m := Squares{make([]uint64, 0, n), make([]uint8, 0, n), make([]uint64, 0, n)}
	i, j := 0, 0
	for i < a.Len() && j < b.Len() {
		ka, la, kb, lb := a.Keys[i], a.Level(i), b.Keys[j], b.Level(j)
		switch {
		case ka == kb && la == lb:
			m.push(ka, la, saturate.Add(a.Counts[i], b.Counts[j]))
			i++
			j++
		case before(ka, la, kb, lb):
			m.push(ka, la, a.Counts[i])
			i++
		default:
			m.push(kb, lb, b.Counts[j])
			j++
		}
	}
	for ; i < a.Len(); i++ {
		m.push(a.Keys[i], a.Level(i), a.Counts[i])
	}
	for ; j < b.Len(); j++ {
		m.push(b.Keys[j], b.Level(j), b.Counts[j])
	}
	return m
}

// Merger adds up many lists: the sum of all does not depend on their order. A list
// is merged with others of about its size alone, so that each square is moved
// O(log n) times.
type Merger struct{ lists []Squares }

// Add adds a list, which is not changed.
func (m *Merger) Add(s Squares) {
	if s.Len() == 0 {
		return
	}
	m.lists = append(m.lists, s)
	for n := len(m.lists); n > 1 && m.lists[n-2].Len() < 2*m.lists[n-1].Len(); n-- {
		m.lists = append(m.lists[:n-2], Merge(m.lists[n-2], m.lists[n-1]))
	}
}

// Lists are the lists as they are at the moment: their sum is that of all.
func (m *Merger) Lists() []Squares { return m.lists }

// Len is how many squares there are, some of them possibly twice and more.
func (m *Merger) Len() int {
	n := 0
	for i := range m.lists {
		n += m.lists[i].Len()
	}
	return n
}

// Sum is all lists added up.
func (m *Merger) Sum() Squares {
	for n := len(m.lists); n > 1; n-- {
		m.lists = append(m.lists[:n-2], Merge(m.lists[n-2], m.lists[n-1]))
	}
	if len(m.lists) == 0 {
		return Squares{}
	}
	return m.lists[0]
}
