#!/bin/sh
# Installs ccbfsql and the loadable extension for the user who runs
# it, without root:
#
#   curl -fsSL https://github.com/ccbfsql/ccbfsql/releases/latest/download/install.sh | sh
#
# CCBF_PREFIX   folder to install into (default ~/.local): programs in bin, the extension in lib/ccbfsql
# CCBF_VERSION  release, for example v0.1.0 (default: the latest)
# CCBF_URL      URL of the releases
set -eu

main() {
	url=${CCBF_URL:-https://github.com/ccbfsql/ccbfsql/releases}
	prefix=${CCBF_PREFIX:-${HOME:?HOME is not set; set CCBF_PREFIX to a folder}/.local}
	if [ -n "${CCBF_VERSION:-}" ]; then
		url=$url/download/$CCBF_VERSION
	else
		url=$url/latest/download
	fi

	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "there are releases for Linux and macOS, not for $(uname -s); build it with Go" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "there are releases for x86_64 and arm64, not for $(uname -m); build it with Go" ;;
	esac
	if [ "$os" = linux ] && musl; then
		fail "this system has musl instead of glibc, and DuckDB's library and Go's do not work with it; use a Debian container, for example"
	fi

	# Everything that can fail here fails before the download.
	for program in tar gzip awk; do
		has $program || fail "$program is needed to unpack the archive: install it first"
	done
	has curl || has wget || fail "curl or wget is needed to download the archive: install one of them first"
	has sha256sum || has shasum || fail "sha256sum or shasum is needed to check the download: install one of them first"
	for folder in "$prefix/bin" "$prefix/lib/ccbfsql" "$prefix/share/doc/ccbfsql"; do
		writable "$folder" || fail "$folder is not a folder that you can write to: set CCBF_PREFIX to another folder"
	done
	for name in "$prefix/bin/ccbfsql" "$prefix/lib/ccbfsql/ccbf.duckdb_extension"; do
		[ ! -d "$name" ] || fail "$name is a folder, but the program needs a file of this name: remove the folder, or set CCBF_PREFIX to another folder"
	done
	work=$(mktemp -d) || fail "no temporary folder can be made in ${TMPDIR:-/tmp}: set TMPDIR to a folder that you can write to"
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' HUP INT TERM
	printf '#!/bin/sh\n' >"$work/run" && chmod 700 "$work/run"
	"$work/run" 2>/dev/null || fail "programs cannot be run in ${TMPDIR:-/tmp}, where the new shell is tried: set TMPDIR to another folder"

	file=ccbfsql-$os-$arch.tar.gz
	say "Downloading $url/$file"
	fetch "$url/SHA256SUMS" "$work/SHA256SUMS"
	fetch "$url/$file" "$work/$file"

	# The checksum in the line of this file. It fails unless there is exactly one.
	want=$(awk -v f="$file" '$2 == f || $2 == "*" f { print $1 }' "$work/SHA256SUMS")
	case $want in
	*[!0-9a-f]* | "") fail "$url/SHA256SUMS has no checksum of $file, or more than one: nothing was installed" ;;
	esac
	got=$(sum "$work/$file")
	if [ "$got" != "$want" ]; then
		fail "$file has the checksum $got, but SHA256SUMS has $want: nothing was installed"
	fi

	mkdir "$work/files"
	tar -xzf "$work/$file" -C "$work/files"
	from=$work/files/ccbfsql-$os-$arch
	# A program that does not run here must not replace one that does.
	version=$("$from/ccbfsql" -version) || fail "ccbfsql does not run on this system: nothing was installed"
	share=$prefix/share
	for folder in "$prefix/bin" "$prefix/lib/ccbfsql" "$share/doc/ccbfsql" "$share/man/man1" "$share/bash-completion/completions" \
		"$share/zsh/site-functions" "$share/fish/vendor_completions.d"; do
		mkdir -p "$folder"
	done
	put 755 "$from/ccbfsql" "$prefix/bin"
	put 644 "$from/ccbf.duckdb_extension" "$prefix/lib/ccbfsql"
	for f in LICENSE THIRD_PARTY.txt README.txt CHANGELOG.md ccbfsql.spdx.json; do
		put 644 "$from/$f" "$share/doc/ccbfsql"
	done
	put 644 "$from/ccbfsql.1" "$share/man/man1"
	put 644 "$from/ccbfsql.bash" "$share/bash-completion/completions" ccbfsql
	put 644 "$from/_ccbfsql" "$share/zsh/site-functions"
	put 644 "$from/ccbfsql.fish" "$share/fish/vendor_completions.d"

	say "Installed: $version"
	say "  $prefix/bin/ccbfsql"
	say "  $prefix/lib/ccbfsql/ccbf.duckdb_extension"
	case ":$PATH:" in
	*":$prefix/bin:"*) ;;
	*) say "$prefix/bin is not in PATH; add this line to your shell's profile:" && say "  export PATH=\"$prefix/bin:\$PATH\"" ;;
	esac
}

say() { printf '%s\n' "$*"; }
fail() {
	printf 'install.sh: %s\n' "$*" >&2
	exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

writable() { # writable FOLDER: whether the folder can be written to, or made
	at=$1
	while [ ! -e "$at" ]; do
		case $at in
		*/*) at=${at%/*} ;;
		*) at=. ;;
		esac
		at=${at:-/}
	done
	[ -d "$at" ] && [ -w "$at" ]
}

musl() {
	has ldd && case $(ldd --version 2>&1) in *musl*) return 0 ;; esac
	return 1
}

fetch() { # fetch URL FILE
	if has curl; then
		curl -fsSL --retry 3 -o "$2" "$1" || fail "$1 could not be downloaded"
	else
		wget -q -O "$2" "$1" || fail "$1 could not be downloaded"
	fi
}

sum() {
	if has sha256sum; then
		sha256sum "$1" | cut -d ' ' -f 1
	else
		shasum -a 256 "$1" | cut -d ' ' -f 1
	fi
}

# Copies a file under another name first, and then renames it. So a running program keeps its
# file, and no incomplete file gets the name.
put() { # put MODE FILE FOLDER [NAME]
	name=$3/${4:-$(basename "$2")}
	cp "$2" "$name.new" && chmod "$1" "$name.new" && mv -f "$name.new" "$name"
}

# The last line, so that a truncated script does nothing.
main
