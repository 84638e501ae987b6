// Like paths run as one; what they compute is what the switch means: two dense layers with biases
// and a norm of their own, on routes with dropped cells, empty paths and several paths a cell.
// RUN: dyn-opt %s -cell-stack-siblings -convert-cell-to-dhlo | FileCheck %s
// RUN: dyn-compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: dyn-compile %s --isa=v2,v3,v4 -o %t.so
// RUN: dyn-run --reference %s --input x=random:37x20 --input ids=random:37x2:-1:5 --seed=3 --output %t.npz
// RUN: dyn-run %t.so --input x=random:37x20 --input ids=random:37x2:-1:5 --seed=3 --check %t.npz --tolerance 1e-5
// RUN: dyn-run %t.so --input x=random:37x20 --input ids=random:37x2:-1:5 --seed=3 --check %t.npz --tolerance 1e-5 --threads=3
// RUN: dyn-run %t.so --input x=random:37x20 --input ids=random:37x2:-1:5 --seed=3 --check %t.npz --tolerance 1e-5 --isa=v2
// RUN: dyn-run --reference %s --input x=random:300x20 --input ids=random:300x2:2:3 --output %t.one.npz
// RUN: dyn-run %t.so --input x=random:300x20 --input ids=random:300x2:2:3 --check %t.one.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input x=random:9x20 --input ids=random:9x2:-1:0 --output %t.none.npz
// RUN: dyn-run %t.so --input x=random:9x20 --input ids=random:9x2:-1:0 --check %t.none.npz --tolerance 1e-5
// RUN: dyn-run --reference %s --input x=random:0x20 --input ids=random:0x2:-1:5 --output %t.0.npz
// RUN: dyn-run %t.so --input x=random:0x20 --input ids=random:0x2:-1:5 --check %t.0.npz --tolerance 1e-5

// CHECK-NOT:   dhlo.bind
// CHECK:       dhlo.grouped_dot 
// CHECK:       dhlo.grouped_dot 
// CHECK-NOT:   dhlo.bind

// The rows of the first matmul are read where the cells are, and each is written once.
// KERNELS-COUNT-2: dlhlo.launch @{{.*}}grouped_dot
// KERNELS-NOT:     dlhlo.launch @{{.*}}grouped_dot

dhlo.dim @N in [0, 512]
dhlo.dim @R = 2 * @N
dhlo.dim @K0
dhlo.dim @K1
dhlo.dim @K2
dhlo.dim @K3
dhlo.dim @K4

func.func @main(%x: tensor<?x20xf32, #dhlo.dims<N>> {dhlo.name = "x"}, %ids: tensor<?x2xi64, #dhlo.dims<N>> {dhlo.name = "ids"})
    -> (tensor<?x20xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %r = cell.route(%ids) : (tensor<?x2xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 5, @R> {
  ^bb0(%i: tensor<?x2xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x2xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x20xf32, #dhlo.dims<N>>, !cell.routes<@N, 5, @R>) -> tensor<?x20xf32, #dhlo.dims<R>>
  %y = cell.switch %r counts [@K0, @K1, @K2, @K3, @K4] (%rows) : (!cell.routes<@N, 5, @R>, tensor<?x20xf32, #dhlo.dims<R>>) -> tensor<?x20xf32, #dhlo.dims<R>> {
  ^bb0(%a: tensor<?x20xf32, #dhlo.dims<K0>>):
    %u = dhlo.rng normal low = 0.0 high = 0.25 stream = 10 seed = 1 : tensor<24x20xf32>
    %d = dhlo.rng normal low = 0.0 high = 0.25 stream = 20 seed = 1 : tensor<24x20xf32>
    %b = dhlo.rng normal low = 0.0 high = 1.0 stream = 30 seed = 1 : tensor<24xf32>
    %g = dhlo.rng normal low = 0.0 high = 1.0 stream = 40 seed = 1 : tensor<20xf32>
    %h = dhlo.rng normal low = 0.0 high = 1.0 stream = 50 seed = 1 : tensor<20xf32>
    %0 = dhlo.dot_general %a, %u batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x20xf32, #dhlo.dims<K0>>, tensor<24x20xf32>) -> tensor<?x24xf32, #dhlo.dims<K0>>
    %1 = dhlo.broadcast %b axes = [1] : (tensor<24xf32>) -> tensor<?x24xf32, #dhlo.dims<K0>>
    %2 = dhlo.add %0, %1 : tensor<?x24xf32, #dhlo.dims<K0>>
    %3 = dhlo.gelu erf %2 : tensor<?x24xf32, #dhlo.dims<K0>>
    %4 = dhlo.dot_general %3, %d batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x24xf32, #dhlo.dims<K0>>, tensor<24x20xf32>) -> tensor<?x20xf32, #dhlo.dims<K0>>
    %5 = dhlo.layer_norm %4, %g, %h axis = 1 eps = 1.0e-5 : (tensor<?x20xf32, #dhlo.dims<K0>>, tensor<20xf32>, tensor<20xf32>) -> tensor<?x20xf32, #dhlo.dims<K0>>
    dhlo.yield %5 : tensor<?x20xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x20xf32, #dhlo.dims<K1>>):
    %u = dhlo.rng normal low = 0.0 high = 0.25 stream = 11 seed = 1 : tensor<24x20xf32>
    %d = dhlo.rng normal low = 0.0 high = 0.25 stream = 21 seed = 1 : tensor<24x20xf32>
    %b = dhlo.rng normal low = 0.0 high = 1.0 stream = 31 seed = 1 : tensor<24xf32>
    %g = dhlo.rng normal low = 0.0 high = 1.0 stream = 41 seed = 1 : tensor<20xf32>
    %h = dhlo.rng normal low = 0.0 high = 1.0 stream = 51 seed = 1 : tensor<20xf32>
    %0 = dhlo.dot_general %a, %u batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x20xf32, #dhlo.dims<K1>>, tensor<24x20xf32>) -> tensor<?x24xf32, #dhlo.dims<K1>>
    %1 = dhlo.broadcast %b axes = [1] : (tensor<24xf32>) -> tensor<?x24xf32, #dhlo.dims<K1>>
    %2 = dhlo.add %0, %1 : tensor<?x24xf32, #dhlo.dims<K1>>
    %3 = dhlo.gelu erf %2 : tensor<?x24xf32, #dhlo.dims<K1>>
    %4 = dhlo.dot_general %3, %d batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x24xf32, #dhlo.dims<K1>>, tensor<24x20xf32>) -> tensor<?x20xf32, #dhlo.dims<K1>>
    %5 = dhlo.layer_norm %4, %g, %h axis = 1 eps = 1.0e-5 : (tensor<?x20xf32, #dhlo.dims<K1>>, tensor<20xf32>, tensor<20xf32>) -> tensor<?x20xf32, #dhlo.dims<K1>>
    dhlo.yield %5 : tensor<?x20xf32, #dhlo.dims<K1>>
  }, {
  ^bb0(%a: tensor<?x20xf32, #dhlo.dims<K2>>):
    %u = dhlo.rng normal low = 0.0 high = 0.25 stream = 12 seed = 1 : tensor<24x20xf32>
    %d = dhlo.rng normal low = 0.0 high = 0.25 stream = 22 seed = 1 : tensor<24x20xf32>
    %b = dhlo.rng normal low = 0.0 high = 1.0 stream = 32 seed = 1 : tensor<24xf32>
    %g = dhlo.rng normal low = 0.0 high = 1.0 stream = 42 seed = 1 : tensor<20xf32>
    %h = dhlo.rng normal low = 0.0 high = 1.0 stream = 52 seed = 1 : tensor<20xf32>
    %0 = dhlo.dot_general %a, %u batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x20xf32, #dhlo.dims<K2>>, tensor<24x20xf32>) -> tensor<?x24xf32, #dhlo.dims<K2>>
    %1 = dhlo.broadcast %b axes = [1] : (tensor<24xf32>) -> tensor<?x24xf32, #dhlo.dims<K2>>
    %2 = dhlo.add %0, %1 : tensor<?x24xf32, #dhlo.dims<K2>>
    %3 = dhlo.gelu erf %2 : tensor<?x24xf32, #dhlo.dims<K2>>
    %4 = dhlo.dot_general %3, %d batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x24xf32, #dhlo.dims<K2>>, tensor<24x20xf32>) -> tensor<?x20xf32, #dhlo.dims<K2>>
    %5 = dhlo.layer_norm %4, %g, %h axis = 1 eps = 1.0e-5 : (tensor<?x20xf32, #dhlo.dims<K2>>, tensor<20xf32>, tensor<20xf32>) -> tensor<?x20xf32, #dhlo.dims<K2>>
    dhlo.yield %5 : tensor<?x20xf32, #dhlo.dims<K2>>
  }, {
  ^bb0(%a: tensor<?x20xf32, #dhlo.dims<K3>>):
    %u = dhlo.rng normal low = 0.0 high = 0.25 stream = 13 seed = 1 : tensor<24x20xf32>
    %d = dhlo.rng normal low = 0.0 high = 0.25 stream = 23 seed = 1 : tensor<24x20xf32>
    %b = dhlo.rng normal low = 0.0 high = 1.0 stream = 33 seed = 1 : tensor<24xf32>
    %g = dhlo.rng normal low = 0.0 high = 1.0 stream = 43 seed = 1 : tensor<20xf32>
    %h = dhlo.rng normal low = 0.0 high = 1.0 stream = 53 seed = 1 : tensor<20xf32>
    %0 = dhlo.dot_general %a, %u batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x20xf32, #dhlo.dims<K3>>, tensor<24x20xf32>) -> tensor<?x24xf32, #dhlo.dims<K3>>
    %1 = dhlo.broadcast %b axes = [1] : (tensor<24xf32>) -> tensor<?x24xf32, #dhlo.dims<K3>>
    %2 = dhlo.add %0, %1 : tensor<?x24xf32, #dhlo.dims<K3>>
    %3 = dhlo.gelu erf %2 : tensor<?x24xf32, #dhlo.dims<K3>>
    %4 = dhlo.dot_general %3, %d batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x24xf32, #dhlo.dims<K3>>, tensor<24x20xf32>) -> tensor<?x20xf32, #dhlo.dims<K3>>
    %5 = dhlo.layer_norm %4, %g, %h axis = 1 eps = 1.0e-5 : (tensor<?x20xf32, #dhlo.dims<K3>>, tensor<20xf32>, tensor<20xf32>) -> tensor<?x20xf32, #dhlo.dims<K3>>
    dhlo.yield %5 : tensor<?x20xf32, #dhlo.dims<K3>>
  }, {
  ^bb0(%a: tensor<?x20xf32, #dhlo.dims<K4>>):
    %u = dhlo.rng normal low = 0.0 high = 0.25 stream = 14 seed = 1 : tensor<24x20xf32>
    %d = dhlo.rng normal low = 0.0 high = 0.25 stream = 24 seed = 1 : tensor<24x20xf32>
    %b = dhlo.rng normal low = 0.0 high = 1.0 stream = 34 seed = 1 : tensor<24xf32>
    %g = dhlo.rng normal low = 0.0 high = 1.0 stream = 44 seed = 1 : tensor<20xf32>
    %h = dhlo.rng normal low = 0.0 high = 1.0 stream = 54 seed = 1 : tensor<20xf32>
    %0 = dhlo.dot_general %a, %u batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x20xf32, #dhlo.dims<K4>>, tensor<24x20xf32>) -> tensor<?x24xf32, #dhlo.dims<K4>>
    %1 = dhlo.broadcast %b axes = [1] : (tensor<24xf32>) -> tensor<?x24xf32, #dhlo.dims<K4>>
    %2 = dhlo.add %0, %1 : tensor<?x24xf32, #dhlo.dims<K4>>
    %3 = dhlo.gelu erf %2 : tensor<?x24xf32, #dhlo.dims<K4>>
    %4 = dhlo.dot_general %3, %d batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x24xf32, #dhlo.dims<K4>>, tensor<24x20xf32>) -> tensor<?x20xf32, #dhlo.dims<K4>>
    %5 = dhlo.layer_norm %4, %g, %h axis = 1 eps = 1.0e-5 : (tensor<?x20xf32, #dhlo.dims<K4>>, tensor<20xf32>, tensor<20xf32>) -> tensor<?x20xf32, #dhlo.dims<K4>>
    dhlo.yield %5 : tensor<?x20xf32, #dhlo.dims<K4>>
  }
  %s = cell.combine %y, %r sum : (tensor<?x20xf32, #dhlo.dims<R>>, !cell.routes<@N, 5, @R>) -> tensor<?x20xf32, #dhlo.dims<N>>
  %z = dhlo.add %s, %x : tensor<?x20xf32, #dhlo.dims<N>>
  return %z : tensor<?x20xf32, #dhlo.dims<N>>
}
