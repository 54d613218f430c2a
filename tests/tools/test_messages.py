"""What people are told: every code has words in both languages, and the generator refuses what it cannot word."""
import pathlib
import re
import subprocess
import sys
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def generate(*words):
    return subprocess.run([sys.executable, ROOT / "tools/gen-messages", *words], capture_output=True, text=True)


def test_every_message_has_words_and_the_reference_lists_them():
    done = generate("--check")
    assert done.returncode == 0, done.stderr


def test_every_message_is_said_somewhere():
    text = "\n".join(path.read_text() for top in ("src", "apps") for path in (ROOT / top).rglob("*") if path.suffix in (".cc", ".h"))
    said = set(re.findall(r"say::(\w+)", text)) | set(re.findall(r'"(\w+)"', text))
    # One for each action of auth/permission.cc, named by its word.
    said |= {"do_" + word for word in re.findall(r'Rule\{\w+,\s*"(\w+)"', text)}
    said |= {"clue_" + word for word in re.findall(r'constexpr std::string_view k\w+ = "(\w+)"', text)}
    codes = {code for path in ROOT.glob("src/*/messages.toml") for code in tomllib.loads(path.read_text())}
    assert sorted(codes - said) == []


@pytest.mark.parametrize("entry, fault", [
    ("[a]\nen = 'x'", "no words in zh"),
    ("[a]\nen = 'x {name}'\nzh = '甲'", "en has the holes ['name'], zh []"),
    ("[a]\nen = '{n:pounds}'\nzh = '{n}'", "the kind of {n:pounds}"),
    ("[a]\nen = 'x }'\nzh = '甲'", "a brace without its partner"),
    ("[Class]\nen = 'x'\nzh = '甲'", "a code is a lower_case name"),
    ("[a]\nen = 'x'\nzh = '甲'\nfr = 'y'", "unknown key fr"),
    ("[a]\nen = 'x", "at end of document"),
])
def test_what_cannot_be_worded_is_refused(tmp_path, entry, fault):
    (tmp_path / "src/one").mkdir(parents=True)
    (tmp_path / "src/one/messages.toml").write_text(entry)
    done = generate("--root", str(tmp_path), "--cpp", str(tmp_path / "gen"))
    assert done.returncode == 1 and fault in done.stderr, done.stderr
    assert not (tmp_path / "gen").exists()


def test_one_code_belongs_to_one_module(tmp_path):
    for module in ("one", "two"):
        (tmp_path / "src" / module).mkdir(parents=True)
        (tmp_path / "src" / module / "messages.toml").write_text("[a]\nen = 'x'\nzh = '甲'")
    done = generate("--root", str(tmp_path), "--cpp", str(tmp_path / "gen"))
    assert done.returncode == 1 and "has this code already" in done.stderr
