#!/usr/bin/env python3
# ===- lint_words.py - The terms of documentation and comments -------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds words in Markdown pages, and in comments and docstrings of code, for which
docs/Glossary.md has a usual term.

    lint_words.py FILE...

Prints `file:line: 'word': write ...` for each; the exit status is 1 if there is one.
Of code, names are read, part by part (`pictureSize`, `picture_size`), and literals with
spaces, which are messages. Generated tables (between two comments `<!-- name -->`), and
what is indented or in backquotes in pages, are left alone.
"""

import ast
import bisect
import io
import pathlib
import re
import sys
import tokenize

# Phrases before the words that they contain: what one has matched is not searched again.
WORDS = [
    (r"librar(?:y|ies) of products", "GEMM library"),
    (r"products? of groups", "grouped GEMM"),
    (r"(?:left|right) (?:side|factor)s?", "LHS or RHS, A or B"),
    # Of sizes or numbers it is what it is called.
    (
        r"(?<!sum of )(?<!sums of )(?<!whose )(?<!dot )(?<!dot-)(?<!inner )(?<!outer )(?<!elementwise )"
        r"(?<!Cartesian )(?<!sum, )products?(?! of at most)(?! (?:of|over) (?:\w+ )?(?:sizes|integers|numbers|axes)\b)",
        "matmul, GEMM (a kernel), contraction or multiplication",
    ),
    (r"factors of matrices", "factorisations"),
    (r"height of a tile|rows / height", "MR"),
    (r"(?:along|of|split(?:s|ting)?) the depth|deep sums|the depth alone", "K"),
    (
        r"sizes? (?:that (?:is|are) )?found in (?:the )?data|(?<!, )found sizes?",
        "data-dependent size",
    ),
    (r"sizes? that (?:the )?data tells?|whose sizes (?:the )?data tell", "data-dependent size"),
    (r"known (?:size|width)s?|sizes? (?:that )?(?:is|are) not known", "static or dynamic size"),
    (r"truth values?", "boolean or predicate"),
    (r"pictures?", "image"),
    (r"(?<!nearest )neighbou?r(?:s|ing)?", "adjacent, or consecutive elements"),
    (r"last digits?", "innermost dimension"),
    (r"whole (?:step|tile|vector)s?", "full"),
    (r"tak(?:es?|ing) (?:\w+ ){0,3}along|takes? in (?:what|sums)", "fuse"),
    (r"what (?:leads to|follows|comes (?:before|behind))", "producers, consumers"),
    (r"comes? behind", "follow, or epilogue"),
    (r"(?:lie|lies|lying) across", "transposed"),
    (r"weighs? anew", "rescale"),
    (r"anew", "again"),
    (r"(?:adds?|added|adding) up", "sum, accumulate or reduce"),
    (r"(?:give|gives|given|gave|giving) up", "cancel, refuse or fail"),
    (r"word of errors", "error word"),
    (
        r"(?:floats|numbers|products) of (?:16|sixteen) bits|short floats",
        "16-bit floats, f16, bf16",
    ),
    (r"greatest(?! common)", "maximum or largest"),
    (
        r"the (?:most|least) (?:bytes|that there)|for the (?:most|least)(?! part)",
        "upper or lower bound",
    ),
    (r"last cache", "last-level cache"),
    (r"past the caches", "non-temporal stores"),
    (r"remember(?:s|ed)?(?! (?:to|that)\b)", "cache or memoize"),
    (r"alike|twins?", "equal, structurally equal"),
    (
        r"(?:tokens?|rows?) (?:(?:is|are|that (?:is|are)) )?(?:not )?there(?! (?:is|are)\b)",
        "valid, masked",
    ),
    (
        r"(?<!take )(?<!takes )(?<!took )(?<!taking )"
        r"(?:its|their|the|a|an|one|same|each|another|this|that|of|two|four) places?(?! for\b)",
        "position, index, location or slot",
    ),
    (r"(?:that|which) (?:is|are) (?:none|no such)", "is not a ..."),
    (r"who (?:does not want|wants)", "to ..., pass ..."),
    (r"there is nothing for", "out of range"),
    (r"meets? (?:that|which|one|what)|makes them one", "combine, process or merge"),
    (r"steps are taps", "K = taps x channels"),
    (r"a slot so far", "not implemented yet"),
    # A clause as a subject; a question may begin so.
    (
        r"(?:(?<=\. )|(?<=: )|(?<=- )|^)(?-i:What)(?= [^.?]*(?:\.|$))",
        "the sentence with its subject first",
    ),
]
#: Parts of names, and whole names.
PARTS = {
    "picture": "image",
    "pictures": "images",
    "twin": "copy or counterpart",
    "twins": "copies or counterparts",
    "alike": "equal or equivalent",
    "greatest": "maximum or largest",
    "anew": "again",
    "neighbour": "adjacent",
    "neighbours": "adjacent",
}
NAMES = {
    "place": "position, index, offset, location or slot",
    "places": "positions, indices, offsets, locations or slots",
    "isThere": "isInside or isValid",
}
CODE = (".h", ".cpp", ".c", ".td", ".def", ".inc")
FLAGS = re.IGNORECASE | re.MULTILINE
WORDS = [(re.compile(rf"(?<!\w)(?:{word})(?!\w)", FLAGS), term) for word, term in WORDS]


def lines_of_page(text):
    """The lines of a page; empty for code and generated tables."""
    is_code = is_generated = False
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith("```")
        is_mark = re.fullmatch(r"<!-- [\w-]+ -->", line.strip())
        is_code ^= is_fence
        is_generated ^= bool(is_mark)
        if is_fence or is_mark or is_code or is_generated or line.startswith("    "):
            line = ""
        # The targets of links are paths.
        yield re.sub(r"\]\([^)]*\)", "]", line)


def lines_of_python(text):
    """Comments and docstrings."""
    lines = text.split("\n")
    found = [""] * len(lines)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            found[token.start[0] - 1] = token.string.lstrip("#:! ")
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) or not node.body:
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            for number in range(first.lineno - 1, first.end_lineno):
                found[number] = lines[number].strip().strip('"')
    return found


# A comment, or a literal that has none, or the ends of a text in TableGen.
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//(?:/?<?)(.*)|\[\{|\}\]')


def lines_of_code(text):
    """Comments of C++, C and TableGen, and descriptions of the latter."""
    is_description = False
    for line in text.split("\n"):
        words = []
        # Examples of code are indented.
        if is_description and not line.startswith("      "):
            words.append(re.sub(r"\}\].*", "", line))
        for match in TOKEN.finditer(line):
            if match.group() == "[{":
                is_description = "description" in line
            elif match.group() == "}]":
                is_description = False
            elif match.group(1) is not None and not match.group(1).startswith("   "):
                words.append(match.group(1))
        yield " ".join(words)


def prose_of(name, text):
    """The lines of a file that are prose, without code in backquotes."""
    suffix = pathlib.PurePath(name).suffix
    # The banner has the file's name.
    text = re.sub(r"===- \S+", "===-", text, count=1)
    if suffix == ".py":
        lines = lines_of_python(text)
    else:
        lines = lines_of_code(text) if suffix in CODE else lines_of_page(text)
    return (" ".join(re.sub(r"`[^`]*`", "`", line).split()) for line in lines)


#: A literal or comment of C++, a text of TableGen, or a name.
LEXEME = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|\[\{.*?\}\]|\b([A-Za-z_]\w*)', re.DOTALL
)
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def names_of(name, text):
    """The names in code, with their lines."""
    if name.endswith(".py"):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                yield token.start[0], token.string
    elif name.endswith(CODE):
        ends = [match.start() for match in re.finditer("\n", text)]
        for match in LEXEME.finditer(text):
            if match.group(1):
                yield bisect.bisect_left(ends, match.start()) + 1, match.group(1)


def check_names(name, text):
    """The first use of each name that has an old word."""
    first = {}
    for number, word in names_of(name, text):
        first.setdefault(word, number)
    for word, number in first.items():
        terms = [NAMES.get(word), *(PARTS.get(part.lower()) for part in PART.findall(word))]
        for term in filter(None, terms):
            yield number, f"{name}:{number}: {word!r}: write {term}"


#: A line's comment, or literals that follow each other.
MESSAGE = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')


def messages_of(name, text):
    """Literals outside of tests and of this list, with their lines; not docstrings."""
    if name.startswith(("test/", "runtime/test/")) or name.endswith("lint_words.py"):
        return
    if name.endswith(CODE):
        ends = [match.start() for match in re.finditer("\n", text)]
        for match in MESSAGE.finditer(text):
            if match.group().startswith('"'):
                number = bisect.bisect_left(ends, match.start()) + 1
                yield number, re.sub(r'"\s*"', "", match.group())
    elif name.endswith(".py"):
        nodes = list(ast.walk(ast.parse(text)))
        docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and id(node) not in docs
            ):
                yield node.lineno, node.value


def check_messages(name, text):
    """Old words in messages, which are no sentences."""
    for number, message in messages_of(name, text):
        for word, term in WORDS[:-1] if " " in message else ():
            match = word.search(message)
            if match:
                yield number, f"{name}:{number}: {match.group()!r}: write {term}"


def check_words(name, text):
    """Phrases go on over the ends of lines, not over those of paragraphs."""
    joined, starts = "", []
    for line in prose_of(name, text):
        starts.append(len(joined))
        joined += line + (" " if line else "\n")
    for word, term in WORDS:
        for match in word.finditer(joined):
            number = bisect.bisect_right(starts, match.start())
            yield number, f"{name}:{number}: {match.group().strip()!r}: write {term}"
        joined = word.sub(lambda match: "`" * len(match.group()), joined)


def check_file(name, text):
    """Findings of a file, in the order of its lines."""
    checks = (check_words, check_names, check_messages)
    return [finding for _, finding in sorted(f for check in checks for f in check(name, text))]


def main():
    found = []
    for page in sys.argv[1:]:
        found += check_file(page, pathlib.Path(page).read_text())
    print("\n".join(found + [f"words: {len(found)} findings"]))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
