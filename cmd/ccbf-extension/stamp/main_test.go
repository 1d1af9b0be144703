package main

import "testing"

func TestPlatform(t *testing.T) {
	for want, c := range map[string][2]string{
		"linux_amd64": {"linux", "amd64"}, "linux_arm64": {"linux", "arm64"},
		"osx_arm64": {"darwin", "arm64"}, "windows_amd64": {"windows", "amd64"},
	} {
		if got := platform(c[0], c[1]); got != want {
			t.Errorf("%v: platform %s, want %s", c, got, want)
		}
	}
}
