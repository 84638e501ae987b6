// RUN: dyn-opt %s -convert-kernel-to-vector | FileCheck %s

// Nothing is divided by a static size of 0, though nothing asks for the result.

// CHECK-LABEL: func.func @no_rows
// CHECK-NOT:     {{div|rem}}{{[su]}}i {{.*}}, %c0_i64
dlhlo.kernel @no_rows contraction {
^bb0(%x: tensor<0x1xf32>, %w: tensor<1x?xf32, #dhlo.dims<n>>):
  dhlo.dim @n in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<0x1xf32>, tensor<1x?xf32, #dhlo.dims<n>>) -> tensor<0x?xf32, #dhlo.dims<n>>
  dlhlo.yield %0 : tensor<0x?xf32, #dhlo.dims<n>>
}
