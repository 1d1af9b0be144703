package main

import (
	"debug/buildinfo"
	"runtime/debug"
	"testing"
)

func TestDefaults(t *testing.T) {
	for _, c := range []struct{ main, commit, modified, want string }{
		{"v0.3.1", "0123456789abcdef", "false", "v0.3.1"},
		{"v0.0.0-20261121095931-041cccb59c3f", "0123456789abcdef", "false", "0123456789"},
		{"(devel)", "0123456789abcdef", "true", "0123456789+dirty"},
		{"(devel)", "", "", "development"},
	} {
		info := &buildinfo.BuildInfo{Main: debug.Module{Version: c.main}, Settings: []debug.BuildSetting{
			{Key: "GOARCH", Value: "arm64"}, {Key: "vcs.revision", Value: c.commit}, {Key: "vcs.modified", Value: c.modified},
		}}
		if got := version(info); got != c.want {
			t.Errorf("%+v: version %s", c, got)
		}
	}
	for want, c := range map[string][2]string{
		"linux_amd64": {"linux", "amd64"}, "linux_arm64": {"linux", "arm64"},
		"osx_arm64": {"darwin", "arm64"}, "windows_amd64": {"windows", "amd64"},
	} {
		if got := platform(c[0], c[1]); got != want {
			t.Errorf("%v: platform %s, want %s", c, got, want)
		}
	}
}
