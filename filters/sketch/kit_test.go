package sketch

// A family of these tests: those of the project are not part of this program.
var (
	oak = Define(Family{ID: 250, Name: "oak", Article: "an"})
	fir = Define(Family{ID: 251, Name: "fir", Article: "a"})
)
