# ===- mutations.py - Ways to damage a file --------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damage to bytes, to the words of a text, and to the fields of an ONNX model. Each
function takes a generator of random numbers, a valid file and another one."""

import contextlib
import re
import struct

NUMBERS = [0, 1, -1, 2, 7, 127, 128, 255, 256, 4095, 65535, 2**31 - 1, 2**31, -(2**31)]
NUMBERS += [2**32 - 1, 2**40, 2**62, 2**63 - 1, -(2**63), 2**64 - 1]


def mutate_bytes(rng, data, other):
    """A few changes of bytes; often only one."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4, 16])):
        change_bytes(rng, data, other)
    return bytes(data)


def change_bytes(rng, data, other):
    at = rng.randrange(len(data) + 1)
    # Headers and trailers describe the rest.
    if rng.random() < 0.4:
        at = rng.choice(
            [min(len(data), rng.randrange(256)), max(0, len(data) - rng.randrange(256))]
        )
    length = min(rng.choice([1, 2, 4, 8, 32, 500]), len(data) - at)
    how = rng.choice("flip flip number number random cut drop repeat splice".split())
    if how == "flip" and at < len(data):
        data[at] ^= 1 << rng.randrange(8)
    elif how == "number":
        width = rng.choice([1, 2, 4, 8])
        number = rng.choice(NUMBERS) % (1 << 8 * width)
        data[at : at + width] = struct.pack("<Q", number)[:width]
    elif how == "random":
        data[at : at + length] = rng.randbytes(length)
    elif how == "cut":
        del data[at:]
    elif how == "drop":
        del data[at : at + length]
    elif how == "repeat":
        data[at:at] = data[at : at + length] * rng.choice([1, 2, 100])
    elif how == "splice":
        begin = rng.randrange(len(other) + 1)
        data[at : at + length] = other[begin : begin + length]


WORD = re.compile(r'"[^"\n]*"|[%@#!^]?[\w.$-]+|\S')
PUNCTUATION = list('()[]{}<>,:=?x*%@#!"-') + ["->", "<<<<<<<<", "\0", "\xff", "tensor<", "dense<"]
TYPES = "i1 i8 ui8 i16 i32 ui32 i64 ui64 f16 bf16 f32 f64 index i128 f80 none".split()


def mutate_text(rng, data, other):
    """Replaces words by words, lines by lines, and sometimes bytes by bytes."""
    if rng.random() < 0.15:
        return mutate_bytes(rng, data, other)
    lines, others = (part.decode(errors="replace").split("\n") for part in (data, other))
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        change_lines(rng, lines, others)
    return "\n".join(lines).encode(errors="replace")


def change_lines(rng, lines, others):
    at = rng.randrange(len(lines))
    how = rng.choice(["word"] * 8 + ["drop", "repeat", "swap", "take", "nest", "cut"])
    if how == "word":
        lines[at] = change_word(rng, lines[at], "\n".join(others))
    elif how == "drop" and len(lines) > 1:
        del lines[at]
    elif how == "repeat":
        lines[at:at] = lines[at : at + rng.choice([1, 1, 5])] * rng.choice([1, 1, 50])
    elif how == "swap":
        to = rng.randrange(len(lines))
        lines[at], lines[to] = lines[to], lines[at]
    elif how == "take":
        lines[at:at] = [rng.choice(others)]
    elif how == "nest":
        opening, closing = rng.choice(["()", "[]", "{}", "<>"])
        depth, position = rng.choice([3, 300, 20000]), rng.randrange(len(lines[at]) + 1)
        lines[at] = lines[at][:position] + opening * depth + closing * depth + lines[at][position:]
    elif how == "cut":
        lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)]
        del lines[at + 1 :]


def change_word(rng, line, other):
    words = list(WORD.finditer(line))
    if not words:
        return line
    word = rng.choice(words)
    text = word.group()
    if re.fullmatch(r"-?\d+", text) and rng.random() < 0.7:
        new = str(rng.choice(NUMBERS))
    elif text in TYPES:
        new = rng.choice(TYPES)
    elif rng.random() < 0.5:
        candidates = [w for w in WORD.findall(other) if w[0] == text[0]] or [text]
        new = rng.choice(candidates)
    else:
        new = rng.choice(PUNCTUATION + ["", text + text])
    return line[: word.start()] + new + line[word.end() :]


def mutate_onnx(rng, data, other):
    """Changes fields of a model as a faulty exporter could."""
    if rng.random() < 0.3:
        return mutate_bytes(rng, data, other)
    import onnx

    model, donor = onnx.ModelProto.FromString(data), onnx.ModelProto.FromString(other)
    for _ in range(rng.choice([1, 1, 2, 4])):
        # Values that the library refuses to write.
        with contextlib.suppress(ValueError):
            change_message(rng, model, donor)
    return model.SerializeToString()


def messages_of(message, found=None):
    """A message and all messages in it."""
    found = [] if found is None else found
    found.append(message)
    for field, value in message.ListFields():
        if field.message_type:
            for inner in value if repeats(field) else [value]:
                messages_of(inner, found)
    return found


def repeats(field):
    return (
        field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
    )


def change_message(rng, model, donor):
    """Changes one field of one message."""
    message = rng.choice(messages_of(model))
    fields = message.ListFields()
    if not fields:
        return
    field, value = rng.choice(fields)
    how = rng.choice(["clear", "drop", "repeat", "change", "change", "change", "swap"])
    if how == "clear":
        message.ClearField(field.name)
    elif repeats(field):
        change_list(rng, value, field, how)
    elif field.message_type is None:
        setattr(message, field.name, changed(rng, value, donor))
    else:
        like = [m for m in messages_of(donor) if m.DESCRIPTOR is value.DESCRIPTOR]
        if like:
            value.CopyFrom(rng.choice(like))


def change_list(rng, values, field, how):
    at = rng.randrange(len(values)) if len(values) else 0
    if not len(values) or how == "drop":
        del values[at : at + 1]
    elif how == "repeat":
        values.append(values[at])
    elif how == "swap":
        rest = list(values)
        rng.shuffle(rest)
        del values[:]
        values.extend(rest)
    elif field.message_type is None:
        values[at] = changed(rng, values[at])


def changed(rng, value, donor=None):
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        fits = [n for n in NUMBERS if -(2**31) <= n < 2**31]
        return rng.choice([value + 1, value - 1, -value, *fits]) if abs(value) < 2**30 else 0
    if isinstance(value, float):
        return rng.choice([0.0, -1.0, 1e-38, 1e38, float("inf"), float("nan")])
    if isinstance(value, bytes):
        return mutate_bytes(rng, value, value) if value else b"\0"
    names = ["", value + "x", "x" * 1000, "../" + value, "\u2603", "\0"]
    if donor:
        names += [node.op_type for node in donor.graph.node]
        names += [name for node in donor.graph.node for name in (*node.input, *node.output)]
    return rng.choice(names)
