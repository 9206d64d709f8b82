#!/usr/bin/env python3
"""Check that includes between modules point down and that libraries call only what they may.

usage: layers.py [ROOT]      check the tree at ROOT (default: this repository)
       layers.py --self-test prove that bad files are found
"""
import os
import re
import sys
import tempfile

# Which modules a module may include from, itself included.
BELOW = {
    "src/base": {"src/base"},
    "src/solver": {"src/solver", "src/base"},
    "src/fluid": {"src/fluid", "src/solver", "src/base"},
    "src/body": {"src/body", "src/base"},
    "src/couple": {"src/couple", "src/body", "src/fluid", "src/base"},
    "src/emit": {"src/emit", "src/fluid", "src/base"},
    "src/world": {"src/world", "src/couple", "src/emit", "src/body", "src/fluid", "src/base"},
    "src/scene": {"src/scene"},
    "draw": {"draw"},
    "validation": {"validation"},
    "apps": {"apps", "draw", "validation"},
    "examples": set(),
    "include/tarn": set(),
}

# What one file of a module may include besides: benchmarks of what has no public interface, and a section of
# the program's own in a checkpoint.
EXCEPTIONS = {
    "apps/cli/bench/bench_linear.c": {"src/solver/linear.h"},
    "apps/cli/output/checkpoint.c": {"src/base/save.h"},
}

# Calls that a library must not make: (names, modules, files let off, reason).
LIBRARY = ["src/base", "src/solver", "src/fluid", "src/body", "src/couple", "src/emit", "src/world"]
CALLS = [
    (r"malloc|calloc|realloc|free|aligned_alloc|posix_memalign|strdup", LIBRARY, {"src/base/memory.c"},
     "memory comes from base/memory.h"),
    (r"fopen|freopen|getenv|setlocale|time|rand|srand|qsort|bsearch", LIBRARY, set(),
     "libtarn opens no file and depends on nothing outside"),
    (r"printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|perror|exit|_exit|abort|qsort",
     LIBRARY + ["src/scene"], set(), "a library never prints or exits, and qsort's order differs"),
    (r"(?:a?sin|a?cos|a?tan|atan2|a?sinh|a?cosh|a?tanh|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot"
     r"|erf|erfc|tgamma|lgamma)[fl]?", LIBRARY, set(), "libm's differ between machines: use base/math/math.h"),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<(tarn/[^>]+)>)', re.M)
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def bare(text):
    """The code without comments and strings, on the same lines."""
    return COMMENT_OR_TEXT.sub(lambda m: "\n" * m.group().count("\n") or " ", text)


def module_of(path):
    return next((module for module in BELOW if path.startswith(module + "/")), None)


def find(root, here, name):
    """The file that an include means, relative to the root; None if it is not ours."""
    for folder in (os.path.dirname(here), "src", "include", "."):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(os.path.join(root, path)):
            return path
    return None


def check_include(root, path, name):
    module, target = module_of(path), find(root, path, name)
    if target is None:
        return f'there is no "{name}"'
    other = module_of(target)
    if other == "include/tarn":
        if target.endswith("/scene.h") and module in LIBRARY:
            return f"libtarn does not know {target}"
        return None
    if target in EXCEPTIONS.get(path, ()):
        return None
    if module == "include/tarn" or other not in BELOW[module]:
        return f"{module} must not include {target}"
    return None


def check_file(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = file.read()
    module, code = module_of(path), bare(text)

    def place(source, match):
        return f"{path}:{source.count(chr(10), 0, match.start()) + 1}"

    for match in INCLUDE.finditer(text):
        mistake = check_include(root, path, match.group(1) or match.group(2))
        if mistake:
            yield f"{place(text, match)}: {mistake}"
    for names, modules, let_off, reason in CALLS:
        if module not in modules or path in let_off:
            continue
        # A member (x.free(...), x->free(...)) is a hook, not the C library.
        for match in re.finditer(r"(?<![\w.])(?<!->)(" + names + r")[ \t]*\(", code):
            yield f"{place(code, match)}: {match.group(1)}(): {reason}"


def check_tree(root):
    mistakes, count = [], 0
    for top in ("src", "draw", "validation", "apps", "examples", "include"):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), root)
                if not name.endswith((".c", ".h", ".cpp")):
                    continue
                count += 1
                if module_of(path) is None:
                    mistakes.append(f"{path}: this module is not in tools/layers.py")
                else:
                    mistakes.extend(check_file(root, path))
    return mistakes, count


# A file and whether it is wrong.
SAMPLES = [
    ("src/base/a.h", "// nothing\n", False),
    ("src/fluid/a.h", "#include <tarn/tarn.h>\n", False),
    ("src/fluid/good.c", '#include "a.h"\n#include "base/a.h"\n// somebody, m_sin(x), "exit(1)"\n', False),
    ("src/base/good.c", "void f(struct m *m) { m->hook.free(m->p); x = m_pow(2, sqrt(3)); }\n", False),
    ("src/base/memory.c", "void *f(void) { return malloc(1); }\n", False),
    ("apps/cli/good.c", '#include <tarn/scene.h>\nint main(void) { printf("hello"); }\n', False),
    ("src/base/up.c", '#include "fluid/a.h"\n', True),
    ("src/body/aside.c", '#include "../fluid/a.h"\n', True),
    ("src/world/scene.c", "#include <tarn/scene.h>\n", True),
    ("src/scene/inside.c", '#include "base/a.h"\n', True),
    ("src/solver/linear.h", "// an interface\n", False),
    ("apps/cli/bench/bench_linear.c", '#include "solver/linear.h"\n', False),
    ("apps/cli/other.c", '#include "solver/linear.h"\n', True),
    ("apps/cli/inside.c", '#include "../../src/base/a.h"\n', True),
    ("include/tarn/down.h", '#include "../../src/base/a.h"\n', True),
    ("src/base/lost.c", '#include "nowhere.h"\n', True),
    ("src/world/alloc.c", "void *f(void) { return malloc (1); }\n", True),
    ("src/world/print.c", 'void f(void) { printf("x"); }\n', True),
    ("src/scene/print.c", 'void f(void) { fprintf(stderr, "x"); }\n', True),
    ("src/couple/sine.c", "float f(float x) { return sinf(x); }\n", True),
    ("src/emit/sort.c", "void f(int *x) { qsort(x, 1, 4, g); }\n", True),
    ("validation/a.h", "#include <tarn/tarn.h>\n", False),
    ("validation/x/case.c", '#include "../a.h"\n', False),
    ("validation/x/inside.c", '#include "../../src/base/a.h"\n', True),
    ("src/new/module.c", "\n", True),
]


def self_test():
    with tempfile.TemporaryDirectory() as root:
        for path, text, _ in SAMPLES + [("include/tarn/tarn.h", "", 0), ("include/tarn/scene.h", "", 0)]:
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        mistakes, _ = check_tree(root)
    blamed = {re.split(r":", mistake)[0] for mistake in mistakes}
    wrong = [path for path, _, bad in SAMPLES if (path in blamed) != bad]
    for path in wrong:
        print(f"self-test: the verdict on {path} is wrong")
    return 1 if wrong else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = sys.argv[1] if sys.argv[1:] else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    mistakes, count = check_tree(root)
    print("\n".join(mistakes + [f"{count} files, {len(mistakes)} mistakes"]))
    return 1 if mistakes or not count else 0


if __name__ == "__main__":
    sys.exit(main())
