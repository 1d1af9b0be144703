package tree

import "math/bits"

// The code of a sheet. Squares of one level, the root level, that hold leaves are
// trees; larger leaves are trees by themselves. Trees stand in Z-order, each with the
// gap to the one before but for the first of a stretch, and are written from the
// root down: for each square that is split one symbol for what its four quarters
// are, then what there is to say of these, in order. So where leaves are close their
// places take less than a bit for each level, and where they are far apart they take
// what gaps take.

// What a quarter is, two bits of a split square's symbol.
const (
	absent = iota // no points
	one           // a leaf with one point
	more          // a leaf with more
	split
)

// maxRoot is the highest root level, and that of all lists but some of cells alone.
const maxRoot = 4

// maxTree is the most leaves that a tree can have.
const maxTree = 1 << (2 * maxRoot)

// The tables of a code: one for the kinds of roots; one each for what is in squares
// of level 1, of level 2, and above; one each for counts of leaves of level 0, 1 and
// so on to 4, and above.
const (
	rootTable   = 0
	splitTable  = 1
	splitTables = 3
	countTable  = splitTable + splitTables
	countTables = 6
	tables      = countTable + countTables
)

// symbols is the number of symbols that a table can have.
const symbols = 256

// rootSymbol is that of a root: a split square of the root level, or a leaf.
func rootSymbol(level, root uint8, what int) int {
	if what == split {
		return 0
	}
	return 2*int(level-root) + what
}

// splitTableOf and countTableOf are the tables for a square of a level.
func splitTableOf(level uint8) int { return splitTable + int(min(level, splitTables)) - 1 }
func countTableOf(level uint8) int { return countTable + int(min(level, countTables-1)) }

// Counts of 2 and more, less 2, are written as themselves below direct, and
// otherwise as their length in bits and all bits but the first.
const direct = 8

func countSymbol(n uint64) (symbol int, extra uint) {
	if n -= 2; n < direct {
		return int(n), 0
	}
	length := bits.Len64(n)
	return direct + length - 4, uint(length - 1)
}

// From how many leaves on a packet, and a stretch of it, ends with the tree it is in.
// A lookup reads where the stretches of a packet begin, and then one of them.
const (
	packetLeaves  = 256
	stretchLeaves = 128
)

// maxPacket is more leaves than a packet can have, by those of a square of level 1.
const maxPacket = packetLeaves + maxTree + 4

// nextTree is the first leaf from one on that is the first of a tree of its own.
func nextTree(s *Squares, root uint8, leaf int) int {
	for ; leaf < s.Len() && (s.Keys[leaf]^s.Keys[leaf-1])&^side2(root) == 0; leaf++ {
	}
	return min(leaf, s.Len())
}

// write gives the leaves of a sheet to an encoder.
func write(s *Squares, root uint8, out *Encoder) {
	after := uint64(0)
	packet, stretch := -packetLeaves, 0 // the first leaves of both
	for i := 0; i < s.Len(); {
		key, level, from := s.Keys[i], s.Level(i), i
		what := split
		if level >= root {
			i++
			what = kind(s.Counts[from])
		} else {
			level = root
			key &^= side2(root)
			for i++; i < s.Len() && s.Keys[i]&^side2(root) == key; i++ {
			}
		}
		begins := true
		switch {
		case from-packet >= packetLeaves:
			packet, stretch = from, from
			out.packet(key)
		case from-stretch >= stretchLeaves:
			stretch = from
			out.stretch(key)
		default:
			begins = false
		}
		out.symbol(rootTable, rootSymbol(level, root, what))
		if !begins {
			out.gap(level, (key-after)>>(2*level)) // whole squares of the tree's size
		}
		if what == split {
			out.tree(s, root, from, i)
		} else {
			out.count(level, s.Counts[from])
		}
		after = key + side2(level) + 1
	}
}

// kind is what a leaf with n points is.
func kind(n uint64) int {
	if n == 1 {
		return one
	}
	return more
}
