# rasp: build, test, install.  `make help` lists the targets.
#
# MODE=release|asan|tsan|fuzz|fuzzcover|cover|mutate chooses the flags; each mode has its own folder
# below build/, so the modes never see one another's objects.

MODE    ?= release
PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
DESTDIR ?=

VERSION := $(shell sed -n 's/^.define RASP_VERSION  *"\(.*\)"/\1/p' api/rasp.h)
SONAME  := librasp.so.$(firstword $(subst ., ,$(VERSION)))
SO      := librasp.so.$(VERSION)
B       := build/$(MODE)
CC      := gcc
CXX     := g++
OPT     := -O2 -g
SAN     :=
BIN     := $(B)/rasp
ifeq ($(MODE),release)
BIN     := bin/rasp
endif
ifeq ($(MODE),asan)
SAN     := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT     := -O1 -g
endif
ifeq ($(MODE),tsan)
SAN     := -fsanitize=thread
OPT     := -O1 -g
endif
ifeq ($(MODE),fuzz)
CC      := clang
CXX     := clang++
SAN     := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
           -fsanitize-coverage=inline-8bit-counters,pc-table,indirect-calls
OPT     := -O2 -g
LDFLAGS += -fsanitize-link-c++-runtime # the solver is C++, and clang links as for C
endif
ifeq ($(MODE),fuzzcover)
CC      := clang
CXX     := clang++
SAN     := -fprofile-instr-generate -fcoverage-mapping -fsanitize=fuzzer-no-link
OPT     := -O1 -g
endif
ifeq ($(MODE),cover)
SAN     := --coverage
OPT     := -O0 -g
endif
# All rooms are one shared library that every program finds beside it or one folder above, so a
# changed source costs one object and one link.  No -g: equal code is then an equal object.
VISIBLE := hidden
ifeq ($(MODE),mutate)
OPT     := -O2 -fno-semantic-interposition
VISIBLE := default
endif

# What a mistake of ours must not become: stack and heap checks of the compiler and libc, no
# writable function tables, no jumps but to where functions begin, code at another address
# each time.
HARDEN  :=
HARDEN_LINK :=
ifeq ($(MODE),release)
HARDEN  := -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
ifneq ($(filter x86_64 i%86,$(shell uname -m)),)
HARDEN  += -fcf-protection=full
endif
HARDEN_LINK := -Wl,-z,relro,-z,now,-z,noexecstack
endif

WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion
CFLAGS  += -std=gnu11 $(OPT) $(HARDEN) $(WARN) $(SAN) -fPIC -fvisibility=$(VISIBLE)
CPPFLAGS += -I. -I$(B)/gen -DRASP_PREFIX='"$(PREFIX)"' $(shell pkg-config --cflags openblas 2>/dev/null)
LDFLAGS += $(SAN) $(HARDEN_LINK)
LIBLIBS  := -ljansson -lm -lpthread # what the library needs
SOLVER   := -lcadical -lstdc++ # what express/ needs besides
LDLIBS   += $(LIBLIBS) -lopenblas $(SOLVER)
CXXFLAGS += -std=c++17 $(OPT) -Wall -Wextra -Wshadow $(SAN) -fPIC -fvisibility=$(VISIBLE)

ROOMS   := base grammar graph interp/exec interp/eval compile/values compile/facts compile/lower compile/emit \
           compile/prove compile runtime generate api
SRC_LIB := $(foreach room,$(ROOMS),$(wildcard $(room)/*.c))
SRC_CLI := $(wildcard cli/*.c)
# What is installed.
HEADERS := $(addprefix api/,rasp.h rasp_check.h rasp_circuit.h rasp_facts.h rasp_generate.h rasp_graph.h \
           rasp_repl.h rasp_words.h)
# Clients of rasp.h that the command line links and the library has not.
SRC_EXPRESS := $(wildcard express/*.c express/verify/*.c)
SRC_SHOW := $(wildcard show/*.c)
SRC_LAB := $(wildcard lab/*.c)
GEN     := $(B)/gen/grammar/rasp_lex.c $(B)/gen/grammar/rasp_parse.c \
           $(B)/gen/interp/eval/library_text.c
GEN_LAB := $(B)/gen/lab/excerpt_text.c
GEN_SHOW := $(B)/gen/show/view_text.c
OBJ_LIB := $(SRC_LIB:%.c=$(B)/%.o) $(GEN:.c=.o)
OBJ_EXPRESS := $(SRC_EXPRESS:%.c=$(B)/%.o) $(B)/express/solver.o
OBJ_SHOW := $(SRC_SHOW:%.c=$(B)/%.o) $(GEN_SHOW:.c=.o)
OBJ_LAB := $(SRC_LAB:%.c=$(B)/%.o) $(GEN_LAB:.c=.o)
OBJ_CLI := $(SRC_CLI:%.c=$(B)/%.o) $(B)/gen/cli/version.o $(OBJ_EXPRESS) $(OBJ_SHOW) $(OBJ_LAB)
# The rooms below them, whose names librasp.a keeps to itself.
OBJ_BELOW := $(filter $(B)/base/% $(B)/runtime/%,$(OBJ_LIB))
LIBS    := $(B)/librooms.a
INSIDE  := $(OBJ_CLI) $(OBJ_BELOW) $(B)/librasp.a # of the command line
ifeq ($(MODE),mutate)
LIBS    := $(B)/librooms.so
INSIDE  := $(filter $(B)/cli/% $(B)/gen/cli/%,$(OBJ_CLI)) $(LIBS)
LDFLAGS += -Wl,-rpath,'$$ORIGIN:$$ORIGIN/..'
endif
UNITS   := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$(B)/%,$(wildcard tests/fuzz/*.c))
BENCHES := $(patsubst bench/%.c,$(B)/bench/%,$(wildcard bench/*.c))
TOOLS   := $(patsubst tests/compile/%.c,build/release/tests/%,$(wildcard tests/compile/*.c)) build/release/tests/pages_trace

# One short line a file; V=1 shows the commands, -s nothing.
SILENT   = $(findstring s,$(firstword -$(MAKEFLAGS)))
Q        = $(if $(V),,@$(if $(SILENT),,printf "%-6s %s\n" $(1) $@;))

# Builds below use every core, unless a -j was given.
JOBS     = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
SUBMAKE  = $(MAKE) --no-print-directory $(JOBS)

all: $(BIN) $(B)/$(SO) ## build bin/rasp and the libraries (default)

# Tests and benchmarks see every room; everybody else the one door.  librasp.a is one object
# whose only names are those of rasp.h; the command line is linked from it, and from base/ and
# runtime/, which the lab knows.
$(BIN): $(INSIDE)
	@mkdir -p $(@D)
	$(call Q,link)$(CC) $(LDFLAGS) -pie -o $@ $(INSIDE) $(LIBLIBS) $(SOLVER) -ledit

$(B)/librooms.a: $(OBJ_LIB) $(OBJ_EXPRESS) $(OBJ_SHOW) $(OBJ_LAB)
	@rm -f $@
	$(call Q,ar)$(AR) rcs $@ $^
$(B)/librooms.so: $(OBJ_LIB) $(OBJ_EXPRESS) $(OBJ_SHOW) $(OBJ_LAB)
	$(call Q,link)$(CC) -shared -Wl,-soname,$(@F) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(B)/librasp.a: $(OBJ_LIB)
	@rm -f $@
	$(call Q,ar)$(LD) -r -o $(@:.a=.o) $^ && objcopy --localize-hidden $(@:.a=.o) && \
	    $(AR) rcs $@ $(@:.a=.o)
$(B)/$(SO): $(OBJ_LIB)
	@rm -f $(B)/librasp.so.*
	$(call Q,link)$(CC) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs $(LDFLAGS) -o $@ $^ $(LIBLIBS)

$(B)/%.o: %.c | $(GEN)
	@mkdir -p $(@D)
	$(call Q,cc)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$(B)/%.o: %.cc
	@mkdir -p $(@D)
	$(call Q,c++)$(CXX) -I. $(CXXFLAGS) -MMD -MP -c -o $@ $<
# Random numbers are the same on every machine.
$(B)/lab/rng.o: CFLAGS += -ffp-contract=off
$(B)/gen/%.o: $(B)/gen/%.c
	$(call Q,cc)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/gen/grammar/rasp_parse.c: grammar/rasp.y
	@mkdir -p $(@D)
	$(call Q,bison)bison -Wall -Werror --defines=$(@:.c=.h) -o $@ $<
$(B)/gen/grammar/rasp_lex.c: grammar/rasp.l $(B)/gen/grammar/rasp_parse.c
	$(call Q,flex)flex --header-file=$(@:.c=.h) -o $@ $<

$(B)/gen/interp/eval/library_text.c: programs/embed programs/lib.rasp programs/extras.rasp
	@mkdir -p $(@D)
	$(call Q,embed)programs/embed >$@.tmp && mv $@.tmp $@
$(B)/gen/lab/excerpt_text.c: lab/embed lab/text/pride.txt
	@mkdir -p $(@D)
	$(call Q,embed)lab/embed >$@.tmp && mv $@.tmp $@

$(B)/gen/show/view_text.c: show/embed $(wildcard show/view/*)
	@mkdir -p $(@D)
	$(call Q,embed)show/embed >$@.tmp && mv $@.tmp $@

# Asked for each time, and written when it is another.  Several makes may ask at once.
$(B)/gen/cli/version.c: FORCE
	@mkdir -p $(@D)
	@version=$$(packaging/version) && printf 'extern const char build_version[];\n%s\n' \
	    "const char build_version[] = \"$${version% *}\";" >$@.$$$$ && \
	    if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi

# What packages have beside the program, from the command line's own tables: packaging/main.c.
DESCRIBE := $(B)/packaging/describe
OBJ_DESCRIBE := $(patsubst %.c,$(B)/%.o,$(wildcard packaging/*.c))
SHARE   := $(B)/share
$(DESCRIBE): $(OBJ_DESCRIBE) $(filter-out $(B)/cli/main.o,$(INSIDE))
	$(call Q,link)$(CC) $(LDFLAGS) -Wl,--wrap=argp_parse,--wrap=argp_error -o $@ $^ $(LIBLIBS) $(SOLVER) -ledit
$(B)/share.made: $(DESCRIBE) packaging/share $(wildcard packaging/completion/* packaging/editors/* programs/*/*.rasp) \
    $(B)/gen/cli/version.c
	$(call Q,write)packaging/share $(DESCRIBE) $(SHARE) && touch $@

$(B)/unit/%: tests/unit/%.c $(LIBS)
	@mkdir -p $(@D)
	$(call Q,build)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(LIBS) $(LDLIBS) -lcmocka -lmpfr -lgmp
# Its allocations are made to fail, which only works on what is linked into it.
$(B)/unit/test_api_failures: LIBS := $(B)/librooms.a
$(B)/unit/test_api_failures: $(B)/librooms.a
$(B)/unit/test_api_failures: LDFLAGS += $(foreach f,malloc calloc realloc strdup open_memstream json_loadb,-Wl,--wrap=$f)
$(B)/bench/%: bench/%.c $(LIBS)
	@mkdir -p $(@D)
	$(call Q,build)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(LIBS) $(LDLIBS)
# Fuzz targets load the language's library once a process: tests/fuzz/once.h.
WRAPPED := session_new session_free budget_alloc budget_free
$(B)/fuzz_weights $(B)/fuzz_commands: WRAPPED += json_dumps
$(B)/fuzz_commands: $(filter-out %/main.o,$(OBJ_CLI))
$(B)/fuzz_%: tests/fuzz/fuzz_%.c $(LIBS)
	@mkdir -p $(@D)
	$(call Q,build)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -fsanitize=fuzzer \
	    -fno-sanitize-coverage=trace-cmp $(WRAPPED:%=-Wl,--wrap=%) -o $@ $< $(filter %.o,$^) $(LIBS) $(LDLIBS) -ledit

build/release/tests/%: tests/compile/%.c
	@mkdir -p $(@D)
	$(call Q,build)$(CC) $(CFLAGS) -o $@ $< -ljansson -lm

build/release/tests/pages_trace: tests/pages/trace.c $(LIBS)
	@mkdir -p $(@D)
	$(call Q,build)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIBS) $(LDLIBS)

units: $(UNITS)
objects: $(OBJ_LIB) $(OBJ_CLI) $(OBJ_DESCRIBE)
print-flags:
	@echo $(CPPFLAGS) $(CFLAGS)
fuzzers: $(FUZZERS)
tools: $(TOOLS)

test: ## install what is missing, build, run every suite (plain and under sanitizers)
	@./setup --quiet --no-build
	@$(SUBMAKE) all units tools share
	@$(SUBMAKE) MODE=asan all units
	@tests/run

test-fast: all units tools share ## the plain build's suites only
	@tests/run --plain

test-pages: all tools ## the pages of rasp view, in headless Chromium
	@./setup --quiet --no-build --browser
	@tests/pages/run

test-python: all ## the Python package, in a virtual environment (PEERS=onnx, PEERS=1: with torch and all)
	@./setup --quiet --no-build --python
	@python/test $(if $(PEERS),$(if $(filter onnx,$(PEERS)),onnx,all))

fuzz: all ## all fuzz targets at once, each for 60 s (FUZZ_TIME=...)
	@./setup --quiet --no-build --dev
	@$(SUBMAKE) MODE=fuzz fuzzers
	@tests/fuzz/run

fuzz-coverage: all ## which lines the fuzz targets' inputs reach, file by file
	@./setup --quiet --no-build --dev
	@$(SUBMAKE) MODE=fuzzcover fuzzers
	@tests/fuzz/coverage

mutate: ## change single operators and constants: which changes no test notices (MUTATE=...)
	@./setup --quiet --no-build
	@$(SUBMAKE) all units tools
	@tests/mutate/run $(MUTATE)

bench: all ## measure; writes bench/results.md and bench/results.json
	@$(SUBMAKE) $(BENCHES) tools
	@bench/run

golden: all tools ## rewrite the golden files; read the diff
	@tests/golden/run --rewrite
	@tests/compile/run --rewrite

tour: all ## the pictures of docs/tour.md
	@docs/tour/make

atlas: all ## what one layer can do of every bundled program; writes docs/atlas.md
	@$(BIN) express --atlas=build/atlas -o docs/atlas.md

lab: all ## every item of the lab at full size, less than 10 minutes on two cores; writes build/lab, docs/lab-report.html
	@lab/run

lint: ## warnings with gcc and clang, format, include arrows
	@./setup --quiet --no-build --dev
	@tests/lint

# For clangd and its like.  Always written anew, so that it knows every source there is.
SOURCES  = $(sort $(SRC_LIB) $(SRC_CLI) $(SRC_EXPRESS) $(SRC_SHOW) $(SRC_LAB) $(GEN) $(wildcard $(addsuffix /*.c,packaging tests/* bench examples)))
comma   := ,
json     = "$(subst ",\",$(subst \,\\,$(1)))"
command  = {"directory": $(call json,$(CURDIR)), "file": $(call json,$(1)), \
           "command": $(call json,$(CC) $(CPPFLAGS) $(if $(filter examples/%,$(1)),-Iapi) $(CFLAGS) -c $(1))}
define commands
[
$(call command,$(firstword $(SOURCES)))$(foreach source,$(filter-out $(firstword $(SOURCES)),$(SOURCES)),$(comma)
$(call command,$(source)))
]
endef
compile_commands.json: $(GEN) ## how each source is compiled, for editors
	$(file >$@,$(commands))
	@:

format: ## clang-format every source in place
	clang-format -i $(wildcard $(shell git ls-files "*.c" "*.h"))

share: $(B)/share.made ## manual pages, completions and editors' files, in build/release/share

install: all share ## install below PREFIX (default /usr/local)
	packaging/install $(PREFIX) $(LIBDIR) $(VERSION) $(B) $(HEADERS)

uninstall: ## remove what install put there
	packaging/install --remove $(PREFIX)

dist: ## rasp-VERSION.tar.gz, in build/dist
	@packaging/dist build/dist

deb: ## Debian packages, in build/deb
	@./setup --quiet --no-build --deb
	@packaging/deb build/deb

test-deb: deb ## install the packages in a minimal Debian, use and remove them
	@packaging/test-deb build/deb

clean: ## remove everything built
	rm -rf build bin compile_commands.json

help: ## this list
	@sed -n 's/^\([a-z_.-]*\):.*## /\1\t/p' Makefile | expand -t 23

.PHONY: all units objects print-flags fuzzers tools test test-fast test-pages test-python fuzz fuzz-coverage mutate bench golden atlas tour lab lint format \
    compile_commands.json share install uninstall dist deb test-deb clean help FORCE
.SECONDARY:
-include $(OBJ_LIB:.o=.d) $(OBJ_CLI:.o=.d) $(OBJ_DESCRIBE:.o=.d) $(wildcard $(B)/unit/*.d $(B)/bench/*.d $(B)/fuzz_*.d)
