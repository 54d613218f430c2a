"""tools/compile: clones share one compiler cache, and none of them leans on a clone that is gone."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(shared_cache CXX)
add_compile_options(-g1 -Xclang -fno-pch-timestamp)
add_executable(hello hello.cc)
target_precompile_headers(hello PRIVATE ${CMAKE_SOURCE_DIR}/greeting.h)

# As ty_module() has it: files compiled together, by a list of them in the build folder, with the header of another target.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/units/unit.cc CONTENT "#include \\"again.cc\\"\\n")
add_executable(again ${CMAKE_BINARY_DIR}/units/unit.cc)
target_include_directories(again PRIVATE ${CMAKE_SOURCE_DIR})
target_precompile_headers(again REUSE_FROM hello)
"""


def make_clone(folder):
    (folder / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools/compile", folder / "tools")
    (folder / "CMakeLists.txt").write_text(CMAKE)
    (folder / "greeting.h").write_text('#pragma once\ninline const char* greeting() { return "hello"; }\n')
    for name in ("hello.cc", "again.cc"):
        (folder / name).write_text("#include <cstdio>\nint main() { std::puts(greeting()); }\n")


def build(folder, cache):
    def run(*words):
        done = subprocess.run(words, cwd=folder, env=os.environ | {"CCACHE_DIR": str(cache)}, text=True, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("cmake", "-G", "Ninja", "-B", "build", "-DCMAKE_CXX_COMPILER=clang++-19",
        f"-DCMAKE_CXX_COMPILER_LAUNCHER={folder}/tools/compile")
    run("ccache", "--zero-stats")
    run("ninja", "-C", "build")
    assert run("build/hello") == "hello\n"
    stats = dict(line.split("\t") for line in run("ccache", "--print-stats").splitlines())
    return int(stats["direct_cache_hit"]) + int(stats["preprocessed_cache_hit"])


def test_a_clone_builds_from_the_cache_of_one_that_was_removed(tmp_path):
    cache = tmp_path / "cache"
    make_clone(tmp_path / "first")
    assert build(tmp_path / "first", cache) == 0
    shutil.rmtree(tmp_path / "first")
    make_clone(tmp_path / "second")
    assert build(tmp_path / "second", cache) == 2, "both files were compiled in the first clone already"


def test_a_clone_built_anew_takes_its_own_precompiled_header_not_that_of_a_later_one(tmp_path):
    cache = tmp_path / "cache"
    for name in ("first", "second"):
        make_clone(tmp_path / name)
        build(tmp_path / name, cache)
    shutil.rmtree(tmp_path / "second")
    shutil.rmtree(tmp_path / "first/build")
    assert build(tmp_path / "first", cache) == 3
    header, = (tmp_path / "first/build").rglob("*.pch")
    assert str(tmp_path / "first").encode() in header.read_bytes()
    assert str(tmp_path / "second").encode() not in header.read_bytes()
