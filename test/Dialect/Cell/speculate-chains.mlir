// Beside a router, paths run by a guess in a chain of launches of their own: each of these kernels has work for
// one thread alone, and two threads run the chains at the same time. Results have the same bits, whatever is
// chosen and guessed, with any number of threads.
// RUN: dyn-compile %s --emit=kernels | FileCheck %s
// RUN: sed -e 's/ {cell.speculate.*}//' %s > %t.plain.mlir
// RUN: dyn-compile %t.plain.mlir --isa=v3 -o %t.plain.so
// RUN: dyn-compile %s --isa=v3 -o %t.so
// RUN: dyn-run %t.plain.so --input x=random:1x12000 --input ids=random:1x1:1:2 --output %t.1.npz
// RUN: dyn-run %t.so --input x=random:1x12000 --input ids=random:1x1:1:2 --check %t.1.npz --tolerance 0
// RUN: dyn-run %t.so --input x=random:1x12000 --input ids=random:1x1:1:2 --check %t.1.npz --tolerance 0 --threads=2 --repeat=20 --trace=%t.1.json
// RUN: dyn-run %t.so --input x=random:1x12000 --input ids=random:1x1:1:2 --check %t.1.npz --tolerance 0 --threads=3
// RUN: dyn-run %t.plain.so --input x=random:1x12000 --input ids=random:1x1:0:1 --output %t.0.npz
// RUN: dyn-run %t.so --input x=random:1x12000 --input ids=random:1x1:0:1 --check %t.0.npz --tolerance 0
// RUN: dyn-run %t.so --input x=random:1x12000 --input ids=random:1x1:0:1 --check %t.0.npz --tolerance 0 --threads=2 --repeat=20 --trace=%t.0.json
// RUN: dyn-run %t.so --input x=random:1x12000 --input ids=random:1x1:0:1 --check %t.0.npz --tolerance 0 --threads=3
// RUN: env DYN_GUESSES=always dyn-run %t.so --input x=random:1x12000 --input ids=random:1x1:0:1 --check %t.0.npz --tolerance 0
// RUN: env DYN_GUESSES=never dyn-run %t.so --input x=random:1x12000 --input ids=random:1x1:1:2 --check %t.1.npz --tolerance 0 --threads=2
// RUN: dyn-run %t.so --input x=random:1x12000 --input ids=random:1x1:0:1 --threads=2 --repeat=100 --stats | FileCheck %s --check-prefix=WRONG
// RUN: dyn-run %t.so --input x=random:1x12000 --input ids=random:1x1:0:1 --threads=2 --repeat=100 --stats=json | FileCheck %s --check-prefix=JSON
// RUN: FileCheck %s --check-prefix=TRACE --input-file=%t.1.json

// CHECK:     dlhlo.launch_many {{.*}} attributes {dlhlo.chains = array<i64: 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2>} {
// CHECK:     dhlo.bind @K0

// A guess that is always wrong is switched off after 64 calls.
// WRONG: guesses of 'main.0': 64 of 10{{[0-9]}} calls, 0 of 64 rows right, off
// JSON:      "guesses": [
// JSON-NEXT:   {
// JSON-NEXT:     "calls": 10{{[0-9]}},
// JSON-NEXT:     "guesses": 64,
// JSON-NEXT:     "on": false,
// JSON-NEXT:     "right": 0,
// JSON-NEXT:     "router": "main.0",
// JSON-NEXT:     "rows": 64

// TRACE: "name":"chains","cat":"launch"

dhlo.dim @K0
dhlo.dim @K1
func.func @main(%x: tensor<1x12000xf32> {dhlo.name = "x"}, %ids: tensor<1x1xi64> {dhlo.name = "ids"}) -> (tensor<1x12000xf32> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %r = cell.route(%x, %ids) : (tensor<1x12000xf32>, tensor<1x1xi64>) -> !cell.routes<1, 2, 1> {
  ^bb0(%a: tensor<1x12000xf32>, %i: tensor<1x1xi64>):
    %q = dhlo.neg %a : tensor<1x12000xf32>
    %s0, %t0 = dhlo.sort %q axis = 1 : tensor<1x12000xf32>, tensor<1x12000xi64>
    %n0 = dhlo.sin %s0 : tensor<1x12000xf32>
    %s1, %t1 = dhlo.sort %n0 axis = 1 : tensor<1x12000xf32>, tensor<1x12000xi64>
    %n1 = dhlo.sin %s1 : tensor<1x12000xf32>
    %f = dhlo.reduce max %n1 axes = [1] : (tensor<1x12000xf32>) -> tensor<1xf32>
    %g = dhlo.reshape %f : (tensor<1xf32>) -> tensor<1x1xf32>
    %zz = dhlo.constant dense<100.0> : tensor<1x1xf32>
    %c = dhlo.compare gt %g, %zz : tensor<1x1xf32> -> tensor<1x1xi1>
    %z = dhlo.constant dense<0> : tensor<1x1xi64>
    %ch = dhlo.select %c, %z, %i : tensor<1x1xi1>, tensor<1x1xi64>
    cell.choose %ch : tensor<1x1xi64>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<1x12000xf32>, !cell.routes<1, 2, 1>) -> tensor<1x12000xf32>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<1, 2, 1>, tensor<1x12000xf32>) -> tensor<1x12000xf32> {
  ^bb0(%a: tensor<?x12000xf32, #dhlo.dims<K0>>):
    %s0, %t0 = dhlo.sort %a axis = 1 : tensor<?x12000xf32, #dhlo.dims<K0>>, tensor<?x12000xi64, #dhlo.dims<K0>>
    %n0 = dhlo.tanh %s0 : tensor<?x12000xf32, #dhlo.dims<K0>>
    %s1, %t1 = dhlo.sort %n0 axis = 1 : tensor<?x12000xf32, #dhlo.dims<K0>>, tensor<?x12000xi64, #dhlo.dims<K0>>
    %n1 = dhlo.tanh %s1 : tensor<?x12000xf32, #dhlo.dims<K0>>
    dhlo.yield %n1 : tensor<?x12000xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x12000xf32, #dhlo.dims<K1>>):
    %s0, %t0 = dhlo.sort %a axis = 1 : tensor<?x12000xf32, #dhlo.dims<K1>>, tensor<?x12000xi64, #dhlo.dims<K1>>
    %n0 = dhlo.cos %s0 : tensor<?x12000xf32, #dhlo.dims<K1>>
    %s1, %t1 = dhlo.sort %n0 axis = 1 : tensor<?x12000xf32, #dhlo.dims<K1>>, tensor<?x12000xi64, #dhlo.dims<K1>>
    %n1 = dhlo.cos %s1 : tensor<?x12000xf32, #dhlo.dims<K1>>
    dhlo.yield %n1 : tensor<?x12000xf32, #dhlo.dims<K1>>
  }
  %o = cell.combine %y, %r sum : (tensor<1x12000xf32>, !cell.routes<1, 2, 1>) -> tensor<1x12000xf32>
  return %o : tensor<1x12000xf32>
}
