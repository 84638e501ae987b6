# ===- refusals.py - Models that the importer must refuse ------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imports each model that a test holds as text: refusals.py TEST FOLDER.

The syntax is that of models.py. In each model a line `# refused: text` says what
the one reason must contain. Exit status 1 if a model is imported, or is refused for
another reason, or in another way than by a message and exit status 1.
"""

import pathlib
import re
import subprocess
import sys

import models


def check(path, wanted):
    done = subprocess.run(
        ["dyn-translate", "--import-onnx", str(path)], capture_output=True, text=True
    )
    if done.returncode != 1:
        return f"exit status {done.returncode}"
    errors = [line for line in done.stderr.splitlines() if "error: " in line]
    # A node around the refused one cannot be imported either.
    others = [line for line in errors[1:] if "cannot be imported" not in line]
    if not errors or others or wanted not in errors[0]:
        return "\n".join(errors) or "no message"
    return None


def main(test, folder):
    models.main(test, folder)
    text = pathlib.Path(test).read_text()
    failures = 0
    for part in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        name = part.partition("\n")[0].strip()
        wanted = re.findall(r"^# refused: (.*)$", part, flags=re.MULTILINE)
        assert len(wanted) == 1, f"{name}: expected one line '# refused: '"
        found = check(pathlib.Path(folder) / f"{name}.onnx", wanted[0])
        if found:
            print(f"{name}: expected '{wanted[0]}', found: {found}")
            failures += 1
    return int(failures != 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
