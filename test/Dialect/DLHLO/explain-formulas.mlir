// RUN: dyn-opt %s --dlhlo-explain -o /dev/null | FileCheck %s

// Formulas of an entry over buffers: the names they use, launches in loops and
// branches, and the arenas that segments share.

dhlo.dim @H in [8, 512]
dhlo.dim @N
dhlo.dim @H1 = max(@H, 16) + 1
dhlo.dim @T = @H * @N

// CHECK: "entries": [

// Products are spelled out; a maximum goes by the name that there is for it.
// CHECK: "bytes": {
// CHECK: "text": "48 * @H * @N + 16 * @H1 - 16"
// CHECK: "controlled": 2,
// CHECK: "flops": {
// CHECK: "text": "6 * @H * @N + 2 * @H1 - 2"
// CHECK: "launches": 4,

// The first arena is the greater of two segments; one that is known only when
// the loop runs is two.
// CHECK: "peak": {
// CHECK: "text": "8 * @H * @N + 128 * @H1 + max(4 * @H * @N, 64 * @N)"

// CHECK: "sequence": [
// CHECK: "text": "16 * @H * @N"
// CHECK: "kernel": "exp"
// CHECK-NOT: "within"
// CHECK: "text": "16 * @H1 - 16"
// CHECK: "kernel": "exp"
// CHECK: "text": "16 * @H * @N"
// CHECK: "within": "loop"
// CHECK: "text": "16 * @H * @N"
// CHECK: "within": "branch"

// CHECK: "kernels": [
// CHECK: "is": [
// CHECK-NEXT: "@T",
// CHECK-NEXT: "max(16, @H)"
// CHECK: "name": "d0",
// CHECK: "text": "d0 is any size"
// CHECK: "text": "d1 is @d0 + 1"
// CHECK: "launches": 4,
dlhlo.kernel @exp loop {
^bb0(%0: tensor<?x2xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0
  dhlo.dim @d1 = @d0 + 1
  %1 = dhlo.exp %0 : tensor<?x2xf32, #dhlo.dims<d0>>
  dlhlo.yield %1 : tensor<?x2xf32, #dhlo.dims<d0>>
}

dlhlo.entry @main calls "dyn.entry.main" : (tensor<?x?xf32, #dhlo.dims<H, N>>) -> tensor<?xf32, #dhlo.dims<N>> inputs ["x"] outputs ["y"] dims [@H, @N] arenas 1

func.func @dyn.entry.main(%x: !dlhlo.buffer, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = dlhlo.reserve %c0 bytes %n {dlhlo.formula = #dhlo.expr<4 * @T>}
  %b = dlhlo.reserve %c0 bytes %n {dlhlo.formula = #dhlo.expr<64 * @N>}
  %d = dlhlo.reserve %c1 bytes %n {dlhlo.formula = #dhlo.expr<128 * @H1>}
  dlhlo.dispatch @exp dims(%n) buffers(%x, %a) site_base = 0 {dlhlo.sizes = [#dhlo.expr<@T>]}
  dlhlo.dispatch @exp dims(%n) buffers(%a, %b) site_base = 0 {dlhlo.sizes = [#dhlo.expr<max(@H, 16)>]}
  scf.while : () -> () {
    scf.condition(%c)
  } do {
    %e = dlhlo.reserve %n bytes %n {dlhlo.formula = #dhlo.expr<4 * @T>}
    dlhlo.dispatch @exp dims(%n) buffers(%a, %e) site_base = 0 {dlhlo.sizes = [#dhlo.expr<@T>]}
    scf.yield
  }
  scf.if %c {
    dlhlo.dispatch @exp dims(%n) buffers(%a, %b) site_base = 0 {dlhlo.sizes = [#dhlo.expr<@T>]}
  }
  return
}
