#!/usr/bin/env bash
# What bash offers: for each command line of standard input, what Tab brings there, in one line.
#
#   complete.bash FILE         FILE is the completion
load() { . "$1"; } # within a function, as bash-completion does
load "$1"
while IFS= read -r line; do
    read -ra COMP_WORDS <<<"${line//=/ = }" # as readline splits it
    [[ $line != *' ' ]] || COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=${#line} COMPREPLY=()
    _rasp rasp "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
    echo "${COMPREPLY[*]}"
done
