package key

import (
	"errors"
	"fmt"
	"math/big"
)

// Class is a kind of keys: equal values of one class are one key, whatever the width of their SQL type.
// The numbers are stored in BLOBs and never reused. Those of STRUCTs are above the others (Struct).
type Class uint64

// The classes of version 1. None is the class of a sketch that has seen no key.
const (
	None  Class = 0
	Int   Class = 1 // integers of any width and sign
	Float Class = 2 // DOUBLE
	Text  Class = 3 // VARCHAR and ENUM
	Blob  Class = 4 // BLOB
	Bool  Class = 5 // BOOLEAN

	Date        Class = 6 // DATE
	Time        Class = 7 // TIME
	Timestamp   Class = 8 // TIMESTAMP in any unit
	TimestampTZ Class = 9 // TIMESTAMP WITH TIME ZONE

	UUID     Class = 10 // UUID
	Decimal  Class = 11 // DECIMAL of any width and scale
	Interval Class = 12 // INTERVAL
	TimeTZ   Class = 13 // TIME WITH TIME ZONE

	lastClass = TimeTZ

	// Real is FLOAT. It has the keys of the DOUBLE of the same value, but SQL rounds values that it
	// compares with a FLOAT to 24 bits. The number takes two of the four-bit parts of a STRUCT's class.
	Real Class = 2 << partBits
)

var classNames = [...]string{
	None: "no", Int: "BIGINT", Float: "DOUBLE", Text: "VARCHAR", Blob: "BLOB", Bool: "BOOLEAN",
	Date: "DATE", Time: "TIME", Timestamp: "TIMESTAMP", TimestampTZ: "TIMESTAMPTZ", UUID: "UUID",
	Decimal: "DECIMAL", Interval: "INTERVAL", TimeTZ: "TIMETZ",
}

// String returns the name of the widest SQL type of the class.
func (c Class) String() string {
	switch {
	case c <= lastClass:
		return classNames[c]
	case c == Real:
		return "FLOAT"
	case c.Known():
		return structName(c)
	}
	return fmt.Sprintf("unknown (class %d)", uint64(c))
}

// Known reports whether this version defines the class; None is known.
func (c Class) Known() bool { return c <= lastClass || c == Real || c.IsStruct() && knownStruct(c) }

// ErrClass is the error for a key whose class does not fit a sketch's keys.
var ErrClass = errors.New("key of another class")

// ClassError is the error for a key that cannot be looked up in a sketch. It wraps ErrClass.
type ClassError struct {
	From, To Class
	// Value is the key as text if the classes can agree but this value does not. Otherwise it is empty.
	Value string
}

// Error returns a text with both classes, and with the value if the error is due to it.
func (e *ClassError) Error() string {
	s := fmt.Sprintf("a %v key does not fit a sketch of %v keys", e.From, e.To)
	castable := func(c Class) bool { return c != Blob && !c.IsStruct() }
	switch v, ok := new(big.Rat).SetString(e.Value); {
	case e.Value == "" && (e.From == Text || e.To == Text) && castable(e.From) && castable(e.To):
		s += fmt.Sprintf(": cast it to %v", e.To)
	case e.Value == "" && e.From.IsStruct() && len(e.From.Fields()) == 1 && Fits(e.From.Fields()[0], e.To):
		s += ": pass the value alone, without the STRUCT"
	case e.Value == "":
	case ok && isBinary(e.From) && (e.To == Decimal || e.To == Int && v.IsInt()):
		s += fmt.Sprintf(": %s is equal to more than one %v, cast it to one", e.Value, e.To)
	default:
		s += fmt.Sprintf(": %s is not exactly a %v", e.Value, e.To)
	}
	return s
}

// Unwrap returns ErrClass.
func (e *ClassError) Unwrap() error { return ErrClass }
