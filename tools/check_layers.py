#!/usr/bin/env python3
"""Fails if a module includes one it may not know, or libtorch where it has no business, and if two headers
define a type of one name: a program that links both destroys one of them as the other.

cmake/layers.txt lists the wings, their modules and what each module may include beside itself; CMake links by
the same list. Every line may only name modules above it, so wings depend on wings above them.

cmake/known_elsewhere.txt holds how many files of which modules know what others decide: the configuration of a
run, and the words of errors, which belong into locale/en.po. The numbers only go down: a file more fails, and so
does a number that is too high.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WING = re.compile(r"^wing ([a-z]+)$")
MODULE = re.compile(r"^  ([a-z_]+)( torch| trainer)?:(.*)$")
CUDA_FOLDER = "cuda_runtime"
CUDA_HEADER = re.compile(r"^(c10/cuda|ATen/cuda|cuda|nccl)\b|^cuda_|^nv")
CUDA_CONDITION = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b.*(CUDA|NVCC)")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')


# What only some modules should know -> those modules, how a file shows that it does, and what to do instead.
KNOWN = {
    "config": ({"config", "cli", "torch_cli", "capi"},
               re.compile(r"\b(Run|Data|Model|Training|Vocoder|Pipeline|Loaded)Config\b"),
               "hand over the values that they need"),
    # Errors with words in them, which nobody can say in another language.
    "english_errors": (set(),
                       re.compile(r'\b(?<!Message)(Error|Failure)\s*[({]\s*(fmt::format\(\s*)?"[^"]*[a-z]{3}'),
                       "say them by a sentence of locale/en.po"),
}
ONLY_FOR_TESTS = re.compile(r"(_test|_testing)\.\w+$|/(fake|test)_\w+$")


class Layers:
    def __init__(self, text):
        self.wing_of, self.may_include, self.uses_torch, self.unread = {}, {}, set(), []
        wing = None
        for number, line in enumerate(text.splitlines(), 1):
            if match := WING.match(line):
                wing = match[1]
            elif match := MODULE.match(line):
                self.wing_of[match[1]] = wing
                self.may_include[match[1]] = match[3].split()
                if match[2] == " torch":
                    self.uses_torch.add(match[1])
            elif line.strip() and not line.startswith("#"):
                self.unread.append(f"layers.txt:{number}: neither a wing nor a module: {line}")


def table_problems(layers):
    yield from layers.unread
    seen = set()
    for module, allowed in layers.may_include.items():
        for name in allowed:
            if name not in seen:
                yield f"check_layers: {module} lists {name}, which is not above it"
        seen.add(module)


def problems(src: pathlib.Path, layers):
    for path in sorted(p for ext in ("*.h", "*.cpp") for p in src.rglob(ext)):
        parts = path.relative_to(src).parts
        module = parts[1] if len(parts) > 2 else parts[0]
        if layers.wing_of.get(module) != parts[0]:
            yield f"{path}: wing {parts[0]}/ has no module {module}/ in cmake/layers.txt"
            continue
        allowed = set(layers.may_include[module]) | {module}
        for number, line in enumerate(path.read_text().splitlines(), 1):
            in_cuda = module == CUDA_FOLDER
            if CUDA_CONDITION.match(line) and not in_cuda:
                yield f"{path}:{number}: what is compiled for CUDA is decided in cuda_runtime/ only"
            match = INCLUDE.match(line)
            if not match:
                continue
            target = match[1].split("/")[0]
            if target in layers.may_include:
                if target not in allowed:
                    yield f"{path}:{number}: {module}/ may not include {target}/"
                continue
            if CUDA_HEADER.match(match[1]) and not in_cuda:
                yield f"{path}:{number}: headers of CUDA belong in cuda_runtime/ only"
            if target in ("torch", "ATen", "c10") and module not in layers.uses_torch:
                yield f"{path}:{number}: libtorch is not allowed in {module}/"


NAMESPACE = re.compile(r"^(?:inline )?namespace ?([\w:]*) \{$")
TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)(?: final)?(?: : [^;]*)?(?: \{.*)?$")


def types_of(header):
    """(name, line) of what a header defines in namespace qanat itself; forward declarations end with a semicolon."""
    namespaces = []
    for number, line in enumerate(header.splitlines(), 1):
        if match := NAMESPACE.match(line):
            namespaces.append(match[1])
        elif line.startswith("}") and "namespace" in line:
            namespaces = namespaces[:-1]
        elif namespaces == ["qanat"] and (match := TYPE.match(line)):
            yield match[1], number


def twice_defined(headers):
    """`headers`: their paths and texts."""
    first = {}
    for path, text in headers:
        for name, number in types_of(text):
            if other := first.get(name):
                yield f"{path}:{number}: {name} is another type in {other}"
            first.setdefault(name, f"{path}:{number}")
def counted(src: pathlib.Path):
    """(what, module) -> files that know it and should not have to."""
    found = collections.Counter()
    for path in sorted(p for ext in ("*.h", "*.cpp") for p in src.rglob(ext)):
        parts = path.relative_to(src).parts
        if len(parts) < 3 or ONLY_FOR_TESTS.search(path.as_posix()):
            continue
        text = path.read_text()
        for what, (owners, pattern, _) in KNOWN.items():
            if parts[1] not in owners and pattern.search(text):
                found[what, parts[1]] += 1
    return found


def known_problems(src: pathlib.Path, listed: str):
    allowed = {tuple(line.split()[:2]): int(line.split()[2])
               for line in listed.splitlines() if line.strip() and not line.startswith("#")}
    found = counted(src)
    for what, module in sorted(allowed.keys() | found.keys()):
        number, most = found[what, module], allowed.get((what, module), 0)
        if number > most:
            yield (f"check_layers: {number} files of {module}/ know of {what}; cmake/known_elsewhere.txt has {most}: "
                   f"{KNOWN[what][2]}")
        elif number < most:
            yield (f"check_layers: {number} files of {module}/ know of {what}; cmake/known_elsewhere.txt has {most}: "
                   "write the lower number there")


if __name__ == "__main__":
    layers = Layers((ROOT / "cmake/layers.txt").read_text())
    found = list(table_problems(layers)) + list(problems(ROOT / "src", layers))
    found += twice_defined((path.relative_to(ROOT), path.read_text()) for path in sorted((ROOT / "src").rglob("*.h")))
    found += known_problems(ROOT / "src", (ROOT / "cmake/known_elsewhere.txt").read_text())
    print("\n".join(found) or "layers: ok")
    sys.exit(1 if found else 0)
