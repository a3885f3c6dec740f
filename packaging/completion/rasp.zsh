#compdef rasp
# zsh completion for rasp: the tables are those of --help.

_rasp_programs() { # [bin: weights files, too]
    local -a names=(@PROGRAMS@)
    _alternative "programs:bundled program:($names)" \
        "files:file:_files -g '*.(rasp|$1)'"
}

_rasp() {
    local curcontext=$curcontext state line command
    local -a commands own=(@OWN@)
    typeset -A opt_args
    _arguments -C '(- *)--help[list the commands]' '(- *)--version[print the version]' \
        '1: :->command' '*:: :->arguments'
    case $state in
    (command)
        commands=(
@ZSH-SUBCOMMANDS@        )
        _describe -t commands command commands
        ;;
    (arguments)
        command=$words[1]
        if ((CURRENT > 2)) && [[ -n ${own[(r)$command $words[2]]} ]]; then
            command+=" $words[2]"
            shift words
            ((CURRENT--))
        fi
        case $command in
@ZSH@        esac
        ;;
    esac
}

_rasp "$@"
