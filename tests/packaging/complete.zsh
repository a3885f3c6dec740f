#!/usr/bin/env zsh
# What zsh offers: for each command line of standard input, what Tab brings there, in one line.
#
#   complete.zsh FOLDER        FOLDER has _rasp
zmodload zsh/zpty
said=$(mktemp -d)
trap 'rm -rf $said' EXIT
cat >$said/start <<END
fpath=(${(q)1} \$fpath)
autoload -Uz compinit && compinit -u -D
LISTMAX=10000
compadd() {
    local -a hits
    if [[ \${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
        builtin compadd -A hits "\$@"
        print -rl -- \$hits >>$said/hits
    fi
    builtin compadd "\$@"
}
ended() { print -r -- ENDED >>$said/hits; }
comppostfuncs=(ended)
bindkey '^I' list-choices
print ready >$said/ready
END
await() { # FILE TEXT: at most 20 s
    repeat 1000; do
        grep -qsx -- $2 $1 && return
        zpty -r -t shell >/dev/null
        sleep 0.02
    done
}
zpty shell "TERM=dumb zsh -f -i"
zpty -w shell "source $said/start"
await $said/ready ready
while IFS= read -r line; do
    : >$said/hits
    comppostfuncs=(ended)
    zpty -n -w shell $line$'\t'
    await $said/hits ENDED
    zpty -n -w shell $'\C-u'
    zpty -w shell 'comppostfuncs=(ended)'
    print -r -- ${(u)${(f)"$(grep -vx ENDED $said/hits)"}}
done
zpty -d shell
