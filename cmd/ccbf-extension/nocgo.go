//go:build !cgo

package main

import _ "github.com/ccbfsql/ccbfsql/internal/needscgo" // whose error says what is missing
