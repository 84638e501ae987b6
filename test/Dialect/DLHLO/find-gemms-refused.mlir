// RUN: dyn-opt %s --dlhlo-find-gemms -split-input-file | FileCheck %s

// Kernels that a library does not compute, one property each, beside one that it does.

// Half precision with an addend of the result's own sizes; a kernel of another kind is not asked.
// CHECK: dlhlo.kernel @addend
// CHECK: dlhlo.library_gemm @addend sizes [1, 4, 2, 8] left 0 right 1 addend 2 activation none
// CHECK: dlhlo.kernel @loop
// CHECK-NOT: dlhlo.library_gemm
dlhlo.kernel @addend contraction {
^bb0(%0: tensor<4x8xbf16>, %1: tensor<8x2xbf16>, %2: tensor<4x2xbf16>):
  %3 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xbf16>
  %4 = dhlo.add %2, %3 : tensor<4x2xbf16>
  dlhlo.yield %4 : tensor<4x2xbf16>
}
dlhlo.kernel @loop loop {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>):
  %2 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  dlhlo.yield %2 : tensor<4x2xf32>
}

// -----

// The operands may be swapped, and one may be both: numbers of arguments say which.
// CHECK: dlhlo.library_gemm @swapped sizes [1, 4, 4, 8] left 1 right 0 transposed activation none
// CHECK: dlhlo.library_gemm @square sizes [1, 4, 4, 8] left 0 right 0 transposed activation none
dlhlo.kernel @swapped contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<4x8xf32>):
  %2 = dhlo.dot_general %1, %0 batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  dlhlo.yield %2 : tensor<4x4xf32>
}
dlhlo.kernel @square contraction {
^bb0(%0: tensor<4x8xf32>):
  %1 = dhlo.dot_general %0, %0 batch = 0 lhs_contract = [1] rhs_contract = [1] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  dlhlo.yield %1 : tensor<4x4xf32>
}

// -----

// Two addends; two biases; a bias behind the activation; an activation behind another.
// CHECK-NOT: dlhlo.library_gemm
dlhlo.kernel @two_addends contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>, %2: tensor<4x2xf32>, %3: tensor<4x2xf32>):
  %4 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %5 = dhlo.add %4, %2 : tensor<4x2xf32>
  %6 = dhlo.add %5, %3 : tensor<4x2xf32>
  dlhlo.yield %6 : tensor<4x2xf32>
}
dlhlo.kernel @two_biases contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>, %2: tensor<2xf32>, %3: tensor<2xf32>):
  %4 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %5 = dhlo.broadcast %2 axes = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
  %6 = dhlo.add %4, %5 : tensor<4x2xf32>
  %7 = dhlo.broadcast %3 axes = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
  %8 = dhlo.add %6, %7 : tensor<4x2xf32>
  dlhlo.yield %8 : tensor<4x2xf32>
}
dlhlo.kernel @bias_behind contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>, %2: tensor<2xf32>):
  %3 = dhlo.constant dense<0.0> : tensor<4x2xf32>
  %4 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %5 = dhlo.maximum %4, %3 : tensor<4x2xf32>
  %6 = dhlo.broadcast %2 axes = [1] : (tensor<2xf32>) -> tensor<4x2xf32>
  %7 = dhlo.add %5, %6 : tensor<4x2xf32>
  dlhlo.yield %7 : tensor<4x2xf32>
}
dlhlo.kernel @twice contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>):
  %2 = dhlo.constant dense<0.0> : tensor<4x2xf32>
  %3 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %4 = dhlo.maximum %3, %2 : tensor<4x2xf32>
  %5 = dhlo.gelu tanh %4 : tensor<4x2xf32>
  dlhlo.yield %5 : tensor<4x2xf32>
}

// -----

// A maximum with another number than 0, and with an argument; a product where a sum is asked for; a
// sum that is subtracted; twice the result.
// CHECK-NOT: dlhlo.library_gemm
dlhlo.kernel @above_one contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>):
  %2 = dhlo.constant dense<1.0> : tensor<4x2xf32>
  %3 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %4 = dhlo.maximum %3, %2 : tensor<4x2xf32>
  dlhlo.yield %4 : tensor<4x2xf32>
}
dlhlo.kernel @maximum contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>, %2: tensor<4x2xf32>):
  %3 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %4 = dhlo.maximum %3, %2 : tensor<4x2xf32>
  dlhlo.yield %4 : tensor<4x2xf32>
}
dlhlo.kernel @product contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>, %2: tensor<4x2xf32>):
  %3 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %4 = dhlo.mul %3, %2 : tensor<4x2xf32>
  dlhlo.yield %4 : tensor<4x2xf32>
}
dlhlo.kernel @difference contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>, %2: tensor<4x2xf32>):
  %3 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %4 = dhlo.sub %3, %2 : tensor<4x2xf32>
  dlhlo.yield %4 : tensor<4x2xf32>
}
dlhlo.kernel @doubled contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x2xf32>):
  %2 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %3 = dhlo.add %2, %2 : tensor<4x2xf32>
  dlhlo.yield %3 : tensor<4x2xf32>
}

// -----

// A packed matrix has an order of its own; integers have no library; nothing is summed; a number of
// the kernel's data that only the device knows.
// CHECK-NOT: dlhlo.library_gemm
dlhlo.kernel @packed contraction {
^bb0(%0: tensor<4x8xf32>, %1: tensor<8x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>):
  %2 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>) -> tensor<4x16xf32>
  dlhlo.yield %2 : tensor<4x16xf32>
}
dlhlo.kernel @bytes contraction {
^bb0(%0: tensor<4x8xui8>, %1: tensor<8x2xi8>):
  %2 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xui8>, tensor<8x2xi8>) -> tensor<4x2xi32>
  dlhlo.yield %2 : tensor<4x2xi32>
}
dlhlo.kernel @outer contraction {
^bb0(%0: tensor<4xf32>, %1: tensor<2xf32>):
  %2 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [] rhs_contract = [] : (tensor<4xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  dlhlo.yield %2 : tensor<4x2xf32>
}
dlhlo.kernel @counted contraction {
^bb0(%0: tensor<?x8xf32, #dhlo.dims<d0>>, %1: tensor<8x2xf32>, %2: tensor<i64>):
  dhlo.dim @d0 in [0, 64]
  dhlo.bind @d0 = %2 : tensor<i64>
  %3 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x8xf32, #dhlo.dims<d0>>, tensor<8x2xf32>) -> tensor<?x2xf32, #dhlo.dims<d0>>
  dlhlo.yield %3 : tensor<?x2xf32, #dhlo.dims<d0>>
}
