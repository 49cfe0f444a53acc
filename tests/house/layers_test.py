#!/usr/bin/python3
"""The house of DESIGN section 2: who may include whom, and where a foreign library is named.

Three proofs: (1) an include against the layering does not compile with exactly the include folders that the room's
target has; (2) no source reaches into another room by a relative path; (3) foreign headers stand only in the one place
that the design names for them.

usage: layers_test.py REPOSITORY COMPILER
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
COMPILER = sys.argv[2]

# room: (folder, rooms whose headers it sees)
ROOMS = {
    "tree": ("world/tree", []),
    "scene": ("world/scene", ["tree"]),
    "model": ("world/model", ["scene", "tree"]),
    "judge": ("world/judge", ["tree"]),
    "semantic": ("semantic", ["scene", "tree"]),
    "sim": ("sim", ["scene", "tree"]),
    "proto": ("proto", []),
    "runtime": ("runtime", ["tree", "scene", "model", "judge", "semantic", "sim", "proto"]),
}
# A public header of each room, for the forbidden includes.
HEADERS = {
    "tree": "tree/value.h", "scene": "scene/scene.h", "model": "model/world_model.h", "judge": "judge/verdict.h",
    "semantic": "semantic/screen.h", "sim": "sim/device.h", "proto": "proto/frame.h", "runtime": "runtime/run.h",
}
# foreign header (pattern): files that may name it (patterns of paths below the repository)
FOREIGN = {
    r"protobuf-c/|worldd\.pb-c\.h": [r"proto/", r"runtime/src/codec[^/]*", r"planner_stub/", r"clients/c/"],
    r"czmq\.h|zmq\.h": [r"runtime/src/[^/]*_actor\.c", r"runtime/src/worldd\.c", r"runtime/ctl/", r"planner_stub/",
                        r"clients/c/", r"bench/"],
    r"lua\.h|lauxlib\.h|lualib\.h": [r"sim/src/lua_[^/]*"],
    r"expat\.h": [r"semantic/src/xml_reader\.c", r"bench/scenes\.c"],
    r"cjson/": [r"planner_stub/", r"semantic/src/", r"bench/", r"tests/", r"fuzz/"],
    r"ini\.h": [r"runtime/src/config\.c"],
    r"xxhash\.h": [r"world/tree/src/", r"world/scene/src/", r"semantic/src/page_key\.c", r"semantic/src/[^/]*key[^/]*"],
    r"zstd\.h": [r"runtime/src/"],
    r"jansson\.h": [r"tests/", r"fuzz/", r"bench/"],
    r"cmocka\.h": [r"tests/"],
}
SOURCES = [path for room in ("world", "semantic", "sim", "proto", "runtime", "planner_stub", "bench", "clients", "fuzz")
           for path in sorted((ROOT / room).rglob("*.[ch]"))]
failures = []


def fail(text):
    failures.append(text)
    print("FAIL", text)


def compiles(include, rooms):
    """Does a file with this include compile with the include folders of these rooms?"""
    folders = [f"-I{ROOT / ROOMS[room][0] / 'include'}" for room in rooms]
    with tempfile.TemporaryDirectory() as directory:
        source = pathlib.Path(directory) / "probe.c"
        source.write_text(f'#include "{include}"\nint probe(void);\n')
        run = subprocess.run([COMPILER, "-std=c17", "-D_GNU_SOURCE", "-fsyntax-only", *folders, str(source)],
                             capture_output=True, text=True)
    return run.returncode == 0, run.stderr


def check_refusals():
    for room, (_, uses) in ROOMS.items():
        seen = [room, *uses]
        for other, header in HEADERS.items():
            if not (ROOT / ROOMS[other][0] / "include" / header).exists():
                continue
            works, text = compiles(header, seen)
            if other in seen and not works and other not in ("proto",):
                fail(f"{room} should be able to include {header}: {text.splitlines()[0] if text else ''}")
            if other not in seen and works:
                fail(f"{room} must not be able to include {header}")


def check_links():
    """The CMake targets link what the table says and no more."""
    for room, (folder, uses) in ROOMS.items():
        text = (ROOT / folder / "CMakeLists.txt").read_text() if (ROOT / folder / "CMakeLists.txt").exists() else ""
        code = "\n".join(line.split("#", 1)[0] for line in text.splitlines())
        for other in ROOMS:
            if other not in uses and other != room and re.search(rf"\bwd::{other}\b", code):
                fail(f"{folder}/CMakeLists.txt links wd::{other}, which {room} must not see")


def check_sources():
    for path in SOURCES:
        name = path.relative_to(ROOT).as_posix()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            include = re.match(r'\s*#\s*include\s+[<"]([^>"]+)[>"]', line)
            if not include:
                continue
            target = include.group(1)
            if target.startswith("..") or "/../" in target:
                fail(f"{name}:{number}: relative include of {target}")
            for pattern, places in FOREIGN.items():
                if re.match(rf"(?:{pattern})", target) and not any(re.match(place, name) for place in places):
                    fail(f"{name}:{number}: {target} is not to be named here")


def check_raw_allocation():
    """world/ and sim/ allocate through tree/alloc.h only, so that every failure can be tested."""
    for path in SOURCES:
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(("world/", "sim/")) or name.startswith("world/tree/src/alloc") or "slab" in name:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            code = line.split("//", 1)[0]
            if re.search(r"(?<![\w.>])(malloc|calloc|realloc|free|strdup|strndup)\s*\(", code):
                fail(f"{name}:{number}: raw {code.strip()}")


check_refusals()
check_links()
check_sources()
check_raw_allocation()
print(f"{len(SOURCES)} sources, {len(ROOMS)} rooms: {len(failures)} failures")
sys.exit(1 if failures else 0)
