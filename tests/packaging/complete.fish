# What fish offers: for each command line of standard input, what Tab brings there, in one line.
#
#   fish complete.fish FILE    FILE is the completion
source $argv[1]
while read -l line
    echo (complete -C $line | string replace -r '\t.*' '' | string replace -r '^--[a-z-]*=' '')
end
