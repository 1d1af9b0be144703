// Package dist tests the files of make dist. They are complete, say one version everywhere, run on
// old systems, and are installed by their packages and by install.sh.
package dist
