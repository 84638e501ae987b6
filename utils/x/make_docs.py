#!/usr/bin/env python3
# ===- make_docs.py - Reference pages from ODS, and links that resolve -----===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes build/docs: hand-written pages copied, reference pages generated from
the .td files by mlir-tblgen. Fails on a link to a file or heading that does not
exist, in the pages and in the README.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LLVM = pathlib.Path("/usr/lib/llvm-22")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def tablegen(option, td, *extra):
    tool = shutil.which("mlir-tblgen-22") or str(LLVM / "bin" / "mlir-tblgen")
    includes = [f"-I{ROOT / 'include'}", f"-I{LLVM / 'include'}"]
    command = [tool, option, *extra, *includes, str(td)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{td.relative_to(ROOT)}: mlir-tblgen failed\n{result.stderr}")
    return result.stdout


def pages():
    """Yields (page name, text) for each dialect and set of passes."""
    for td in sorted((ROOT / "include").rglob("*.td")):
        # Files that others include define a base or a family, and have no page.
        if td.name == "Passes.td":
            group = "-".join(td.parent.relative_to(ROOT / "include" / "dyn").parts)
            yield f"passes-{group}.md", tablegen("-gen-pass-doc", td)
        elif re.search(r"Ops\.td$", td.name):
            dialect = re.match(r"(\w+)Ops\.td$", td.name).group(1)
            if dialect == td.parent.parent.name:
                option = f"-dialect={dialect.lower()}"
                yield f"{dialect.lower()}.md", tablegen("-gen-dialect-doc", td, option)


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for heading in re.findall(r"^#+\s+(.*)$", text, re.M):
        heading = re.sub(r"[`*]", "", heading).strip().lower()
        yield re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading))


def broken_links(page, generated):
    """Yields a message for each broken relative link of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    for target in LINK.findall(text):
        if re.match(r"\w+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        if path.name in generated and not path.exists():
            continue
        if not path.exists():
            yield f"{page.relative_to(ROOT)}: no such file: {target}"
        elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text()):
            yield f"{page.relative_to(ROOT)}: no such heading: {target}"


def main():
    parser = argparse.ArgumentParser(prog="x doc", description=__doc__)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build" / "docs")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    generated = dict(pages())
    for name, text in generated.items():
        (args.output / name).write_text(text)
    written = sorted((ROOT / "docs").rglob("*.md")) + [ROOT / "README.md"]
    for page in written[:-1]:
        copy = args.output / page.relative_to(ROOT / "docs")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, copy)
    broken = [text for page in written for text in broken_links(page, generated)]
    print("\n".join(broken))
    print(f"{len(generated)} generated and {len(written)} written pages in {args.output}")
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
