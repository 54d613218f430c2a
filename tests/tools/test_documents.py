"""English and Chinese documents say the same, name files that exist, and show commands that exist."""
import json
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GUIDES = sorted(path.name for path in (ROOT / "docs/guide/en").glob("*.md"))
REFERENCES = sorted(path.name.removesuffix(".md") for path in (ROOT / "docs/reference").glob("*.md") if not path.name.endswith(".zh.md"))
PAIRS = ([("README.md", "README.zh.md")] + [(f"docs/guide/en/{name}", f"docs/guide/zh/{name}") for name in GUIDES]
         + [(f"docs/reference/{name}.md", f"docs/reference/{name}.zh.md") for name in REFERENCES])
DOCUMENTS = [path.relative_to(ROOT) for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md")
             for path in sorted(ROOT.glob(pattern))]


def outline(path):
    """Depths of headings, rows of tables and lists, code blocks: what must agree between languages."""
    text = (ROOT / path).read_text()
    blocks = re.findall(r"^```.*?^```", text, re.M | re.S)
    rest = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return {"headings": [len(h) for h in re.findall(r"^(#+) ", rest, re.M)],
            "table rows": len(re.findall(r"^\|", rest, re.M)),
            "list items": len(re.findall(r"^\s*(?:-|\d+\.) ", rest, re.M)),
            "code": [strip_comments(block) for block in blocks]}


def strip_comments(block):
    """Code must be the same in both languages; comments in it may be translated."""
    return "\n".join(re.sub(r"\s+#\s.*$|^#\s.*$", "", line) for line in block.splitlines())


@pytest.mark.parametrize("english, chinese", PAIRS)
def test_both_languages_have_the_same_parts(english, chinese):
    assert outline(english) == outline(chinese)


def test_there_is_no_guide_or_reference_in_one_language_only():
    assert GUIDES == sorted(path.name for path in (ROOT / "docs/guide/zh").glob("*.md"))
    assert REFERENCES == sorted(path.name.removesuffix(".zh.md") for path in (ROOT / "docs/reference").glob("*.zh.md"))
    assert GUIDES and REFERENCES


@pytest.mark.parametrize("chinese", [pair[1] for pair in PAIRS])
def test_the_chinese_one_is_chinese(chinese):
    text = re.sub(r"```.*?```|`[^`]*`|\[[^]]*\]\([^)]*\)|<!--.*?-->", "", (ROOT / chinese).read_text(), flags=re.S)
    letters = len(re.findall(r"[A-Za-z]", text))
    assert len(re.findall(r"[\u4e00-\u9fff]", text)) * 2 > letters


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_links_point_at_files_that_exist(document):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", (ROOT / document).read_text()):
        if "://" not in target:
            assert (ROOT / document.parent / target).exists(), f"{document} links to {target}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=str)
def test_make_targets_and_examples_exist(document):
    text = (ROOT / document).read_text()
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.M))
    for target in re.findall(r"(?:^|`)(?:sudo )?make ([a-z][a-z-]+)(?:`|$| )", text, re.M):
        assert target in targets, f"{document} says make {target}"
    for name in re.findall(r"examples/[\w./-]+\.yaml", text):
        assert (ROOT / name).exists(), f"{document} names {name}"


@pytest.mark.parametrize("tool", ["gen-api", "gen-client"])
def test_what_is_made_of_the_contract_is_up_to_date(tool):
    result = subprocess.run([sys.executable, ROOT / "tools" / tool, "--check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_commands_make_no_paths_of_the_api_themselves():
    for source in (ROOT / "src/cli").glob("*.cc"):
        assert "/api/v1" not in source.read_text(), f"{source.name}: call an operation of client/generated/operations.h"


def test_the_form_for_generators_of_other_languages_names_every_operation():
    shown = subprocess.run([sys.executable, ROOT / "tools/gen-client", "--form"], capture_output=True, text=True, check=True)
    form = json.loads(shown.stdout)
    records = {record["name"] for record in form["records"]}
    ids = set(re.findall(r"operationId: (\w+)", (ROOT / "contract/openapi.yaml").read_text()))
    assert {operation["id"] for operation in form["operations"]} <= ids
    for operation in form["operations"]:
        assert operation["answer"].get("record", "Job") in records


def test_the_walk_of_a_submit_names_files_that_exist_each_once():
    walk = re.search(r"^## One submit.*?(?=^## )", (ROOT / "docs/architecture.md").read_text(), re.M | re.S).group()
    named = re.findall(r"^\| \d+ \| `([^`]+)` \|", walk, re.M)
    assert len(named) > 20 and [path for path in named if not (ROOT / "src" / path).is_file()] == []
    assert len(named) == len(set(named))
