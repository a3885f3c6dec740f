# bash completion for rasp                                             -*- shell-script -*-
#
# The tables are those of --help: for each command its options (with a = if they take a value),
# what may stand there, and its arguments.  Names in capitals are kinds of value.

declare -gA _rasp_arguments _rasp_words _rasp_options _rasp_values
@BASH@
# What may stand for the word $1: the others are words or kinds of value, both as in the tables.
_rasp_offer() {
    local cur=$1 kind ending
    shift
    for kind in "$@"; do
        case $kind in
        PROGRAM) COMPREPLY+=($(compgen -W '@PROGRAMS@' -- "$cur")) ending=rasp ;;
        WEIGHTS) ending=bin ;;
        FILE) ending= ;;
        DIR | FOLDER) ending=/ ;;
        [A-Z]*) continue ;;
        *)
            COMPREPLY+=($(compgen -W "$kind" -- "$cur"))
            continue
            ;;
        esac
        compopt -o filenames 2>/dev/null
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(
            compgen -d -- "$cur"
            [ "$ending" = / ] || compgen -f -X "${ending:+!*.$ending}" -- "$cur" |
                while IFS= read -r path; do [ -d "${path/#\~/$HOME}" ] || printf '%s\n' "$path"; done
        )
    done
}

# Does option $2 of command $1 take a value?
_rasp_takes_value() { [[ " ${_rasp_options[$1]} " == *" $2= "* ]]; }

# How many arguments of command $1 the other words are.
_rasp_count_arguments() {
    local command=$1 count=0
    shift
    while [ $# -gt 0 ]; do
        case $1 in
        -) count=$((count + 1)) ;;
        -*)
            if [ "${2-}" = = ]; then
                shift $(($# > 2 ? 2 : 1))
            elif _rasp_takes_value "$command" "$1" && [ $# -gt 1 ]; then
                shift
            fi
            ;;
        *) count=$((count + 1)) ;;
        esac
        shift
    done
    return $count
}

# What may stand for the argument $2 of command $1, after $3 others.
_rasp_argument() {
    local -a kinds
    read -ra kinds <<<"${_rasp_arguments[$1]//[\[\]]/}"
    local last=$((${#kinds[@]} - 1)) at=$3
    [ "$at" -gt 0 ] || _rasp_offer "$2" ${_rasp_words[$1]}
    [ "$at" -le "$last" ] || [[ $last -ge 0 && ${kinds[last]} == *... ]] || return
    local kind=${kinds[at <= last ? at : last]%...}
    _rasp_offer "$2" ${kind//|/ }
}

_rasp() {
    local cur=${COMP_WORDS[COMP_CWORD]} command option= before=
    local -a words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
    COMPREPLY=()
    if [ ${#words[@]} -eq 0 ]; then
        _rasp_offer "$cur" @SUBCOMMANDS@ --help --version
        return
    fi
    command=${words[0]} words=("${words[@]:1}")
    if [ -n "${_rasp_options[$command ${words[0]-}]-}" ]; then
        command+=" ${words[0]}" words=("${words[@]:1}")
    fi
    [ -n "${_rasp_options[$command]-}" ] || return

    # An option's value, in readline's words: --plan au, --plan = au, or --plan=au.
    local count=${#words[@]}
    if [[ $cur == = && $count -gt 0 ]]; then
        option=${words[-1]} cur=
    elif [[ $count -gt 1 && ${words[-1]} == = ]]; then
        option=${words[-2]}
    elif [[ $cur == --*=* ]]; then
        option=${cur%%=*} before=$option= cur=${cur#*=}
    elif [[ $count -gt 0 ]] && _rasp_takes_value "$command" "${words[-1]}"; then
        option=${words[-1]}
    fi
    if [ -n "$option" ]; then
        _rasp_offer "$cur" ${_rasp_values[$command $option]-}
        COMPREPLY=("${COMPREPLY[@]/#/$before}")
    elif [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "${_rasp_options[$command]}" -- "$cur"))
        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
    else
        _rasp_count_arguments "$command" "${words[@]}"
        _rasp_argument "$command" "$cur" $?
    fi
}

complete -F _rasp rasp
