//go:build !cgo

package connector

import _ "github.com/ccbfsql/ccbfsql/internal/needscgo" // whose error says what is missing
