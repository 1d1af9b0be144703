package tree

// Each calls f for the leaves of all sheets that meet an area, in order, until stop is
// set: f may be called a few times more. Leaves of several sheets that are the same square
// are one, with the points of all. Packets with damaged bytes have no leaves.
func Each(sheets []Sheet, a Area, b *Packet, stop *bool, f func(Leaf)) {
	least := uint64(0)
	if len(sheets) == 1 {
		sheets[0].Visit(a, b, &least, func(l Leaf, _ bool) {
			if f(l); *stop {
				least = ^uint64(0) // of the packets that are left
			}
		})
		return
	}
	all := merged(sheets, a, b)
	for i, key := range all.Keys {
		if *stop {
			return
		}
		f(Leaf{key, all.Counts[i], all.Level(i)})
	}
}

// merged is the leaves of sheets that meet an area, added up.
func merged(sheets []Sheet, a Area, b *Packet) Squares {
	var all Merger
	none := uint64(0)
	for i := range sheets {
		var s Squares
		sheets[i].Visit(a, b, &none, func(l Leaf, _ bool) { s.push(l.Key, l.Level, l.Count) })
		all.Add(s)
	}
	return all.Sum()
}
