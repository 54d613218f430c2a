"""The glossary is the list of our words: what it has retired is found nowhere, neither in files nor in their names."""
import functools
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GLOSSARY = ROOT / "docs/glossary.md"
SCANNED = ("src", "apps", "web/src", "docs/guide", "docs/reference", "contract")


def tables():
    """Heading → rows of the table below it, without its head."""
    found = {}
    for part in re.split(r"^## ", GLOSSARY.read_text(), flags=re.M):
        rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in part.splitlines() if line.startswith("|")]
        found[part.splitlines()[0]] = rows[2:]
    return found


def retired():
    """(word, folders, what to say) of every row of the table of retired words."""
    [rows] = [rows for heading, rows in tables().items() if heading.startswith("Retired words")]
    for words, where, instead in rows:
        folders = re.findall(r"`([^`]+)`", where) or list(SCANNED)
        for word in re.findall(r"`([^`]+)`", words):
            yield word, folders, instead


def plain(text):
    """Identifiers as words: `raise_fences` and `RaiseFences` both read "raise fences"."""
    return re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text).replace("_", " ").lower()


def pattern(word):
    """A capital in the word asks for exactly this spelling; else any, as a part of identifiers too, and its plural."""
    if not word.isascii():
        return re.compile(re.escape(word)), str
    if word != word.lower():
        return re.compile(rf"\b{re.escape(word)}\b"), str
    return re.compile(rf"\b{re.escape(word)}(?:s|es)?\b"), plain


@functools.cache
def files():
    """Path → (what stands in the file, the same with identifiers as words); the first line is the path itself."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *SCANNED],
                            cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    found = {}
    for path in listed:
        if "/testdata/" in path or not (ROOT / path).is_file():
            continue
        text = f"{path}\n" + (ROOT / path).read_text(errors="ignore")
        found[path] = (text, plain(text))
    return found


def uses(word, folders):
    """`file:line` of every use; line 0 is the file's name."""
    expression, spelling = pattern(word)
    for path, (text, words) in files().items():
        if not any(path == folder or path.startswith(folder + "/") for folder in folders):
            continue
        text = words if spelling is plain else text
        for use in expression.finditer(text):
            yield f"{path}:{text.count(chr(10), 0, use.start())}"


@pytest.mark.parametrize("word, folders, instead", list(retired()), ids=lambda value: value if isinstance(value, str) else "")
def test_a_retired_word_is_used_nowhere(word, folders, instead):
    found = [f"{place}: \"{word}\" is retired, say {instead}" for place in uses(word, folders)]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("folder", sorted({folder for _, folders, _ in retired() for folder in folders}))
def test_the_folders_of_retired_words_exist(folder):
    assert (ROOT / folder).exists(), f"docs/glossary.md names {folder}"


def test_every_word_has_its_chinese():
    for heading, rows in tables().items():
        if heading.startswith("Retired words"):
            continue
        for english, chinese, *_ in rows:
            assert re.search(r"[\u4e00-\u9fff]", chinese), f"{english} has no Chinese word"


@pytest.mark.parametrize("text, word, found", [
    ("void raise_fences(Fences& fences);", "fence", True),
    ("class NodeFence {", "fence", True),
    ("an offence", "fence", False),
    ("an Octopus train job", "Octopus", True),
    ("\"octopus\"", "Octopus", False),
    ("void payDebts()", "pay debts", True),
])
def test_words_are_found_inside_identifiers_and_not_inside_other_words(text, word, found):
    expression, spelling = pattern(word)
    assert bool(expression.search(spelling(text))) is found
