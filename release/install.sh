#!/bin/sh
# Installs gum from its releases: picks the archive of this machine, verifies it, and puts the
# executable into a folder of yours. Nothing else is changed, and nothing runs as root.
#
#   GUM_VERSION=v1.2.3        this release instead of the latest one
#   GUM_PREFIX=~/.local/bin   where the executable goes
#   GUM_SANDBOXED=1           the build without subprocesses, as gum-sandboxed
#   GUM_DRY_RUN=1             say what would be done, and do nothing
#   GUM_FORCE=1               install although another gum comes first on the PATH
#   GUM_SKIP_CHECKSUM=1       do not verify the checksum
#   GUM_SKIP_PROVENANCE=1     do not verify the provenance although slsa-verifier is here
#   GUM_RELEASES=URL          another place that holds the releases
#
# Exit codes: 1 something went wrong, 2 no build for this machine, 3 the checksum is missing or
# wrong, 4 the provenance is missing or wrong, 5 another gum comes first on the PATH.
set -eu

repository="@REPOSITORY@"
releases="${GUM_RELEASES:-https://github.com/$repository/releases}"
prefix="${GUM_PREFIX:-${HOME:?HOME is not set}/.local/bin}"
program=gum
if [ "${GUM_SANDBOXED:-}" = 1 ]; then program=gum-sandboxed; fi

say() { printf '%s\n' "$*" >&2; }
die() { # die CODE MESSAGE…
  code="$1"
  shift
  say "install: $*"
  exit "$code"
}

case "$releases" in
  https://*@REPOSIT*) die 1 "this copy names no repository; take install.sh from a release, or set GUM_RELEASES" ;;
  https://* | http://127.0.0.1:*) ;;
  *) die 1 "GUM_RELEASES must be an https address" ;;
esac

case "$(uname -s)" in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) die 2 "there is no build for $(uname -s); on Windows use install.ps1" ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) die 2 "there is no build for $(uname -m)" ;;
esac
if [ "$os" = linux ] && ! { ldd --version 2>&1 || true; } | grep -qiE 'glibc|gnu libc|free software'; then
  die 2 "the build for Linux needs glibc; this system has another C library"
fi

if command -v curl >/dev/null 2>&1; then
  fetch() { curl -fsSL --proto '=https,http' --retry 2 -o "$2" "$1"; }
  final() { curl -fsSL --proto '=https,http' -o /dev/null -w '%{url_effective}' "$1"; }
elif command -v wget >/dev/null 2>&1; then
  fetch() { wget -q -O "$2" "$1"; }
  final() { wget -q -S -O /dev/null "$1" 2>&1 | sed -n 's/^ *[Ll]ocation: *\([^ ]*\).*/\1/p' | tail -n 1; }
else
  die 1 "curl or wget is needed"
fi
if command -v sha256sum >/dev/null 2>&1; then
  sum_of() { sha256sum "$1" | cut -d ' ' -f 1; }
else
  sum_of() { shasum -a 256 "$1" | cut -d ' ' -f 1; }
fi

version="${GUM_VERSION:-}"
if [ -z "$version" ]; then
  latest="$(final "$releases/latest")" || die 1 "the latest release cannot be asked for"
  version="${latest##*/}"
fi
case "$version" in v*) ;; *) version="v$version" ;; esac
printf '%s\n' "$version" | grep -qxE 'v[0-9]+\.[0-9]+\.[0-9]+' || die 1 "$version is no release"

archive="${program}_${version#v}_${os}_${arch}.tar.gz"
other="$(command -v "$program" 2>/dev/null || true)"
if [ -n "$other" ] && [ "$other" != "$prefix/$program" ] && [ "${GUM_FORCE:-}" != 1 ]; then
  die 5 "$other comes first on the PATH; remove it, or set GUM_FORCE=1 and use the full path"
fi
if [ "${GUM_DRY_RUN:-}" = 1 ]; then
  say "would install $releases/download/$version/$archive as $prefix/$program"
  exit 0
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
fetch "$releases/download/$version/$archive" "$work/$archive" || die 1 "$archive cannot be fetched"

if [ "${GUM_SKIP_CHECKSUM:-}" = 1 ]; then
  say "install: the checksum is not verified"
else
  fetch "$releases/download/$version/checksums.txt" "$work/checksums.txt" ||
    die 3 "the list of checksums cannot be fetched"
  expected="$(awk -v name="$archive" '$2 == name { print $1 }' "$work/checksums.txt")"
  [ -n "$expected" ] || die 3 "the list of checksums does not name $archive"
  [ "$(sum_of "$work/$archive")" = "$expected" ] ||
    die 3 "$archive is not the file that was released; nothing was installed"
fi

if command -v slsa-verifier >/dev/null 2>&1 && [ "${GUM_SKIP_PROVENANCE:-}" != 1 ]; then
  fetch "$releases/download/$version/gum-$version.intoto.jsonl" "$work/provenance" ||
    die 4 "the provenance cannot be fetched"
  slsa-verifier verify-artifact "$work/$archive" --provenance-path "$work/provenance" \
    --source-uri "github.com/$repository" --source-tag "$version" >&2 ||
    die 4 "the provenance of $archive does not hold; nothing was installed"
fi

tar -xzf "$work/$archive" -C "$work" "$program"
"$work/$program" --version >/dev/null || die 1 "the executable does not run on this machine"
mkdir -p "$prefix"
# Beside its final place first: a running gum is replaced at once or not at all.
cp "$work/$program" "$prefix/.$program.$$"
chmod 755 "$prefix/.$program.$$"
mv -f "$prefix/.$program.$$" "$prefix/$program"
say "installed $prefix/$program ($version)"
case ":$PATH:" in
  *":$prefix:"*) ;;
  *) say "add $prefix to your PATH" ;;
esac
