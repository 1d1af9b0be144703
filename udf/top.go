package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/filters/top"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// The functions of sketches of frequent keys alone.
var _ = only(top.Family,
	function("", "X_keys", topKeysType, topKeys,
		"The keys that the sketch keeps, the most frequent first, at most k. The true count of each is between low and high. "+
			"Keys are returned as text, whatever their type; a cast restores the value, for example key::BIGINT or key::STRUCT(a VARCHAR, b DATE). "+unnestAdvice,
		"unnest(X_keys(s), recursive := true) FROM (SELECT X_agg(word) s FROM (VALUES ('to'), ('be'), ('to')) t(word))", params(paramSketch)),
)

// The type of X_keys is known before any sketch is, so its keys cannot have the type of the sketch's.
var topKeysType = duck.ListOf(duck.StructOf(
	duck.Field{Name: "key", Type: duck.Varchar}, duck.Field{Name: "low", Type: duck.UBigInt}, duck.Field{Name: "high", Type: duck.UBigInt}))

// topRow is the bytes of an element of topKeysType in DuckDB's memory beside a long text. Vectors grow
// to twice their size.
const topRow = 2 * (16 + 2*8)

// topKeys computes top_keys.
func topKeys(c *call) error {
	var text []byte
	return eachBlob(c, func(blob []byte) (top.View, error) {
		if err := sketch.Verify(blob); err != nil { // check the whole BLOB, as all of it is read anyway
			return top.View{}, err
		}
		return top.NewView(blob)
	}, func(v *top.View, i int) error {
		keys := v.Keys()
		if err := c.out.Charge(int64(v.Info().Bytes) + topRow*int64(len(keys))); err != nil {
			return err
		}
		list := c.out.List(i, len(keys))
		texts, lows, highs := list.Field(0), duck.Out[uint64](list.Field(1)), duck.Out[uint64](list.Field(2))
		for j, k := range keys {
			text = key.AppendText(text[:0], v.KeyClass(), k.Key)
			texts.SetBytes(j, text)
			lows[j], highs[j] = k.Low, k.High
		}
		return nil
	})
}
