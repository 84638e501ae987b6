// RUN: rm -rf %t && mkdir %t && split-file %s %t/in
// RUN: not dyn-compile %t/in/type.mlir -o %t/a.so 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not dyn-compile %t/in/rank.mlir -o %t/a.so 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not dyn-compile %t/in/large.mlir -o %t/a.so 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not dyn-compile %t/in/unnamed.mlir -o %t/a.so 2>&1 | FileCheck %s --check-prefix=UNNAMED
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// What no artifact can hold, and entries that are none.

// FILES: in
// FILES-NOT: a.so

//--- type.mlir
// TYPE: 'x' has the element type 'f8E5M2', which an artifact cannot pass
func.func @main(%x: tensor<4xf8E5M2> {dhlo.name = "x"}) -> (tensor<4xf32> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %0 = dhlo.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- rank.mlir
// RANK: 'x' has rank 13, expected at most 12
func.func @main(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x2xf32> {dhlo.name = "x"}) -> (tensor<1x1x1x1x1x1x1x1x1x1x1x1x2xf32> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %0 = dhlo.neg %x : tensor<1x1x1x1x1x1x1x1x1x1x1x1x2xf32>
  return %0 : tensor<1x1x1x1x1x1x1x1x1x1x1x1x2xf32>
}

//--- large.mlir
// LARGE: the constants are too large
func.func @main(%i: tensor<i64> {dhlo.name = "i"}) -> (tensor<i64> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %a = dhlo.weight <"w", offset = 0, length = 4611686018427387904, key = "a"> : tensor<576460752303423488xi64>
  %b = dhlo.weight <"w", offset = 0, length = 4611686018427387904, key = "b"> : tensor<576460752303423488xi64>
  %c = dhlo.weight <"w", offset = 0, length = 4611686018427387904, key = "c"> : tensor<576460752303423488xi64>
  %d = dhlo.weight <"w", offset = 0, length = 4611686018427387904, key = "d"> : tensor<576460752303423488xi64>
  %0 = dhlo.gather %a, %i axis = 0 batch = 0 : (tensor<576460752303423488xi64>, tensor<i64>) -> tensor<i64>
  %1 = dhlo.gather %b, %i axis = 0 batch = 0 : (tensor<576460752303423488xi64>, tensor<i64>) -> tensor<i64>
  %2 = dhlo.gather %c, %i axis = 0 batch = 0 : (tensor<576460752303423488xi64>, tensor<i64>) -> tensor<i64>
  %3 = dhlo.gather %d, %i axis = 0 batch = 0 : (tensor<576460752303423488xi64>, tensor<i64>) -> tensor<i64>
  %4 = dhlo.add %0, %1 : tensor<i64>
  %5 = dhlo.add %2, %3 : tensor<i64>
  %6 = dhlo.add %4, %5 : tensor<i64>
  return %6 : tensor<i64>
}

//--- unnamed.mlir
// UNNAMED: expected a name for each dynamic size, found
func.func @main(%x: tensor<?xf32> {dhlo.name = "x"}) -> (tensor<4xf32> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %0 = dhlo.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
