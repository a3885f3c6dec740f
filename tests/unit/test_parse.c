/* The parser, on tables: what a text means as a tree, which texts are rejected with what
 * message and where, how many mistakes one run reports.  Trees are compared in the form of
 * ast_dump. */
#include "tests/unit/parse_fixture.h"

static void check_tree(const char *text, const char *expected, bool expression) {
    Fixture f;
    open_fixture(&f);
    const Source *source = add(&f, text, strlen(text));
    const Ast *ast =
        expression ? parse_expression(&f.context, source) : parse_file(&f.context, source);
    fflush(f.out);
    if (!ast) fail_msg("rejected: %s\n%s", text, f.messages);
    char *found = dump(ast, f.arena);
    assert_string_equal(found, expected);
    assert_string_equal(f.messages, "");
    free(found);
    close_fixture(&f);
}

/* All messages of a text, and whether it is accepted. */
static void check_messages(const char *text, size_t length, const char *expected, bool accepted) {
    Fixture f;
    open_fixture(&f);
    const Ast *ast = parse_file(&f.context, add(&f, text, length));
    fflush(f.out);
    assert_string_equal(f.messages, expected);
    assert_int_equal(ast != NULL, accepted);
    close_fixture(&f);
}

/* --- expressions: the table of language.md section 5, and the rest ---------------------- */

static const struct {
    const char *text, *tree;
} expressions[] = {
    {"2^3^2", "(^ (^ 2 3) 2)"},
    {"-2^2", "(^ (- 2) 2)"},
    {"2^-1^2", "(^ (^ 2 (- 1)) 2)"},
    {"2*3^2", "(* 2 (^ 3 2))"},
    {"9%4*2", "(% 9 (* 4 2))"},
    {"2*9%4", "(% (* 2 9) 4)"},
    {"1+9%4", "(+ 1 (% 9 4))"},
    {"not 3 == 4", "(== (not 3) 4)"},
    {"not 1 + 1", "(+ (not 1) 1)"},
    {"not x in l", "(in (not x) l)"},
    {"1 or 0 and 0", "(and (or 1 0) 0)"},
    {"1 and 0 or 0", "(or (and 1 0) 0)"},
    {"1 if True else 2 if False else 3", "(if False (if True 1 2) 3)"},
    {"1 if a if b else c else 2", "(if (if b a c) 1 2)"},
    {"1+2 in [3]", "(in (+ 1 2) (list 3))"},
    {"True and 4 in [4]", "(in (and True 4) (list 4))"},
    {"1 in [1] and False", "(in 1 (and (list 1) False))"},
    {"4 == 4 in [True]", "(in (== 4 4) (list True))"},
    {"x in y if c else d", "(in x (if c y d))"},
    {"a if c else b in l", "(in (if c a b) l)"},
    {"\"v\" if t in l else \"c\"", "(if (in t l) \"v\" \"c\")"},
    {"a in b in c", "(in (in a b) c)"},
    {"-a[0]", "(- (index a 0))"},
    {"not f(x)", "(not (call f x))"},
    {"+x-y-z", "(- (- (+ x) y) z)"},
    {"6/3*2/1", "(/ (* (/ 6 3) 2) 1)"},
    {"a == b or c < d", "(or (== a b) (< c d))"},
    {"a if b else c or d", "(if b a (or c d))"},
    {"a or b if c else d", "(if c (or a b) d)"},
    {"1 != 2 and x", "(and (!= 1 2) x)"},
    {"(1 < 2) < 3", "(< (< 1 2) 3)"},
    {"1 < (2 < 3)", "(< 1 (< 2 3))"},
    {"2^(3^2)", "(^ 2 (^ 3 2))"},
    {"(((x)))", "x"},
    {"(x)[0]", "(index x 0)"},
    {"f(x)(y)[z](w)", "(call (index (call (call f x) y) z) w)"},
    {"f()", "(call f)"},
    {"f(a, b, c, d, e)", "(call f a b c d e)"},
    {"[]", "(list)"},
    {"[1, \"a\", [True]]", "(list 1 \"a\" (list True))"},
    {"{}", "(dict)"},
    {"{\"a\": 1, 2: x}", "(dict \"a\" 1 2 x)"},
    {"[x+1 for x in l]", "(list-comprehension (names x) l (+ x 1))"},
    {"[x for a, x in l]", "(list-comprehension (names a x) l x)"},
    {"[x if x else y for x in l]", "(list-comprehension (names x) l (if x x y))"},
    {"[1for x in l]", "(list-comprehension (names x) l 1)"},
    {"{k: v for k, v in l}", "(dict-comprehension (names k v) l k v)"},
    {"x[1:2]", "(slice x 1 2)"},
    {"x[:-1][2:]", "(slice (slice x 0 (- 1)) 2)"},
    {"{\"a\": x[:]}[k]", "(index (dict \"a\" (slice x 0)) k)"},
    {"select(a, b+1, <=)", "(select <= a (+ b 1))"},
    {"select(a, b, !=)", "(select != a b)"},
    {"aggregate(s, x)", "(aggregate s x)"},
    {"aggregate(s, x, 0)", "(aggregate s x 0)"},
    {"range(1, 2)", "(range 1 2)"},
    {"zip(a, b, c)", "(zip a b c)"},
    {"len([])", "(len (list))"},
    {"round (x)", "(round x)"},
    {"indicator(x)[1]", "(index (indicator x) 1)"},
    {"len (x)", "(call len x)"},
    {"selected(x) + mylen(y) + lengths", "(+ (+ (call selected x) (call mylen y)) lengths)"},
    {"s - op", "(- s op)"},
    {"full", "full"},
    {"full + seq", "(+ full seq)"},
    {"form + inn + Not", "(+ (+ form inn) Not)"},
    {"007", "7"},
    {"9223372036854775807", "9223372036854775807"},
    {"0.5 + 10.0 + 1.25", "(+ (+ 0.5 10.0) 1.25)"},
    {"0.1", "0.1"},
    {"\"back\\slash # no comment\"", "\"back\\\\slash # no comment\""},
    {"\"\"", "\"\""},
    {"\"h\xc3\xa9\"", "\"h\xc3\xa9\""},
    {"1 # comment\n + # more\n 2", "(+ 1 2)"},
    {"\t1\r\n+\t2", "(+ 1 2)"},
    {"x;", "x"},
};

static void test_expressions(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(expressions); k++)
        check_tree(expressions[k].text, expressions[k].tree, true);
}

/* --- statements ------------------------------------------------------------------------- */

static const struct {
    const char *text, *tree;
} files[] = {
    {"", "(block)"},
    {"# only a comment", "(block)"},
    {"x;", "(block (evaluate x))"},
    {"x = 1; y = 2;",
     "(block (assign (names x) (expressions 1)) (assign (names y) (expressions 2)))"},
    {"a, b = 1, 2;", "(block (assign (names a b) (expressions 1 2)))"},
    {"draw(x); draw (x, \"ab\");", "(block (draw x) (draw x \"ab\"))"},
    {"load \"a/b\";", "(block (load \"a/b\"))"},
    {"def f() { return 1, 2; }", "(block (def f (names) (block) (expressions 1 2)))"},
    {"def f(a, b) { # c\n x = a; # d\n return x; # e\n } # f",
     "(block (def f (names a b) (block (assign (names x) (expressions a))) (expressions x)))"},
    {"def f(a) { def g(b) { return b; } return g; }",
     "(block (def f (names a) (block (def g (names b) (block) (expressions b))) (expressions g)))"},
    {"for i, j in l { x = i; j; }",
     "(block (for (names i j) l (block (assign (names x) (expressions i)) (evaluate j))))"},
    {"for x in {1: 2} { for y in x { z; } }",
     "(block (for (names x) (dict 1 2) (block (for (names y) x (block (evaluate z))))))"},
    {"for x in l { # a comment counts as a body\n }", "(block (for (names x) l (block)))"},
    {"select = 3; aggregate;",
     "(block (assign (names select) (expressions 3)) (evaluate aggregate))"},
    {"set example \"abc\"", "(block (set-example both \"abc\"))"},
    {"set example \"abc\"\n[1];", "(block (set-example both \"abc\") (evaluate (list 1)))"},
    {"set s-op example x if\n c else\n y\nz;",
     "(block (set-example s-op (if c x y)) (evaluate z))"},
    {"set selector example [1,\n2]\n-z;",
     "(block (set-example selector (list 1 2)) (evaluate (- z)))"},
    {"show example\nshow s-op example # c\nshow selector example",
     "(block (show-example both) (show-example s-op) (show-example selector))"},
    {"show example x;", "(block (show-example both) (evaluate x))"},
    {"examples on\ns-op examples off\nselector examples on",
     "(block (examples both on) (examples s-op off) (examples selector on))"},
    {"full seq display on\nfull seq display off",
     "(block (full-seq-display on) (full-seq-display off))"},
    {"exit", "(block (exit))"},
    {"exit()\nquit\nquit()", "(block (exit) (exit) (exit))"},
    {"\xef\xbb\xbfx;", "(block (evaluate x))"},
};

static void test_files(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(files); k++) check_tree(files[k].text, files[k].tree, false);
}

/* --- mistakes --------------------------------------------------------------------------- */

static const struct {
    const char *text, *messages;
} rejected[] = {
    {"x = ;", "1:5: expected an expression, found ';'\n"},
    {"1 + ;", "1:5: expected an expression, found ';'\n"},
    {"x = (1;", "1:7: expected ')', found ';'\n"},
    {"x = [1 2];", "1:8: expected ']', ',' or 'for', found the number 2\n"},
    {"x = {1: 2, 3};", "1:13: expected ':', found '}'\n"},
    {"x = 1 y;", "1:7: expected ';' or an operator, found the name 'y'\n"},
    {"x = 1\ny = 2;", "1:6: expected ';' after this statement\n"},
    {"x = 1", "1:6: expected ';' after this statement\n"},
    {"x = 1\n\n", "1:6: expected ';' after this statement\n"},
    {"def f(a) { return a }", "1:20: expected ';' after this statement\n"},
    {"x = (\n1;\n", "2:2: expected ')', found ';'\n1:5: note: this is still open\n"},
    {"x = (1,", "1:7: expected ')', found ','\n"},
    {"f(1,", "1:5: expected an expression, found the end of the file\n"},
    {"f(1,);", "1:5: expected an expression after ',', found ')'\n"},
    {"x = [1,];", "1:8: expected an expression after ',', found ']'\n"},
    {"1.;", "1:1: a float has digits on both sides of one '.', found '1.'\n"},
    {".5;", "1:1: a float has digits on both sides of one '.', found '.5'\n"},
    {"x = 1.2.3;", "1:5: a float has digits on both sides of one '.', found '1.2.3'\n"},
    {"1e5;", "1:1: a number has no exponent: write 1e5 with all its digits\n"},
    {"x = 1.5E-3;", "1:5: a number has no exponent: write 1.5E-3 with all its digits\n"},
    {"9223372036854775808;",
     "1:1: an int fits in 64 bits: at most 9223372036854775807, found a larger one\n"},
    {"x = \"abc;\ny;", "1:5: expected '\"' at the end of this string before the line ends\n"},
    {"x = 'abc';", "1:5: unknown character ''': strings stand in double quotes (\")\n"},
    {"x = 'abc;\ny;", "1:5: unknown character ''': strings stand in double quotes (\")\n"},
    {"select (a, b, ==);",
     "1:15: an operator alone is no argument: write 'select(' without a blank before '('\n"},
    {"f(a, ==);", "1:6: '==' alone is no argument, but of select(keys, queries, ==)\n"},
    {"select(a, b);", "1:12: expected ',', found ')'\n"
                      "1:1: note: it is written select(keys, queries, ==)\n"},
    {"select(a, b, +);", "1:14: expected a comparison, found '+'\n"},
    {"select(a, b, ==, 1);", "1:16: expected ')', found ','\n"
                             "1:1: note: it is written select(keys, queries, ==)\n"},
    {"aggregate(s);", "1:12: expected ',', found ')'\n"
                      "1:1: note: it is written aggregate(selector, values, default)\n"},
    {"aggregate(s, a, 0, 1);", "1:18: expected ')', found ','\n"
                               "1:1: note: it is written aggregate(selector, values, default)\n"},
    {"range();", "1:7: expected an expression, found ')'\n"},
    {"on = 3;", "1:1: 'on' is a keyword and cannot be a name\n"},
    {"for = 4;", "1:1: 'for' is a keyword and cannot be a name\n"},
    {"set = 4;", "1:1: 'set' is a keyword and cannot be a name\n"},
    {"not = 4;", "1:1: 'not' is a keyword and cannot be a name\n"},
    {"def if(x) { return x; }", "1:5: 'if' is a keyword and cannot be a name\n"},
    {"def f(x, in) { return x; }", "1:10: 'in' is a keyword and cannot be a name\n"},
    {"for or in l { x; }", "1:5: 'or' is a keyword and cannot be a name\n"},
    {"l[0] = 1;",
     "1:6: only names can be assigned to: build a new list or dict instead of changing one\n"},
    {"f(x) = 1;", "1:6: only names can be assigned to\n"},
    {"3 = x;", "1:3: only names can be assigned to\n"},
    {"x = y = 1;", "1:7: '=' assigns, at the beginning of a statement; to compare, write '=='\n"},
    {"x = (y = 1);", "1:8: '=' assigns, at the beginning of a statement; to compare, write '=='\n"},
    {"x += 1;", "1:3: unknown operator '+=': write 'x = x + ...'\n"},
    {"x = a && b;", "1:7: unknown operator '&&': write 'and'\n"},
    {"x = a & b;", "1:7: unknown operator '&': write 'and'\n"},
    {"x = a || b;", "1:7: unknown operator '||': write 'or'\n"},
    {"x = a | b;", "1:7: unknown operator '|': write 'or'\n"},
    {"x = !a;", "1:5: unknown operator '!': write 'not'\n"},
    {"x = a ** b;", "1:7: unknown operator '**': a power is written '^'\n"},
    {"x := 1;", "1:3: unknown operator ':=': write '='\n"},
    {"x = a $ b;", "1:7: unknown character '$'\n"},
    {"a.b;", "1:2: unknown character '.'\n"},
    {"x = \f1;", "1:5: unknown character 0x0c\n"},
    {"x = \xe2\x88\x92"
     "1;",
     "1:5: unknown character '\xe2\x88\x92' (U+2212): minus is written '-'\n"},
    {"\xc2\xa0x;", "1:1: unknown character '\xc2\xa0' (U+00A0): a no-break space, write a blank\n"},
    {"x = 1;\ny = \"\xff\";", "2:6: expected UTF-8 text, found the byte 0xff at offset 12\n"},
    {"return 1;", "1:1: 'return' stands only at the end of a function\n"},
    {"for x in l { return 1; }", "1:14: 'return' stands only at the end of a function\n"},
    {"def f(x) { x; }", "1:15: expected 'return ...;' at the end of the function, found '}'\n"},
    {"def f(x) { return x; y; }", "1:22: expected '}' after the 'return' statement, which ends a "
                                  "function, found the name 'y'\n"},
    {"def f { return 1; }",
     "1:7: expected the parameters in parentheses, '()' if there are none, found '{'\n"},
    {"def f(x) return x;", "1:10: expected '{', found the keyword 'return'\n"},
    {"def f(x): return x;", "1:9: expected '{': a body stands in braces, found ':'\n"},
    {"def 3;", "1:5: expected a name, found the number 3\n"},
    {"def f(3) { return 1; }", "1:7: expected ')' or a name, found the number 3\n"},
    {"for x in [1] { }", "1:14: expected at least one statement in the body of the loop\n"},
    {"for 3 in [1] { y = 1; }", "1:5: expected a name, found the number 3\n"},
    {"if x { y; }",
     "1:1: there is no 'if' statement: a choice is written 'a if condition else b'\n"},
    {"x = 1 if y;", "1:11: expected 'else', found ';'\n"},
    {"x = 1;;", "1:7: nothing stands before this ';'\n"},
    {"def f(x) { return x; };", "1:23: no ';' stands after the '}' of a function or loop\n"},
    {"show example;", "1:13: a REPL command ends with its line, without ';'\n"},
    {"set example \"abc\";", "1:18: a REPL command ends with its line, without ';'\n"},
    {"for x in l { examples on\n }",
     "1:14: 'examples' is a REPL command, which cannot stand in a function or loop\n"},
    {"load x;", "1:6: expected a string, found the name 'x'\n"},
    {"}", "1:1: expected a statement, found '}'\n"},
    {"x = s-op;", "1:5: expected an expression, found the keyword 's-op'\n"},
    {"x = a < b < c; y = ;",
     "1:11: warning: comparisons do not chain: a < b < c means (a < b) < c; "
     "write a < b and b < c, or the parentheses\n"
     "1:20: expected an expression, found ';'\n"},
};

static void test_rejected(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(rejected); k++)
        check_messages(rejected[k].text, strlen(rejected[k].text), rejected[k].messages, false);
}

static void test_accepted_with_warning(void **state) {
    (void)state;
    static const char text[] = "x = a < b == c;";
    check_messages(text, sizeof text - 1,
                   "1:11: warning: comparisons do not chain: a < b < c means (a < b) < c; "
                   "write a < b and b < c, or the parentheses\n",
                   true);
}

static void test_nul_byte(void **state) {
    (void)state;
    static const char text[] = "x = \0 1;\ny = ;";
    check_messages(text, sizeof text - 1,
                   "1:5: unknown character 0x00\n2:5: expected an expression, found ';'\n", false);
}

static void test_float_range(void **state) {
    (void)state;
    char text[420];
    memset(text, '9', 400);
    memcpy(text + 400, ".0;", 4);
    check_messages(text, strlen(text), "1:1: a float is at most 1.8e308, found a larger one\n",
                   false);
}

/* --- several mistakes in one run: the lines they are on ---------------------------------- */

static const struct {
    const char *text, *lines;
} several[] = {
    {"x = ;\ny = 1;\nz = ;\n", "1 3"},
    {"x = (1 + 2;\ny = ];\n", "1 2"},
    {"def f(a) { b = {1: }; return b; }\nx = ;", "1 2"},
    {"def g { z = 1; return z; }\nx = ;", "1 2"},
    {"q = 1 def h(y) { z = y; return z; }\nx = ;", "1 2"},
    {"def f(a) {\n  b = ;\n  c = 1 +;\n  return ;\n}\nx = ;", "2 3 4 6"},
    {"def f(a) {\n  b = 1;\n}\nx = ;", "3 4"},
    {"def f(a) {\n return a;\n b = 1;\n}\nx = ;", "3 5"},
    {"for x [1] {\n y = ;\n}\nz = ;", "1 2 4"},
    {"for x in l {\n def f(3) {\n  return ;\n }\n y = ;\n}\nz = ;", "2 3 5 7"},
    {"x = \"abc;\ny = ;\n", "1 2"},
    {"f(\"abc;\ny = ;\n", "1 2"},
    {"set foo\ny = ;\n", "1 2"},
    {"x = 1\ny = 2\nz = 3\n", "1 2 3"},
    {"x = 1 $ 2 $ 3;\ny = @;\n", "1 2"},
    {"x = 99999999999999999999;\ny = ;\n", "1 2"},
    {"}\n}\nx = ;", "1 2 3"},
    {"x = {1: {2: 3;\ny = ;", "1 2"},
    {"x = ;\ny = ;\nz = (", "1 2 3"},
};

static void test_several(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(several); k++) {
        Fixture f;
        open_fixture(&f);
        assert_null(parse_file(&f.context, add(&f, several[k].text, strlen(several[k].text))));
        fflush(f.out);
        char lines[64] = "", *rest = f.messages;
        for (char *line; (line = strsep(&rest, "\n")) && *line;) {
            if (strstr(line, "note: ")) continue;
            if (*lines) strcat(lines, " ");
            strncat(lines, line, strcspn(line, ":"));
        }
        if (strcmp(lines, several[k].lines) != 0)
            fail_msg("%s: expected lines %s, found %s", several[k].text, several[k].lines, lines);
        close_fixture(&f);
    }
}

static void test_many_mistakes(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f);
    size_t length = 0;
    char *text = arena_alloc(f.arena, 6 * 1000 + 1);
    for (int k = 0; k < 1000; k++) length += (size_t)sprintf(text + length, "x = ;\n");
    assert_null(parse_file(&f.context, add(&f, text, length)));
    fflush(f.out);
    size_t messages = 0;
    for (const char *c = f.messages; *c; c++) messages += *c == '\n';
    assert_int_equal(messages, 21); /* twenty, and that there are more */
    assert_non_null(strstr(f.messages, "too many mistakes"));
    close_fixture(&f);
}

/* --- one expression --------------------------------------------------------------------- */

static void test_not_one_expression(void **state) {
    static const struct {
        const char *text, *message;
    } table[] = {
        {"", "1:1: expected an expression\n"},
        {"  # nothing", "1:1: expected an expression\n"},
        {"1 +", "1:4: expected an expression, found the end of the expression\n"},
        {"(1", "1:3: expected ')', found the end of the expression\n"},
        {"x = 1", "1:1: expected one expression, found another kind of statement\n"},
        {"x; y", "1:1: expected one expression, found several statements\n"},
    };
    (void)state;
    for (size_t k = 0; k < COUNT(table); k++) {
        Fixture f;
        open_fixture(&f);
        assert_null(parse_expression(&f.context, add(&f, table[k].text, strlen(table[k].text))));
        fflush(f.out);
        assert_string_equal(f.messages, table[k].message);
        close_fixture(&f);
    }
}

/* --- spans ------------------------------------------------------------------------------ */

static void check_span(const Fixture *f, Span span, const char *expected) {
    const Source *source = source_find(f->map, span);
    assert_int_equal(span.end - span.begin, strlen(expected));
    assert_memory_equal(source->text + (span.begin - source->base), expected, strlen(expected));
}

static void test_spans(void **state) {
    static const struct {
        const char *text, *span, *mark;
    } table[] = {
        {" (a) + b ;", "(a) + b", "+"},
        {"-x;", "-x", "-"},
        {"f(a)(b);", "f(a)(b)", "f(a)"},
        {"abc [1];", "abc [1]", "[1]"},
        {"select(a, b, ==);", "select(a, b, ==)", "select"},
        {"aggregate(a, b);", "aggregate(a, b)", "aggregate"},
        {"a if b else c;", "a if b else c", "if"},
        {"a in b;", "a in b", "in"},
        {"[a for a in b];", "[a for a in b]", "for"},
        {"name;", "name", "name"},
    };
    (void)state;
    for (size_t k = 0; k < COUNT(table); k++) {
        Fixture f;
        open_fixture(&f);
        const Ast *file = parse_file(&f.context, add(&f, table[k].text, strlen(table[k].text)));
        const Ast *expression = file->child[0]->child[0];
        check_span(&f, expression->span, table[k].span);
        check_span(&f, expression->mark, table[k].mark);
        close_fixture(&f);
    }
}

/* --- size ------------------------------------------------------------------------------- */

/* `head`, `count` times `piece`, then `tail`. */
static const Source *repeated(Fixture *f, const char *head, const char *piece, size_t count,
                              const char *tail) {
    size_t step = strlen(piece), length = strlen(head);
    char *text = ARENA_BLOCK(f->arena, length + count * step + strlen(tail) + 1, char);
    memcpy(text, head, length);
    for (size_t k = 0; k < count; k++, length += step) memcpy(text + length, piece, step);
    strcpy(text + length, tail);
    return add(f, text, length + strlen(tail));
}

static void test_large(void **state) {
    static const struct {
        const char *head, *piece;
        size_t count;
        const char *tail;
        bool accepted;
    } table[] = {
        {"x = 1", "+1", 1000000, ";", true}, {"x = f", "(x)", 300000, ";", true},
        {"x = ", "-", 50000, "1;", true},    {"x = [0", ",1", 500000, "];", true},
        {"x = ", "(", 1000000, "1;", false}, {"", "for x in l {", 1000000, "", false},
        {"", "x=1;", 500000, "", true},      {"x = \"", "ab", 1000000, "\";", true},
        {"", "[{(", 1000, "", false},
    };
    (void)state;
    for (size_t k = 0; k < COUNT(table); k++) {
        Fixture f;
        open_fixture(&f);
        const Ast *ast = parse_file(
            &f.context, repeated(&f, table[k].head, table[k].piece, table[k].count, table[k].tail));
        assert_int_equal(ast != NULL, table[k].accepted);
        if (ast) free(dump(ast, f.arena));
        close_fixture(&f);
    }
}

static void test_too_deep(void **state) {
    (void)state;
    Fixture f;
    open_fixture(&f);
    assert_null(parse_file(&f.context, repeated(&f, "x = ", "(", 200000, "1;")));
    fflush(f.out);
    assert_non_null(strstr(f.messages, "nested too deeply: more than 100000 constructs"));
    close_fixture(&f);
}

/* Whichever allocation fails, the jump leaves no memory behind. */
static void test_out_of_memory(void **state) {
    static const char text[] = "def f(a) { x = [1, \"s\"]; return {x: a}; } y = (1; z = 2.5";
    (void)state;
    volatile bool done = false;
    for (volatile long n = 1; !done; n++) {
        Budget budget;
        BudgetGuard guard;
        budget_init(&budget, 0);
        Arena *volatile arena = NULL;
        if (BUDGET_ENTER(&budget, &guard)) {
            arena = arena_new(&budget);
            SourceMap *map = source_map_new(arena);
            ParseContext context = {arena, intern_new(arena), map, NULL};
            const Source *source = source_add(map, "t", text, sizeof text - 1);
            budget.fail_after = n;
            assert_null(parse_file(&context, source));
            done = budget.fail_after > 0;
            budget_leave(&budget, &guard);
        }
        arena_free(arena);
        assert_int_equal(budget.used, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_accepted_with_warning),
        cmocka_unit_test(test_nul_byte),
        cmocka_unit_test(test_float_range),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_many_mistakes),
        cmocka_unit_test(test_not_one_expression),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_too_deep),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
