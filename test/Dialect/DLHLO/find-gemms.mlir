// RUN: dyn-opt %s --dlhlo-find-gemms | FileCheck %s
// RUN: dyn-opt %s --dlhlo-find-gemms=from=7 | FileCheck %s --check-prefix=FROM

// FROM: from 7

// Rows of two axes; a bias, an addend, and what comes last.
// CHECK: dlhlo.kernel @dense
// CHECK: dlhlo.library_gemm @dense sizes [1, @d0 * @d1, 96, 64] left 0 right 1 bias 2 addend 3 activation gelu_tanh from 1073741824
dlhlo.kernel @dense contraction {
^bb0(%0: tensor<?x?x64xf32, #dhlo.dims<d0, d1>>, %1: tensor<64x96xf32>, %2: tensor<96xf32>, %3: tensor<?x?x96xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0
  dhlo.dim @d1
  %4 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [2] rhs_contract = [0] : (tensor<?x?x64xf32, #dhlo.dims<d0, d1>>, tensor<64x96xf32>) -> tensor<?x?x96xf32, #dhlo.dims<d0, d1>>
  %5 = dhlo.broadcast %2 axes = [2] : (tensor<96xf32>) -> tensor<?x?x96xf32, #dhlo.dims<d0, d1>>
  %6 = dhlo.add %5, %4 : tensor<?x?x96xf32, #dhlo.dims<d0, d1>>
  %7 = dhlo.add %6, %3 : tensor<?x?x96xf32, #dhlo.dims<d0, d1>>
  %8 = dhlo.gelu tanh %7 : tensor<?x?x96xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %8 : tensor<?x?x96xf32, #dhlo.dims<d0, d1>>
}

// Operands that lie the other way; batches; a size that is defined by another.
// CHECK: dlhlo.kernel @across
// CHECK: dlhlo.library_gemm @across sizes [3 * @d0, 2 * @d0, 40, 64] left 0 transposed right 1 transposed activation relu from
dlhlo.kernel @across contraction {
^bb0(%0: tensor<?x3x64x?xf16, #dhlo.dims<d0, d1>>, %1: tensor<?x3x40x64xf16, #dhlo.dims<d0>>):
  dhlo.dim @d0
  dhlo.dim @d1 = 2 * @d0
  %2 = dhlo.dot_general %0, %1 batch = 2 lhs_contract = [2] rhs_contract = [3] : (tensor<?x3x64x?xf16, #dhlo.dims<d0, d1>>, tensor<?x3x40x64xf16, #dhlo.dims<d0>>) -> tensor<?x3x?x40xf16, #dhlo.dims<d0, d1>>
  %3 = dhlo.constant dense<0.0> : tensor<f16>
  %4 = dhlo.broadcast %3 axes = [] : (tensor<f16>) -> tensor<?x3x?x40xf16, #dhlo.dims<d0, d1>>
  %5 = dhlo.maximum %2, %4 : tensor<?x3x?x40xf16, #dhlo.dims<d0, d1>>
  dlhlo.yield %5 : tensor<?x3x?x40xf16, #dhlo.dims<d0, d1>>
}

// A sum in f32 of bf16; columns and steps of two axes.
// CHECK: dlhlo.kernel @wider
// CHECK: dlhlo.library_gemm @wider sizes [1, @d0, 24, 32] left 0 right 1 bias 2 activation none from
dlhlo.kernel @wider contraction {
^bb0(%0: tensor<?x4x8xbf16, #dhlo.dims<d0>>, %1: tensor<4x8x2x12xbf16>, %2: tensor<2x12xf32>):
  dhlo.dim @d0
  %3 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1, 2] rhs_contract = [0, 1] : (tensor<?x4x8xbf16, #dhlo.dims<d0>>, tensor<4x8x2x12xbf16>) -> tensor<?x2x12xf32, #dhlo.dims<d0>>
  %4 = dhlo.broadcast %2 axes = [1, 2] : (tensor<2x12xf32>) -> tensor<?x2x12xf32, #dhlo.dims<d0>>
  %5 = dhlo.add %3, %4 : tensor<?x2x12xf32, #dhlo.dims<d0>>
  dlhlo.yield %5 : tensor<?x2x12xf32, #dhlo.dims<d0>>
}

// A bias of zeros is none.
// CHECK: dlhlo.kernel @zeros
// CHECK: dlhlo.library_gemm @zeros sizes [1, 4, 2, 8] left 0 right 1 addend 2 activation none from
dlhlo.kernel @zeros contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>, %2: tensor<4x2xf32>):
  %3 = dhlo.constant dense<0.0> : tensor<2xf32>
  %4 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %5 = dhlo.broadcast %3 axes = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
  %6 = dhlo.add %4, %5 : tensor<4x2xf32>
  %7 = dhlo.add %2, %6 : tensor<4x2xf32>
  dlhlo.yield %7 : tensor<4x2xf32>
}

// What a library does not compute: another type, operands that are computed on
// the way, steps in another order or apart, a number for each row, GELU by erf,
// something behind GELU, two results.
// CHECK-NOT: dlhlo.library_gemm
dlhlo.kernel @wide contraction {
^bb0(%0: tensor<4x8xf64>, %1: tensor<8x2xf64>):
  %2 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf64>, tensor<8x2xf64>) -> tensor<4x2xf64>
  dlhlo.yield %2 : tensor<4x2xf64>
}
dlhlo.kernel @computed contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>):
  %2 = dhlo.neg %0 : tensor<4x8xf32>
  %3 = dhlo.dot_general %2, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  dlhlo.yield %3 : tensor<4x2xf32>
}
dlhlo.kernel @order contraction {
^bb0(%0: tensor<4x8x3xf32>, %1: tensor<3x8x2xf32>):
  %2 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [2, 1] rhs_contract = [0, 1] : (tensor<4x8x3xf32>, tensor<3x8x2xf32>) -> tensor<4x2xf32>
  dlhlo.yield %2 : tensor<4x2xf32>
}
dlhlo.kernel @between contraction {
^bb0(%0: tensor<4x8x3xf32>, %1: tensor<8x2xf32>):
  %2 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8x3xf32>, tensor<8x2xf32>) -> tensor<4x3x2xf32>
  dlhlo.yield %2 : tensor<4x3x2xf32>
}
dlhlo.kernel @rows contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x4xf32>, %2: tensor<4xf32>):
  %3 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %4 = dhlo.broadcast %2 axes = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %5 = dhlo.add %3, %4 : tensor<4x4xf32>
  dlhlo.yield %5 : tensor<4x4xf32>
}
dlhlo.kernel @one_number contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x4xf32>, %2: tensor<1xf32>):
  %3 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %4 = dhlo.broadcast %2 axes = [1] : (tensor<1xf32>) -> tensor<4x4xf32>
  %5 = dhlo.add %3, %4 : tensor<4x4xf32>
  dlhlo.yield %5 : tensor<4x4xf32>
}
dlhlo.kernel @erf contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>):
  %2 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %3 = dhlo.gelu erf %2 : tensor<4x2xf32>
  dlhlo.yield %3 : tensor<4x2xf32>
}
dlhlo.kernel @behind contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>, %2: tensor<4x2xf32>):
  %3 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %4 = dhlo.gelu tanh %3 : tensor<4x2xf32>
  %5 = dhlo.add %4, %2 : tensor<4x2xf32>
  dlhlo.yield %5 : tensor<4x2xf32>
}
dlhlo.kernel @two contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>):
  %2 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %3 = dhlo.gelu tanh %2 : tensor<4x2xf32>
  dlhlo.yield %2, %3 : tensor<4x2xf32>, tensor<4x2xf32>
}
