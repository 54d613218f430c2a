"""The guides for people from other platforms: their files are written, their commands run, their output compared."""
import os
import re
import subprocess

import pytest
from trainyard import ROOT, clean_environment

GUIDES = [f"docs/guide/{language}/coming-from-{name}.md"
          for name in ("gpu-manager", "prophecis", "pumpkin") for language in ("en", "zh")]
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


@pytest.mark.parametrize("guide", GUIDES)
def test_its_commands_do_what_it_says(make_server, tmp_path, guide):
    server = make_server().start()
    folder = tmp_path / "work"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/trainyard").symlink_to(server.program)
    environment = clean_environment(TRAINYARD_URL=server.url, TRAINYARD_TOKEN=server.token, HOME=tmp_path,
                                    PATH=f"{folder}/bin:{os.environ['PATH']}")
    output, commands = "", 0
    for kind, name, text in BLOCK.findall((ROOT / guide).read_text()):
        if name:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif kind == "shell":
            result = subprocess.run(["bash", "-euc", text], cwd=folder, env=environment, capture_output=True, text=True,
                                    timeout=180, stdin=subprocess.DEVNULL)
            output = result.stdout
            commands += len(text.splitlines())
            assert result.returncode == 0, f"{text}\n{result.stdout}\n{result.stderr}"
        elif kind == "text":
            for line in text.splitlines():
                assert line in output, f"{line!r} is not in\n{output}"
    assert commands >= 2
