// Package dist tests what make dist hands out: that it is complete, says one version
// everywhere, runs on old systems, and is installed by its packages and by install.sh.
package dist
