//go:build !cgo

package main

import _ "github.com/ccbfsql/ccbfsql/internal/needscgo" // its error names what is missing
