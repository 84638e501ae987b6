// RUN: dyn-opt %s -split-input-file --report-slow-kernels --remarks-filter=codegen-rate -o /dev/null 2>&1 | FileCheck %s
// RUN: dyn-opt %s -split-input-file --report-slow-kernels -o /dev/null 2>&1 | count 0
// RUN: not dyn-opt %s -split-input-file --report-slow-kernels=isa=v9 --remarks-filter=codegen-rate -o /dev/null 2>&1 | FileCheck %s --check-prefix=ISA
// RUN: not dyn-opt %s -split-input-file --report-slow-kernels=target-info=%t.none --remarks-filter=codegen-rate -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE

// Each way to be slow has a remark with the operation to blame, and the vector
// form of the same work has none. The remark is at the operation.

// ISA: error: expected the instruction set v2, v3, {{.*}}, found 'v9'
// FILE: error: target info: {{.*}}.none: No such file or directory

// Every eighth element of a row, but vectors of every second row, and vectors from which
// every second element is taken.

// CHECK: slow-kernels.mlir:[[#@LINE+5]]:8: remark: [Missed] dhlo.slice | Category:codegen-rate | Function=strided | Remark="computed element by element: consecutive elements of its result are apart in its operand", share="{{[0-9]+}} %"
// CHECK-NOT: Function=alternate
dlhlo.kernel @strided loop {
^bb0(%x: tensor<?x8192xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.slice %x starts = [0, 0] strides = [1, 8] : (tensor<?x8192xf32, #dhlo.dims<d0>>) -> tensor<?x1024xf32, #dhlo.dims<d0>>
  %1 = dhlo.neg %0 : tensor<?x1024xf32, #dhlo.dims<d0>>
  dlhlo.yield %1 : tensor<?x1024xf32, #dhlo.dims<d0>>
}

// -----

dlhlo.kernel @alternate loop {
^bb0(%x: tensor<512x?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.slice %x starts = [0, 0] strides = [2, 1] : (tensor<512x?xf32, #dhlo.dims<d0>>) -> tensor<256x?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<256x?xf32, #dhlo.dims<d0>>
}

// -----

// CHECK-NOT: Function=second
dlhlo.kernel @second loop {
^bb0(%x: tensor<?x2048xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.slice %x starts = [0, 0] strides = [1, 2] : (tensor<?x2048xf32, #dhlo.dims<d0>>) -> tensor<?x1024xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x1024xf32, #dhlo.dims<d0>>
}

// -----

// Every element has its own index, every row, or every column: vectors of indices.

// CHECK-NOT: Function=elements
// CHECK-NOT: Function=rows
// CHECK-NOT: Function=columns
dlhlo.kernel @elements loop {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>, %i: tensor<?x?xi64, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.gather_elements %x, %i axis = 1 : (tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?x?xi64, #dhlo.dims<d0, d1>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// -----

dlhlo.kernel @rows loop {
^bb0(%x: tensor<?x96xf32, #dhlo.dims<d0>>, %i: tensor<?xi64, #dhlo.dims<d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<?x96xf32, #dhlo.dims<d0>>, tensor<?xi64, #dhlo.dims<d1>>) -> tensor<?x96xf32, #dhlo.dims<d1>>
  dlhlo.yield %0 : tensor<?x96xf32, #dhlo.dims<d1>>
}

// -----

dlhlo.kernel @columns loop {
^bb0(%x: tensor<?x96xf32, #dhlo.dims<d0>>, %i: tensor<?xi64, #dhlo.dims<d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.gather %x, %i axis = 1 batch = 0 : (tensor<?x96xf32, #dhlo.dims<d0>>, tensor<?xi64, #dhlo.dims<d1>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

// -----

// A transpose whose result is no axis of the kernel's, so that no blocks are
// turned in registers; the same alone is.

// CHECK: [Missed] dhlo.transpose | {{.*}}Function=merged | Remark="computed element by element: consecutive elements of its result are apart in its operand"
// CHECK-NOT: Function=turned
dlhlo.kernel @merged transpose {
^bb0(%x: tensor<?x96x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.transpose %x permutation = [0, 2, 1] : (tensor<?x96x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?x96xf32, #dhlo.dims<d0, d1>>
  %1 = dhlo.reshape %0 : (tensor<?x?x96xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?x12x8xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %1 : tensor<?x?x12x8xf32, #dhlo.dims<d0, d1>>
}

// -----

dlhlo.kernel @turned transpose {
^bb0(%x: tensor<?x96x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.transpose %x permutation = [0, 2, 1] : (tensor<?x96x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?x96xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?x96xf32, #dhlo.dims<d0, d1>>
}

// -----

// The filter's size is only known at run time; the same one that is static, in
// one group or several, has tiles.

// CHECK: [Missed] dhlo.convolution | {{.*}}Function=unknown | Remark="computed element by element: the size of its filter is only known at run time"
// CHECK-NOT: Function=groups
// CHECK-NOT: Function=dense
dlhlo.kernel @unknown convolution {
^bb0(%x: tensor<?x8x8x32xf32, #dhlo.dims<N>>, %w: tensor<3x3x32x?xf32, #dhlo.dims<F>>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @F in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x8x8x32xf32, #dhlo.dims<N>>, tensor<3x3x32x?xf32, #dhlo.dims<F>>) -> tensor<?x6x6x?xf32, #dhlo.dims<N, F>>
  dlhlo.yield %0 : tensor<?x6x6x?xf32, #dhlo.dims<N, F>>
}

// -----

dlhlo.kernel @groups convolution {
^bb0(%x: tensor<?x8x8x32xf32, #dhlo.dims<N>>, %w: tensor<3x3x16x32xf32>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 2
      : (tensor<?x8x8x32xf32, #dhlo.dims<N>>, tensor<3x3x16x32xf32>) -> tensor<?x6x6x32xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x6x6x32xf32, #dhlo.dims<N>>
}

// -----

dlhlo.kernel @dense convolution {
^bb0(%x: tensor<?x8x8x32xf32, #dhlo.dims<N>>, %w: tensor<3x3x32x32xf32>):
  dhlo.dim @N in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x8x8x32xf32, #dhlo.dims<N>>, tensor<3x3x32x32xf32>) -> tensor<?x6x6x32xf32, #dhlo.dims<N>>
  dlhlo.yield %0 : tensor<?x6x6x32xf32, #dhlo.dims<N>>
}

// -----

// No GEMM multiplies doubles. Vectors are along the last axis of the result, where
// it stays the last one.

// CHECK: [Missed] dhlo.dot_general | {{.*}}Function=moved | Remark="computed element by element: no GEMM multiplies elements of these types"
// CHECK-NOT: Function=doubles
// CHECK-NOT: Function=singles
dlhlo.kernel @moved contraction {
^bb0(%x: tensor<?x64xf64, #dhlo.dims<M>>, %w: tensor<64x64xf64>):
  dhlo.dim @M in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x64xf64, #dhlo.dims<M>>, tensor<64x64xf64>) -> tensor<?x64xf64, #dhlo.dims<M>>
  %1 = dhlo.transpose %0 permutation = [1, 0] : (tensor<?x64xf64, #dhlo.dims<M>>) -> tensor<64x?xf64, #dhlo.dims<M>>
  dlhlo.yield %1 : tensor<64x?xf64, #dhlo.dims<M>>
}

// -----

dlhlo.kernel @doubles contraction {
^bb0(%x: tensor<?x64xf64, #dhlo.dims<M>>, %w: tensor<64x64xf64>):
  dhlo.dim @M in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x64xf64, #dhlo.dims<M>>, tensor<64x64xf64>) -> tensor<?x64xf64, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x64xf64, #dhlo.dims<M>>
}

// -----

dlhlo.kernel @singles contraction {
^bb0(%x: tensor<?x64xf32, #dhlo.dims<M>>, %w: tensor<64x64xf32>):
  dhlo.dim @M in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x64xf32, #dhlo.dims<M>>, tensor<64x64xf32>) -> tensor<?x64xf32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x64xf32, #dhlo.dims<M>>
}

// -----

// Resized along the lanes, and along an axis around them: vectors of coordinates and
// gathers take long.

// CHECK: [Missed] dhlo.resize | {{.*}}Function=wider | Remark="its code takes {{[0-9]+}} instructions for each 64 bytes that it reads and writes"
// CHECK-NOT: Function=taller
dlhlo.kernel @wider loop {
^bb0(%x: tensor<?x64xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.resize linear half_pixel floor %x scales = [1.0, 3.0] coefficient = -0.75 : (tensor<?x64xf32, #dhlo.dims<d0>>) -> tensor<?x192xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x192xf32, #dhlo.dims<d0>>
}

// -----

dlhlo.kernel @taller loop {
^bb0(%x: tensor<64x?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.resize linear half_pixel floor %x scales = [3.0, 1.0] coefficient = -0.75 : (tensor<64x?xf32, #dhlo.dims<d0>>) -> tensor<192x?xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<192x?xf32, #dhlo.dims<d0>>
}

// -----

// CHECK: [Missed] dhlo.sort | {{.*}}Function=sort | Remark="computed element by element: each element moves to its own position"
dlhlo.kernel @sort single {
^bb0(%x: tensor<64x?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %v, %i = dhlo.sort %x axis = 1 : tensor<64x?xf32, #dhlo.dims<d0>>, tensor<64x?xi64, #dhlo.dims<d0>>
  dlhlo.yield %v, %i : tensor<64x?xf32, #dhlo.dims<d0>>, tensor<64x?xi64, #dhlo.dims<d0>>
}

// -----

// CHECK: [Missed] dhlo.scatter_elements | {{.*}}Function=updates | Remark="computed element by element: each update has its own index"
// CHECK-NOT: Function=vectors
dlhlo.kernel @updates single {
^bb0(%x: tensor<7x64xf32>, %i: tensor<?x64xi64, #dhlo.dims<d1>>, %u: tensor<?x64xf32, #dhlo.dims<d1>>):
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.scatter_elements %x, %i, %u add axis = 0 : (tensor<7x64xf32>, tensor<?x64xi64, #dhlo.dims<d1>>, tensor<?x64xf32, #dhlo.dims<d1>>) -> tensor<7x64xf32>
  dlhlo.yield %0 : tensor<7x64xf32>
}

// -----

dlhlo.kernel @vectors single {
^bb0(%x: tensor<7x64xf32>, %i: tensor<?x1xi64, #dhlo.dims<d1>>, %u: tensor<?x64xf32, #dhlo.dims<d1>>):
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.scatter_nd %x, %i, %u add : (tensor<7x64xf32>, tensor<?x1xi64, #dhlo.dims<d1>>, tensor<?x64xf32, #dhlo.dims<d1>>) -> tensor<7x64xf32>
  dlhlo.yield %0 : tensor<7x64xf32>
}

// -----

// CHECK: [Missed] dlhlo.find_nonzero | {{.*}}Function=nonzero | Remark="computed element by element: the position of an index depends on all elements before it"
dlhlo.kernel @nonzero single {
^bb0(%x: tensor<?x96xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, 9999]
  dhlo.dim @n = 96 * @d0
  %i, %n = dlhlo.find_nonzero %x : (tensor<?x96xf32, #dhlo.dims<d0>>) -> (tensor<?x2xi64, #dhlo.dims<n>>, tensor<i64>)
  dlhlo.yield %i, %n : tensor<?x2xi64, #dhlo.dims<n>>, tensor<i64>
}

// -----

// Too little work at any size to be worth a remark.

// CHECK-NOT: Function=little
dlhlo.kernel @little loop {
^bb0(%x: tensor<?x64xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, 64]
  %0 = dhlo.slice %x starts = [0, 0] strides = [1, 8] : (tensor<?x64xf32, #dhlo.dims<d0>>) -> tensor<?x8xf32, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?x8xf32, #dhlo.dims<d0>>
}

// -----

// Vectors of two elements, which take as long as those of 16: a function of an
// image whose pixels come in squares of two by two.

// CHECK: [Missed] dhlo.logistic | {{.*}}Function=pairs | Remark="its code takes {{[0-9]+}} instructions for each 64 bytes that it reads and writes"
// CHECK-NOT: Function=image
dlhlo.kernel @pairs loop {
^bb0(%x: tensor<?x?x?x2x2xf32, #dhlo.dims<d0, d1, d2>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  dhlo.dim @d3 = 2 * @d1
  dhlo.dim @d4 = 2 * @d2
  %0 = dhlo.transpose %x permutation = [0, 1, 3, 2, 4] : (tensor<?x?x?x2x2xf32, #dhlo.dims<d0, d1, d2>>) -> tensor<?x?x2x?x2xf32, #dhlo.dims<d0, d1, d2>>
  %1 = dhlo.reshape %0 : (tensor<?x?x2x?x2xf32, #dhlo.dims<d0, d1, d2>>) -> tensor<?x?x?xf32, #dhlo.dims<d0, d3, d4>>
  %2 = dhlo.logistic %1 : tensor<?x?x?xf32, #dhlo.dims<d0, d3, d4>>
  dlhlo.yield %2 : tensor<?x?x?xf32, #dhlo.dims<d0, d3, d4>>
}

// -----

dlhlo.kernel @image loop {
^bb0(%x: tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  %0 = dhlo.logistic %x : tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>
  dlhlo.yield %0 : tensor<?x?x?xf32, #dhlo.dims<d0, d1, d2>>
}

// -----

// The cause of a strided read is behind a chain in which every value is read twice: each is
// visited once, or this would not end. Additions are most of the code.

// CHECK-NOT: Function=doubled
dlhlo.kernel @doubled loop {
^bb0(%x: tensor<?x2048xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, ?]
  %0 = dhlo.add %x, %x : tensor<?x2048xf32, #dhlo.dims<d0>>
  %1 = dhlo.add %0, %0 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %2 = dhlo.add %1, %1 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %3 = dhlo.add %2, %2 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %4 = dhlo.add %3, %3 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %5 = dhlo.add %4, %4 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %6 = dhlo.add %5, %5 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %7 = dhlo.add %6, %6 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %8 = dhlo.add %7, %7 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %9 = dhlo.add %8, %8 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %10 = dhlo.add %9, %9 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %11 = dhlo.add %10, %10 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %12 = dhlo.add %11, %11 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %13 = dhlo.add %12, %12 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %14 = dhlo.add %13, %13 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %15 = dhlo.add %14, %14 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %16 = dhlo.add %15, %15 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %17 = dhlo.add %16, %16 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %18 = dhlo.add %17, %17 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %19 = dhlo.add %18, %18 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %20 = dhlo.add %19, %19 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %21 = dhlo.add %20, %20 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %22 = dhlo.add %21, %21 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %23 = dhlo.add %22, %22 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %24 = dhlo.add %23, %23 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %25 = dhlo.add %24, %24 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %26 = dhlo.add %25, %25 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %27 = dhlo.add %26, %26 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %28 = dhlo.add %27, %27 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %29 = dhlo.add %28, %28 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %30 = dhlo.add %29, %29 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %31 = dhlo.add %30, %30 : tensor<?x2048xf32, #dhlo.dims<d0>>
  %y = dhlo.slice %31 starts = [0, 0] strides = [1, 8] : (tensor<?x2048xf32, #dhlo.dims<d0>>) -> tensor<?x256xf32, #dhlo.dims<d0>>
  dlhlo.yield %y : tensor<?x256xf32, #dhlo.dims<d0>>
}
