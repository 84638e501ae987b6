// Weights of sibling paths are stacked as they lie in their file, each by itself: rows and columns
// of a matrix, and biases.
// REQUIRES: venv
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "import numpy; numpy.random.default_rng(0).standard_normal(1500).astype('f').tofile('%t/stacked-weights.bin')"
// RUN: dyn-compile %t/m.mlir --emit=fusions | FileCheck %s
// RUN: dyn-compile %t/m.mlir -o %t/m.so
// RUN: dyn-run --reference %t/m.mlir --input x=random:23x12 --input ids=random:23x1:0:3 --seed=1 --output %t/y.npz
// RUN: dyn-run %t/m.so --input x=random:23x12 --input ids=random:23x1:0:3 --seed=1 --check %t/y.npz --tolerance 1e-5

// CHECK-DAG:  dlhlo.constant @u0{{.*}} : tensor<3x12x20xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>
// CHECK-DAG:  dlhlo.constant @d0{{.*}} : tensor<3x20x12xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>
// CHECK-DAG:  dlhlo.constant @b0{{.*}} : tensor<3x20xf32>
// CHECK:      dlhlo.fusion contraction
// CHECK:      dlhlo.fusion contraction
// CHECK-NOT:  dlhlo.fusion contraction

dhlo.dim @N in [0, 512]
dhlo.dim @K0
dhlo.dim @K1
dhlo.dim @K2

func.func @main(%x: tensor<?x12xf32, #dhlo.dims<N>> {dhlo.name = "x"}, %ids: tensor<?x1xi64, #dhlo.dims<N>> {dhlo.name = "ids"})
    -> (tensor<?x12xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 3, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %x, %r : (tensor<?x12xf32, #dhlo.dims<N>>, !cell.routes<@N, 3, @N>) -> tensor<?x12xf32, #dhlo.dims<N>>
  %y = cell.switch %r counts [@K0, @K1, @K2] (%rows) : (!cell.routes<@N, 3, @N>, tensor<?x12xf32, #dhlo.dims<N>>) -> tensor<?x12xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?x12xf32, #dhlo.dims<K0>>):
    %u = dhlo.weight <"stacked-weights.bin", offset = 0, length = 960, key = "u0"> : tensor<20x12xf32>
    %d = dhlo.weight <"stacked-weights.bin", offset = 960, length = 960, key = "d0"> : tensor<20x12xf32>
    %b = dhlo.weight <"stacked-weights.bin", offset = 1920, length = 80, key = "b0"> : tensor<20xf32>
    %0 = dhlo.dot_general %a, %u batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x12xf32, #dhlo.dims<K0>>, tensor<20x12xf32>) -> tensor<?x20xf32, #dhlo.dims<K0>>
    %1 = dhlo.broadcast %b axes = [1] : (tensor<20xf32>) -> tensor<?x20xf32, #dhlo.dims<K0>>
    %2 = dhlo.add %0, %1 : tensor<?x20xf32, #dhlo.dims<K0>>
    %3 = dhlo.dot_general %2, %d batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x20xf32, #dhlo.dims<K0>>, tensor<20x12xf32>) -> tensor<?x12xf32, #dhlo.dims<K0>>
    dhlo.yield %3 : tensor<?x12xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?x12xf32, #dhlo.dims<K1>>):
    %u = dhlo.weight <"stacked-weights.bin", offset = 2000, length = 960, key = "u1"> : tensor<20x12xf32>
    %d = dhlo.weight <"stacked-weights.bin", offset = 2960, length = 960, key = "d1"> : tensor<20x12xf32>
    %b = dhlo.weight <"stacked-weights.bin", offset = 3920, length = 80, key = "b1"> : tensor<20xf32>
    %0 = dhlo.dot_general %a, %u batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x12xf32, #dhlo.dims<K1>>, tensor<20x12xf32>) -> tensor<?x20xf32, #dhlo.dims<K1>>
    %1 = dhlo.broadcast %b axes = [1] : (tensor<20xf32>) -> tensor<?x20xf32, #dhlo.dims<K1>>
    %2 = dhlo.add %0, %1 : tensor<?x20xf32, #dhlo.dims<K1>>
    %3 = dhlo.dot_general %2, %d batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x20xf32, #dhlo.dims<K1>>, tensor<20x12xf32>) -> tensor<?x12xf32, #dhlo.dims<K1>>
    dhlo.yield %3 : tensor<?x12xf32, #dhlo.dims<K1>>
  }, {
  ^bb0(%a: tensor<?x12xf32, #dhlo.dims<K2>>):
    %u = dhlo.weight <"stacked-weights.bin", offset = 4000, length = 960, key = "u2"> : tensor<20x12xf32>
    %d = dhlo.weight <"stacked-weights.bin", offset = 4960, length = 960, key = "d2"> : tensor<20x12xf32>
    %b = dhlo.weight <"stacked-weights.bin", offset = 5920, length = 80, key = "b2"> : tensor<20xf32>
    %0 = dhlo.dot_general %a, %u batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<?x12xf32, #dhlo.dims<K2>>, tensor<20x12xf32>) -> tensor<?x20xf32, #dhlo.dims<K2>>
    %1 = dhlo.broadcast %b axes = [1] : (tensor<20xf32>) -> tensor<?x20xf32, #dhlo.dims<K2>>
    %2 = dhlo.add %0, %1 : tensor<?x20xf32, #dhlo.dims<K2>>
    %3 = dhlo.dot_general %2, %d batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x20xf32, #dhlo.dims<K2>>, tensor<20x12xf32>) -> tensor<?x12xf32, #dhlo.dims<K2>>
    dhlo.yield %3 : tensor<?x12xf32, #dhlo.dims<K2>>
  }
  %s = cell.combine %y, %r sum : (tensor<?x12xf32, #dhlo.dims<N>>, !cell.routes<@N, 3, @N>) -> tensor<?x12xf32, #dhlo.dims<N>>
  return %s : tensor<?x12xf32, #dhlo.dims<N>>
}
