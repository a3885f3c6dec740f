# check.sh: commands, what they print where, and their exit status; sourced by suites in bash that have
# sourced tests/tally.sh and set `rasp`, in a scratch folder.
#
# check NAME STATUS OUT ERR ARGUMENT…: runs rasp with what `input` holds on standard input and
# compares status, standard output and standard error.  ERR '*': any, but not none.  An ERR
# that begins with '~' is one of its lines.
input=
check() {
    local name=$1 status=$2 out=$3 err=$4 got=0
    shift 4
    printf "$input" | timeout 60 "$rasp" "$@" >out 2>err || got=$?
    input=
    verdict "$name" "$status" "$got" "$out" "$err"
}

verdict() { # NAME STATUS GOT OUT ERR
    local found_out found_err
    found_out=$(tr '\0' '@' <out) found_err=$(cat err)
    if [ "$2" -ne "$3" ]; then
        fail "$1" "expected exit status $2, found $3" "$(head -n 3 err)"
    elif [ "$4" != "$found_out" ]; then
        fail "$1" "expected output: $4" "found output:    $found_out"
    elif ! said "$5" "$found_err"; then
        fail "$1" "expected on standard error: $5" "found: $found_err"
    else
        pass
    fi
}

said() { # EXPECTED FOUND
    case $1 in
    '*') [ -n "$2" ] ;;
    '~'*) [[ $'\n'$2$'\n' == *$'\n'"${1#\~}"$'\n'* ]] ;;
    *) [ "$1" = "$2" ] ;;
    esac
}
