// Stages never begin where a size that depends on data, or routes, would have to change the stage; the plan says why.

// RUN: split-file %s %t
// RUN: echo '{"ranks": 2, "rank": {"flops": 3e10, "bytesPerSecond": 1e10, "memoryBytes": 1.7e6, "kernelSeconds": 2e-6}, "links": [{"ranks": 1, "bytesPerSecond": 2e9, "seconds": 3e-5}]}' > %t/small.json
// RUN: dyn-opt %t/size.mlir '--dist-plan=machine=%t/small.json stages=2' | dyn-opt --dist-propagate --dist-partition | FileCheck %s
// RUN: dyn-compile %t/size.mlir --plan=%t/small.json --plan-stages=2 --remarks-filter=dist-plan 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: dyn-compile %t/routes.mlir --plan=%t/small.json --explain-at=N=16 --plan-stages=2 --remarks-filter=dist-plan 2>&1 | FileCheck %s --check-prefix=ROUTES

// CHECK: func.func @main_0
// CHECK: func.func @main_1
// WHY: Remark="stays in the stage of its readers: the size @K that it finds is not sent"
//--- size.mlir
dhlo.dim @K in [0, 64]
func.func @main(%x: tensor<64x512xf32> {dhlo.name = "x"}, %m: tensor<64xi1> {dhlo.name = "m"})
    -> (tensor<512xf32> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w0 = dhlo.weight <"w.bin", offset = 0, length = 1048576, key = "w0"> : tensor<512x512xf32>
  %w1 = dhlo.weight <"w.bin", offset = 1048576, length = 1048576, key = "w1"> : tensor<512x512xf32>
  %0 = dhlo.dot_general %x, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
  %i = dhlo.nonzero %m binds @K : (tensor<64xi1>) -> tensor<?x1xi64, #dhlo.dims<K>>
  %j = dhlo.reshape %i : (tensor<?x1xi64, #dhlo.dims<K>>) -> tensor<?xi64, #dhlo.dims<K>>
  %1 = dhlo.gather %0, %j axis = 0 batch = 0 : (tensor<64x512xf32>, tensor<?xi64, #dhlo.dims<K>>) -> tensor<?x512xf32, #dhlo.dims<K>>
  %2 = dhlo.dot_general %1, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x512xf32, #dhlo.dims<K>>, tensor<512x512xf32>) -> tensor<?x512xf32, #dhlo.dims<K>>
  %3 = dhlo.reduce sum %2 axes = [0] : (tensor<?x512xf32, #dhlo.dims<K>>) -> tensor<512xf32>
  return %3 : tensor<512xf32>
}

// ROUTES: Remark="paths stay on all ranks: it mixes rows"
// ROUTES: Remark="stays in the stage of its readers: its result is no tensor"
//--- routes.mlir
dhlo.dim @N in [0, 64]
func.func @main(%x: tensor<?x512xf32, #dhlo.dims<N>> {dhlo.name = "x"}, %ids: tensor<?x1xi64, #dhlo.dims<N>> {dhlo.name = "ids"})
    -> (tensor<?x512xf32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w0 = dhlo.weight <"w.bin", offset = 0, length = 1048576, key = "w0"> : tensor<512x512xf32>
  %w1 = dhlo.weight <"w.bin", offset = 1048576, length = 1048576, key = "w1"> : tensor<512x512xf32>
  %0 = dhlo.dot_general %x, %w0 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x512xf32, #dhlo.dims<N>>, tensor<512x512xf32>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %r = cell.route(%ids) : (tensor<?x1xi64, #dhlo.dims<N>>) -> !cell.routes<@N, 2, @N> {
  ^bb0(%i: tensor<?x1xi64, #dhlo.dims<N>>):
    cell.choose %i : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %rows = cell.dispatch %0, %r : (tensor<?x512xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %a = dhlo.reverse %rows axes = [0] : tensor<?x512xf32, #dhlo.dims<N>>
  %1 = cell.combine %a, %r last : (tensor<?x512xf32, #dhlo.dims<N>>, !cell.routes<@N, 2, @N>) -> tensor<?x512xf32, #dhlo.dims<N>>
  %2 = dhlo.dot_general %1, %w1 batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x512xf32, #dhlo.dims<N>>, tensor<512x512xf32>) -> tensor<?x512xf32, #dhlo.dims<N>>
  return %2 : tensor<?x512xf32, #dhlo.dims<N>>
}
