// Package dist tests the files of make dist: all files exist, have the same version, and run on old
// systems. Their packages and install.sh install them.
package dist
