package render

import (
	"encoding/json"
	"strings"
)

// jsonArray writes one JSON array of objects.
func jsonArray(columns []Column, o Options) lineFormat {
	return lineFormat{open: "[", between: ",\n", row: around{"{", ",", "}"}, end: "]\n", value: fields(columns, o)}
}

// jsonLines writes each row as a JSON object.
func jsonLines(columns []Column, o Options) lineFormat {
	return lineFormat{row: around{"{", ",", "}\n"}, value: fields(columns, o)}
}

// fields returns a function that writes a value as a field of a JSON object.
func fields(columns []Column, o Options) func(c Column, v Cell) string {
	keys := map[string]string{}
	for _, c := range columns {
		keys[c.Name] = quoteJSON(c.Name) + ":"
	}
	return func(c Column, v Cell) string { return keys[c.Name] + jsonValue(c, v, o) }
}

// jsonValue encodes one cell. Infinity, NaN and all else that JSON cannot express as a number
// become strings.
func jsonValue(c Column, v Cell, o Options) string {
	switch {
	case v.Null:
		return "null"
	case o.Short && c.holdsBlobs():
		return quoteJSON(short(c, v, o))
	case c.Kind == Number && isJSONNumber(v.Text), c.Kind == Bool:
		return v.Text
	case c.Kind == JSON && json.Valid([]byte(v.Text)):
		return v.Text
	case c.Kind == Blob:
		return quoteJSON(BlobText(v.Text))
	default:
		return quoteJSON(v.Text)
	}
}

func isJSONNumber(text string) bool {
	if text == "" || text[len(text)-1] > '9' { // "inf", "nan" and "infinity" are not numbers in JSON
		return false
	}
	return json.Valid([]byte(text))
}

// quoteJSON returns a text as a JSON string, without escapes for HTML.
func quoteJSON(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // no error is possible: a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
