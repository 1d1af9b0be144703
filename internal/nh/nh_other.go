//go:build !amd64

package nh

const carryless = false

func carrylessSums(*[2 * Parts]uint64, *byte, int, int, *Keys) {}
