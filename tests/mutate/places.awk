# The places of C sources where one operator or constant can be changed (tests/mutate/run).

BEGIN {
    OFS = "\t"
    split("<= < >= > == != && || + - true false", op, " ")
    into["<="] = "<"; into["<"] = "<="; into[">="] = ">"; into[">"] = ">="
    into["=="] = "!="; into["!="] = "=="; into["&&"] = "||"; into["||"] = "&&"
    into["+"] = "-"; into["-"] = "+"; into["true"] = "false"; into["false"] = "true"
}

FNR == 1 { comment = inside = head = 0 }

# Blanks for comments, strings and characters, so that columns stay.
function bare(line,   out, k, c, two, quote) {
    out = ""; quote = ""
    for (k = 1; k <= length(line); k++) {
        c = substr(line, k, 1); two = substr(line, k, 2)
        if (comment) { if (two == "*/") { comment = 0; k++; out = out " " } out = out " "; continue }
        if (quote != "") {
            if (c == "\\") { k++; out = out "  "; continue }
            if (c == quote) quote = ""
            out = out " "; continue
        }
        if (two == "/*") { comment = 1; k++; out = out "  "; continue }
        if (two == "//") return out
        if (c == "\"" || c == "'") { quote = c; out = out " "; continue }
        out = out c
    }
    return out
}

{
    line = bare($0)
    if (line ~ /^ *#/ || line ~ /_Static_assert|assert\(/) next
    # A function's head begins a line, and may take several.
    if (line ~ /^[A-Za-z]/) head = 1
    if (!inside && line ~ /; *$/) head = 0
    if (head && line ~ /\) \{ *$/) { inside = 1; head = 0; next }
    if (line ~ /^}/) inside = head = 0
    if (!inside) next
    for (k = 1; k in op; k++) {
        o = op[k]
        word = o ~ /^[a-z]/
        pattern = word ? o : " " o " "
        start = 1
        while ((at = index(substr(line, start), pattern)) > 0) {
            column = start + at - 1
            before = substr(line, column - 1, 1); after = substr(line, column + length(pattern), 1)
            if (!word) print FILENAME, FNR, column + 1, o, into[o]
            else if (before !~ /[A-Za-z0-9_]/ && after !~ /[A-Za-z0-9_]/) print FILENAME, FNR, column, o, into[o]
            start = column + length(pattern) - !word
        }
    }
    rest = line; base = 0
    while (match(rest, /[^A-Za-z0-9_.][0-9]+[^A-Za-z0-9_.]/)) {
        number = substr(rest, RSTART + 1, RLENGTH - 2)
        print FILENAME, FNR, base + RSTART + 1, number, number + 1
        base += RSTART + RLENGTH - 2
        rest = substr(rest, RSTART + RLENGTH - 1)
    }
}
