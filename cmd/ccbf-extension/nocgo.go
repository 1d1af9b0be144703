//go:build !cgo

package main

import _ "github.com/ccbfsql/ccbfsql/internal/needscgo" // the error of this package says what is missing
