# Shared by the scripts beside it: what must be installed, and a build that stays quiet while it goes well.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Where ccache is installed, one clone finds what another has compiled.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

say() { printf '%s\n' "$*" >&2; }

# Prints the Debian packages that are missing, judged by what they bring. Argument: "tests" to count what only the tests need.
missing_packages() {
  local compiler
  command -v cmake >/dev/null || echo cmake
  command -v ninja >/dev/null || echo ninja-build
  command -v protoc >/dev/null || echo protobuf-compiler
  command -v python3 >/dev/null || echo python3
  python3 -c 'import pip' 2>/dev/null || echo python3-pip
  compiler=${CXX:-c++}
  command -v "$compiler" >/dev/null || { echo g++; compiler=; }
  {
    echo 'google/protobuf/message.h libprotobuf-dev'
    echo 'fmt/core.h libfmt-dev'
    echo 'nlohmann/json.hpp nlohmann-json3-dev'
    echo 'CLI/CLI.hpp libcli11-dev'
    echo 'zlib.h zlib1g-dev'
    echo 'toml++/toml.h libtomlplusplus-dev'
    [ "${1-}" = tests ] && echo 'catch2/catch.hpp catch2'
  } | while read -r header package; do
    # Version 3 of Catch2 has catch_all.hpp in place of catch.hpp.
    local test="!__has_include(<$header>) && !__has_include(<${header/catch.hpp/catch_all.hpp}>)"
    if [ -z "$compiler" ] || printf '#if %s\n#error\n#endif\n' "$test" | "$compiler" -x c++ -fsyntax-only - 2>&1 | grep -q error; then
      echo "$package"
    fi
  done
}

# Installs the missing packages where that needs no password; else says what to type and gives up.
bring_packages() {
  local packages as_root
  packages=$(missing_packages "${1-}" | sort -u | tr '\n' ' ')
  packages=${packages% }
  [ -z "$packages" ] && return
  if ! command -v apt-get >/dev/null; then
    say "These are missing, by the names of their Debian packages: $packages"
    exit 1
  fi
  if [ "$(id -u)" = 0 ]; then
    as_root=
  elif sudo -n true 2>/dev/null; then
    as_root=sudo
  else
    say "Some packages are missing. Type this, then try again:"
    say "  sudo apt-get install -y $packages"
    exit 1
  fi
  say "Installing $packages"
  # shellcheck disable=SC2086
  { $as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $packages; } \
    >"${TMPDIR:-/tmp}/onnx-shapes-apt.$$" 2>&1 || { cat "${TMPDIR:-/tmp}/onnx-shapes-apt.$$" >&2; exit 1; }
  rm -f "${TMPDIR:-/tmp}/onnx-shapes-apt.$$"
}

# quietly <log> <command>...: shows the output on a terminal; elsewhere keeps it in the log and shows it only on failure.
quietly() {
  local log=$1 status
  shift
  if [ -t 2 ]; then
    "$@" >&2
  else
    "$@" >"$log" 2>&1 || { status=$?; cat "$log" >&2; return $status; }
  fi
}

# build <preset> [targets...]: configures when needed and builds. Waits when another build of this preset is running.
build() {
  local preset=$1 folder=$root/build/$1
  shift
  mkdir -p "$folder"
  if command -v flock >/dev/null; then
    exec 9>"$folder/lock"
    flock 9
  fi
  if [ ! -f "$folder/build.ninja" ]; then
    say "Configuring $preset (the first time ever this also builds onnx, which takes minutes)"
    (cd "$root" && quietly "$folder/configure.log" cmake --preset "$preset") || exit 1
  fi
  [ "${1-}" = build.ninja ] || say "Building $preset"
  quietly "$folder/build.log" cmake --build "$folder" ${1:+--target "$@"} || exit 1
  exec 9>&-
}
