package key

// Ways calls test for each way in which this processor can hash many keys.
func Ways(test func()) {
	four, eights := lanes, eight
	defer func() { lanes, eight = four, eights }()
	for way := range 3 {
		lanes, eight = four && way > 0, eights && way > 1
		test()
	}
}
