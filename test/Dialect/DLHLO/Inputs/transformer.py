# ===- transformer.py - Prints an encoder of N equal layers ----------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Usage: transformer.py LAYERS

import sys

L = int(sys.argv[1])
H = 384
o = []
p = o.append
p("""dhlo.dim @B in [1, 64]
dhlo.dim @S in [1, 512] likely [128]
dhlo.dim @T = @B * @S
func.func @main(%ids: tensor<?x?xi64, #dhlo.dims<B, S>> {dhlo.name = "ids"}, %mask: tensor<?x1x1x?xf32, #dhlo.dims<B, S>> {dhlo.name = "mask"})
    -> (tensor<?x?x384xf32, #dhlo.dims<B, S>> {dhlo.name = "y"}) attributes {dhlo.entry} {""")
n = [0]


def v():
    n[0] += 1
    return f"%v{n[0]}"


off = [64]


def w(shape):
    k = 1
    for s in shape:
        k *= s
    t = "tensor<" + "x".join(map(str, shape)) + "xf32>"
    r = v()
    p(
        f'  {r} = dhlo.weight <"m.onnx", offset = {off[0]}, length = {4 * k}, key = "w{off[0]}"> : {t}'
    )
    off[0] += 4 * k
    return r, t


X = "tensor<?x?x384xf32, #dhlo.dims<B, S>>"
F = "tensor<?x?x1536xf32, #dhlo.dims<B, S>>"


def bias(shape, T):
    b, t = w([shape])
    r = v()
    p(f"  {r} = dhlo.broadcast {b} axes = [2] : ({t}) -> {T}")
    return r


def linear(x, XT, k, nn, YT):
    a, t = w([k, nn])
    r = v()
    p(
        f"  {r} = dhlo.dot_general {x}, {a} batch = 0 lhs_contract = [2] rhs_contract = [0] : ({XT}, {t}) -> {YT}"
    )
    b = bias(nn, YT)
    r2 = v()
    p(f"  {r2} = dhlo.add {r}, {b} : {YT}")
    return r2


def op(text, T):
    r = v()
    p(f"  {r} = {text}")
    return r


def ln(x):
    g, t = w([384])
    b, _ = w([384])
    return op(f"dhlo.layer_norm {x}, {g}, {b} axis = 2 eps = 1.0e-12 : ({X}, {t}, {t}) -> {X}", X)


tab, tt = w([30522, 384])
x = op(
    f"dhlo.gather {tab}, %ids axis = 0 batch = 0 : ({tt}, tensor<?x?xi64, #dhlo.dims<B, S>>) -> {X}",
    X,
)
pos, pt = w([512, 384])
ps = op(
    f"dhlo.slice {pos} starts = [0, 0] strides = [1, 1] : ({pt}) -> tensor<?x384xf32, #dhlo.dims<S>>",
    X,
)
pb = op(f"dhlo.broadcast {ps} axes = [1, 2] : (tensor<?x384xf32, #dhlo.dims<S>>) -> {X}", X)
x = op(f"dhlo.add {x}, {pb} : {X}", X)
x = ln(x)
M = "tensor<?x1x1x?xf32, #dhlo.dims<B, S>>"
one = op("dhlo.constant dense<1.0> : tensor<f32>", X)
oneb = op(f"dhlo.broadcast {one} axes = [] : (tensor<f32>) -> {M}", M)
m = op(f"dhlo.sub {oneb}, %mask : {M}", M)
neg = op("dhlo.constant dense<-1.0e4> : tensor<f32>", X)
negb = op(f"dhlo.broadcast {neg} axes = [] : (tensor<f32>) -> {M}", M)
m = op(f"dhlo.mul {m}, {negb} : {M}", M)
HT = "tensor<?x?x12x32xf32, #dhlo.dims<B, S>>"
QT = "tensor<?x12x?x32xf32, #dhlo.dims<B, S>>"
ST = "tensor<?x12x?x?xf32, #dhlo.dims<B, S, S>>"
for l in range(L):

    def heads(y):
        r = op(f"dhlo.reshape {y} : ({X}) -> {HT}", HT)
        return op(f"dhlo.transpose {r} permutation = [0, 2, 1, 3] : ({HT}) -> {QT}", QT)

    q = heads(linear(x, X, H, H, X))
    k = heads(linear(x, X, H, H, X))
    vv = heads(linear(x, X, H, H, X))
    s = op(
        f"dhlo.dot_general {q}, {k} batch = 2 lhs_contract = [3] rhs_contract = [3] : ({QT}, {QT}) -> {ST}",
        ST,
    )
    c = op("dhlo.constant dense<0.17677> : tensor<f32>", X)
    cb = op(f"dhlo.broadcast {c} axes = [] : (tensor<f32>) -> {ST}", ST)
    s = op(f"dhlo.mul {s}, {cb} : {ST}", ST)
    mb = op(f"dhlo.broadcast {m} axes = [0, 1, 2, 3] : ({M}) -> {ST}", ST)
    s = op(f"dhlo.add {s}, {mb} : {ST}", ST)
    s = op(f"dhlo.softmax {s} axis = 3 : {ST}", ST)
    a = op(
        f"dhlo.dot_general {s}, {vv} batch = 2 lhs_contract = [3] rhs_contract = [2] : ({ST}, {QT}) -> {QT}",
        QT,
    )
    a = op(f"dhlo.transpose {a} permutation = [0, 2, 1, 3] : ({QT}) -> {HT}", HT)
    a = op(f"dhlo.reshape {a} : ({HT}) -> {X}", X)
    a = linear(a, X, H, H, X)
    x = op(f"dhlo.add {a}, {x} : {X}", X)
    x = ln(x)
    f = linear(x, X, H, 4 * H, F)
    f = op(f"dhlo.gelu erf {f} : {F}", F)
    f = linear(f, F, 4 * H, H, X)
    x = op(f"dhlo.add {f}, {x} : {X}", X)
    x = ln(x)
p(f"  return {x} : {X}\n}}")
print("\n".join(o))
