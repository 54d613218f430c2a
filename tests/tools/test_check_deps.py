"""tools/check-deps names each include that points up or across, and nothing else."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RULES = "base:\nrt: base\nmodel: base\nsched: model base\n"


@pytest.fixture
def tree(tmp_path):
    """A small project; the test writes its files and asks."""
    (tmp_path / "apps").mkdir()

    def check(files, rules=RULES):
        for name, text in {"src/deps.txt": rules, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        result = subprocess.run([sys.executable, ROOT / "tools/check-deps", "--root", tmp_path],
                                capture_output=True, text=True)
        return result.returncode, result.stdout

    return check


def test_this_tree_points_down():
    result = subprocess.run([sys.executable, ROOT / "tools/check-deps"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout


def test_includes_that_point_down_pass(tree):
    code, text = tree({"src/sched/plan.cc": '#include "sched/plan.h"\n#include "model/job.h"\n#include <vector>\n',
                       "apps/trainyard/main.cc": '#include "sched/plan.h"\n'})
    assert (code, text) == (0, "check-deps: 2 files of 4 modules point down\n")


def test_an_include_that_points_up_is_named_with_its_line(tree):
    code, text = tree({"src/model/job.h": '#pragma once\n\n  #  include "sched/plan.h"\n'})
    assert code == 1
    assert 'src/model/job.h:3: #include "sched/plan.h": model may include base; sched is not below it' in text


def test_an_include_across_is_refused(tree):
    code, text = tree({"src/sched/plan.cc": '#include "rt/log.h"\n'})
    assert code == 1
    assert "sched may include base model; rt is not below it" in text


@pytest.mark.parametrize("file", ["src/sched/plan.cc", "apps/trainyard/main.cc"])
def test_impl_headers_belong_to_their_module(tree, file):
    code, text = tree({file: '#include "model/impl/moves.h"\n'})
    assert code == 1
    assert "model/impl/ is for model alone" in text


def test_ones_own_impl_is_fine(tree):
    assert tree({"src/model/job.cc": '#include "model/impl/moves.h"\n'})[0] == 0


def test_relative_includes_and_unknown_folders_are_refused(tree):
    code, text = tree({"src/model/job.cc": '#include "job.h"\n', "src/extra/a.cc": "\n"})
    assert code == 1
    assert "src/model/job.cc:1" in text and "write the path from src/" in text
    assert "the folder src/extra has no line in src/deps.txt" in text


FACES = "base:\nstore: base\ncontrol: store base\napi: control base !store\n"
HIDDEN = {"src/store/rows.h": "\n",
          "src/control/impl/held.h": '#include "store/rows.h"\n',
          "src/control/jobs.cc": '#include "store/rows.h"\n',
          "src/control/jobs.h": "namespace store { class Rows; }\n"}


def test_what_is_not_seen_may_be_used_below(tree):
    assert tree({**HIDDEN, "src/api/api.h": '#include "control/jobs.h"\n'}, FACES)[0] == 0


def test_what_is_not_seen_is_not_seen_through_other_headers_either(tree):
    code, text = tree({**HIDDEN,
                       "src/control/jobs.h": '#include "control/impl/held.h"\n',
                       "src/api/api.h": '\n#include "control/jobs.h"\n',
                       "src/api/api.cc": '#include "api/api.h"\n'}, FACES)
    assert code == 1
    assert text.splitlines()[:-1] == [
        'src/api/api.h:2: #include "control/jobs.h → control/impl/held.h → store/rows.h": '
        'api sees nothing of store (src/deps.txt)']


def test_headers_in_a_circle_are_walked_once(tree):
    code, text = tree({"src/control/a.h": '#include "control/b.h"\n', "src/control/b.h": '#include "control/a.h"\n',
                       "src/api/api.h": '#include "control/a.h"\n'}, FACES)
    assert (code, text) == (0, "check-deps: 3 files of 4 modules point down\n")
PRIVATE = "private: engine/local\nbase:\nengine: base\ncontrol: engine base\n"


@pytest.mark.parametrize("file", ["src/control/launch.cc", "apps/trainyard/app.cc"])
def test_a_private_folder_is_for_its_module_alone(tree, file):
    code, text = tree({file: '#include "base/text.h"\n#include "engine/local/paths.h"\n'}, PRIVATE)
    assert code == 1
    assert f'{file}:2: #include "engine/local/paths.h": engine/local/ is for engine alone' in text


def test_a_private_folder_is_not_reached_through_other_headers(tree):
    code, text = tree({"src/control/launch.cc": '#include "control/launch.h"\n',
                       "src/control/launch.h": '#include "engine/face.h"\n',
                       "src/engine/face.h": '#include "engine/detail.h"\n',
                       "src/engine/detail.h": '#include "engine/local/paths.h"\n'}, PRIVATE)
    assert code == 1
    assert ('src/control/launch.h:1: #include "engine/face.h → engine/detail.h → engine/local/paths.h": '
            "engine/local/ is for engine alone") in text
    assert "src/control/launch.cc:1" in text


def test_its_own_module_uses_a_private_folder_freely(tree):
    assert tree({"src/engine/registry.cc": '#include "engine/local/open.h"\n',
                 "src/engine/local/open.h": "\n",
                 "src/control/app.cc": '#include "engine/registry.h"\n',
                 "src/engine/registry.h": "\n"}, PRIVATE)[0] == 0


def test_a_private_folder_belongs_to_a_module(tree):
    code, text = tree({}, "private: nowhere/local\nbase:\n")
    assert code == 1
    assert "nowhere/local is in no module" in text


@pytest.mark.parametrize("rules, words", [
    ("a:\nb: a !a\n", "b may include a and never sees it"),
    ("a: !b\n", "a names b, which has no line of its own"),
    ("a: b\nb: c\nc: a\n", "a cycle: a → b → c → a"),
    ("a:\na:\n", "a has a line already, 1"),
    ("a: b\n", "a names b, which has no line of its own"),
    ("a\n", "no colon"),
])
def test_faulty_rules_are_named(tree, rules, words):
    code, text = tree({}, rules)
    assert code == 1
    assert words in text
