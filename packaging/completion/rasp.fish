# fish completion for rasp: the tables are those of --help.

# Is the command line that of `rasp $argv`, and of none below it?  Of no command, without $argv.
function __rasp_is
    set -l words (commandline -opc)
    set -e words[1]
    set -l count (count $argv)
    if test $count -eq 0
        test (count $words) -eq 0
        return
    end
    test (count $words) -ge $count; or return 1
    test "$words[1..$count]" = "$argv"; or return 1
    set -l next (math $count + 1)
    not contains -- "$argv $words[$next]" @OWN@
end

# Has the command, whose words follow the number, so many arguments already, beside options?
function __rasp_has
    set -l words (commandline -opc)
    set -l command $argv[2..-1]
    set -l count 0
    set -l before
    set -e words[1..(math 1 + (count $command))]
    for word in $words
        if not string match -q -- '-?*' $word; and not contains -- "$command $before" @VALUED@
            set count (math $count + 1)
        end
        set before $word
    end
    test $count -eq $argv[1]
end

function __rasp_programs
    string split ' ' '@PROGRAMS@'
end

# Files that end with $argv, and folders.
function __rasp_files
    set -l token (commandline -ct)
    for path in $token*$argv[1]
        echo $path
    end
    __fish_complete_directories $token ''
end

complete -c rasp -f
complete -c rasp -n __rasp_is -l help -d 'list the commands'
complete -c rasp -n __rasp_is -l version -d 'print the version'
@FISH@
