# tally.sh: counting for the suites written in bash; sourced, never run.
#
#   pass                    one check went well
#   fail NAME [LINE…]       one did not: its name, then what was expected and found
#   tally                   the closing line; its status is the suite's verdict
#
# tests/run reads the last line of a suite, `N passed, N failed`, and nothing else of it.
passed=0
failed=0

pass() { passed=$((passed + 1)); }

fail() {
    failed=$((failed + 1))
    echo "FAIL $1"
    shift
    if [ $# -gt 0 ]; then printf '    %s\n' "$@"; fi
}

tally() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

# A folder that goes away with the suite.
scratch() {
    tmp=$(mktemp -d) || exit 2
    trap 'chmod -R u+rwx "$tmp"; rm -rf "$tmp"' EXIT
}

# The first lines of a difference, as further lines of a failure.
show_diff() {
    diff -a -u --label expected --label found "$1" "$2" | sed -n '1,12s/^/    /p'
}
