// On a device the router and the paths by a guess are chains on two streams. Results have the same bits, whatever
// is guessed, and no call waits but at its end.
// RUN: dyn-compile %s --target=cpu,emu --emit=kernels | FileCheck %s
// RUN: dyn-compile %s --target=cpu,emu --emit=buffers | FileCheck %s --check-prefix=BUFFERS
// RUN: sed -e 's/ {cell.speculate.*}//' %s > %t.plain.mlir
// RUN: dyn-compile %t.plain.mlir --target=cpu,emu --isa=v3 -o %t.plain.so
// RUN: dyn-compile %s --target=cpu,emu --isa=v3 -o %t.so
// RUN: dyn-run %t.plain.so --device=emu --input x=random:1x40 --input ids=random:1x1:1:2 --output %t.1.npz
// RUN: dyn-run %t.so --device=emu --input x=random:1x40 --input ids=random:1x1:1:2 --check %t.1.npz --tolerance 0 --repeat=10 --stats=json | FileCheck %s --check-prefix=RIGHT
// RUN: dyn-run %t.plain.so --device=emu --input x=random:1x40 --input ids=random:1x1:0:1 --output %t.0.npz
// RUN: dyn-run %t.so --device=emu --input x=random:1x40 --input ids=random:1x1:0:1 --check %t.0.npz --tolerance 0 --repeat=100 --stats=json | FileCheck %s --check-prefix=WRONG
// RUN: env DYN_GUESSES=always dyn-run %t.so --device=emu --input x=random:1x40 --input ids=random:1x1:0:1 --check %t.0.npz --tolerance 0
// RUN: env DYN_GUESSES=never dyn-run %t.so --device=emu --input x=random:1x40 --input ids=random:1x1:1:2 --check %t.1.npz --tolerance 0

// CHECK:     dlhlo.launch_many {{.*}} attributes {dlhlo.chains = array<i64: 1
// CHECK-NOT: dhlo.bind @K
// Each launch of a chain has memory of its own until all have run.
// BUFFERS:     %[[ARENA:.*]] = dlhlo.reserve
// BUFFERS:     dlhlo.dispatch_many attributes {dlhlo.chains = array<i64: 1

// RIGHT:      "device_waits": 1,
// RIGHT:          "on": true,
// RIGHT-NEXT:     "right": [[ROWS:[0-9]+]],
// RIGHT-NEXT:     "router": "main.0",
// RIGHT-NEXT:     "rows": [[ROWS]]
// RIGHT:      "parallel_launches": 1,
// WRONG:      "device_waits": 1,
// WRONG:          "guesses": 64,
// WRONG-NEXT:     "on": false,
// WRONG-NEXT:     "right": 0,

dhlo.dim @K0
dhlo.dim @K1
func.func @main(%x: tensor<1x40xf32> {dhlo.name = "x"}, %ids: tensor<1x1xi64> {dhlo.name = "ids"}) -> (tensor<1x40xf32> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %r = cell.route(%x, %ids) : (tensor<1x40xf32>, tensor<1x1xi64>) -> !cell.routes<1, 2, 1> {
  ^bb0(%a: tensor<1x40xf32>, %i: tensor<1x1xi64>):
    %q = dhlo.neg %a : tensor<1x40xf32>
    %s0, %t0 = dhlo.sort %q axis = 1 : tensor<1x40xf32>, tensor<1x40xi64>
    %n0 = dhlo.sin %s0 : tensor<1x40xf32>
    %s1, %t1 = dhlo.sort %n0 axis = 1 : tensor<1x40xf32>, tensor<1x40xi64>
    %n1 = dhlo.sin %s1 : tensor<1x40xf32>
    %f = dhlo.reduce max %n1 axes = [1] : (tensor<1x40xf32>) -> tensor<1xf32>
    %g = dhlo.reshape %f : (tensor<1xf32>) -> tensor<1x1xf32>
    %zz = dhlo.constant dense<100.0> : tensor<1x1xf32>
    %c = dhlo.compare gt %g, %zz : tensor<1x1xf32> -> tensor<1x1xi1>
    %z = dhlo.constant dense<0> : tensor<1x1xi64>
    %ch = dhlo.select %c, %z, %i : tensor<1x1xi1>, tensor<1x1xi64>
    cell.choose %ch : tensor<1x1xi64>
  } {cell.speculate = #cell.prediction<majority, share = 1000, paths = [1]>}
  %rows = cell.dispatch %x, %r : (tensor<1x40xf32>, !cell.routes<1, 2, 1>) -> tensor<1x40xf32>
  %y = cell.switch %r counts [@K0, @K1] (%rows) : (!cell.routes<1, 2, 1>, tensor<1x40xf32>) -> tensor<1x40xf32> {
  ^bb0(%a: tensor<?x40xf32, #dhlo.dims<K0>>):
    %s0, %t0 = dhlo.sort %a axis = 1 : tensor<?x40xf32, #dhlo.dims<K0>>, tensor<?x40xi64, #dhlo.dims<K0>>
    %n0 = dhlo.tanh %s0 : tensor<?x40xf32, #dhlo.dims<K0>>
    %s1, %t1 = dhlo.sort %n0 axis = 1 : tensor<?x40xf32, #dhlo.dims<K0>>, tensor<?x40xi64, #dhlo.dims<K0>>
    %n1 = dhlo.tanh %s1 : tensor<?x40xf32, #dhlo.dims<K0>>
    dhlo.yield %n1 : tensor<?x40xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x40xf32, #dhlo.dims<K1>>):
    %s0, %t0 = dhlo.sort %a axis = 1 : tensor<?x40xf32, #dhlo.dims<K1>>, tensor<?x40xi64, #dhlo.dims<K1>>
    %n0 = dhlo.cos %s0 : tensor<?x40xf32, #dhlo.dims<K1>>
    %s1, %t1 = dhlo.sort %n0 axis = 1 : tensor<?x40xf32, #dhlo.dims<K1>>, tensor<?x40xi64, #dhlo.dims<K1>>
    %n1 = dhlo.cos %s1 : tensor<?x40xf32, #dhlo.dims<K1>>
    dhlo.yield %n1 : tensor<?x40xf32, #dhlo.dims<K1>>
  }
  %o = cell.combine %y, %r sum : (tensor<1x40xf32>, !cell.routes<1, 2, 1>) -> tensor<1x40xf32>
  return %o : tensor<1x40xf32>
}
