// RUN: dyn-opt %s --split-input-file --verify-diagnostics

// library_gemm_c1_symbol
// expected-error @below {{expected the symbol of a kernel, found @other}}
dlhlo.library_gemm @other sizes [1, @d0, 8, 4] left 0 right 1 activation none from 1

// -----

// library_gemm_c2_count
dlhlo.kernel @dense contraction {
^bb0(%0: tensor<?x4xf16, #dhlo.dims<d0>>, %1: tensor<4x8xf16>, %2: tensor<8xf32>, %3: tensor<4x8xf32>):
  dhlo.dim @d0
  %4 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x4xf16, #dhlo.dims<d0>>, tensor<4x8xf16>) -> tensor<?x8xf16, #dhlo.dims<d0>>
  dlhlo.yield %4 : tensor<?x8xf16, #dhlo.dims<d0>>
}
// expected-error @below {{expected batch, rows, columns and depth, found 3 sizes}}
dlhlo.library_gemm @dense sizes [@d0, 8, 4] left 0 right 1 activation none from 1

// -----

// library_gemm_c2_dim
dlhlo.kernel @dense contraction {
^bb0(%0: tensor<?x4xf16, #dhlo.dims<d0>>, %1: tensor<4x8xf16>, %2: tensor<8xf32>, %3: tensor<4x8xf32>):
  dhlo.dim @d0
  %4 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x4xf16, #dhlo.dims<d0>>, tensor<4x8xf16>) -> tensor<?x8xf16, #dhlo.dims<d0>>
  dlhlo.yield %4 : tensor<?x8xf16, #dhlo.dims<d0>>
}
// expected-error @below {{expected sizes over dims of the kernel, found @N}}
dlhlo.library_gemm @dense sizes [1, @N, 8, 4] left 0 right 1 activation none from 1

// -----

// library_gemm_c3_argument
dlhlo.kernel @dense contraction {
^bb0(%0: tensor<?x4xf16, #dhlo.dims<d0>>, %1: tensor<4x8xf16>, %2: tensor<8xf32>, %3: tensor<4x8xf32>):
  dhlo.dim @d0
  %4 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x4xf16, #dhlo.dims<d0>>, tensor<4x8xf16>) -> tensor<?x8xf16, #dhlo.dims<d0>>
  dlhlo.yield %4 : tensor<?x8xf16, #dhlo.dims<d0>>
}
// expected-error @below {{expected an argument of the kernel, found 4}}
dlhlo.library_gemm @dense sizes [1, @d0, 8, 4] left 0 right 4 activation none from 1

// -----

// library_gemm_c3_factors
dlhlo.kernel @dense contraction {
^bb0(%0: tensor<?x4xf16, #dhlo.dims<d0>>, %1: tensor<4x8xf16>, %2: tensor<8xf32>, %3: tensor<4x8xf32>):
  dhlo.dim @d0
  %4 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x4xf16, #dhlo.dims<d0>>, tensor<4x8xf16>) -> tensor<?x8xf16, #dhlo.dims<d0>>
  dlhlo.yield %4 : tensor<?x8xf16, #dhlo.dims<d0>>
}
// expected-error @below {{expected argument 3 of 'f16', found 'f32'}}
dlhlo.library_gemm @dense sizes [1, @d0, 8, 4] left 0 right 3 activation none from 1

// -----

// library_gemm_c3_bias
dlhlo.kernel @dense contraction {
^bb0(%0: tensor<?x4xf16, #dhlo.dims<d0>>, %1: tensor<4x8xf16>, %2: tensor<8xf32>, %3: tensor<4x8xf32>):
  dhlo.dim @d0
  %4 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x4xf16, #dhlo.dims<d0>>, tensor<4x8xf16>) -> tensor<?x8xf16, #dhlo.dims<d0>>
  dlhlo.yield %4 : tensor<?x8xf16, #dhlo.dims<d0>>
}
// expected-error @below {{expected argument 2 of 'f16', found 'f32'}}
dlhlo.library_gemm @dense sizes [1, @d0, 8, 4] left 0 right 1 bias 2 activation none from 1

// -----

// library_gemm_c3_result
dlhlo.kernel @dense contraction {
^bb0(%0: tensor<?x4xf16, #dhlo.dims<d0>>, %1: tensor<4x8xf16>, %2: tensor<8xf32>, %3: tensor<4x8xf32>):
  dhlo.dim @d0
  %4 = dhlo.dot_general %0, %1 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x4xf16, #dhlo.dims<d0>>, tensor<4x8xf16>) -> tensor<?x8xf16, #dhlo.dims<d0>>
  dlhlo.yield %4 : tensor<?x8xf16, #dhlo.dims<d0>>
}
// expected-error @below {{expected a result of 'f32' or f32, found 'f16'}}
dlhlo.library_gemm @dense sizes [1, @d0, 8, 4] left 2 right 3 activation none from 1

// -----

// library_gemm_c1_results
dlhlo.kernel @dense loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0, %0 : tensor<4xf32>, tensor<4xf32>
}
// expected-error @below {{expected a kernel with one result, found 2}}
dlhlo.library_gemm @dense sizes [1, 1, 1, 1] left 0 right 0 activation none from 1

// -----

// library_gemm_c3_type
dlhlo.kernel @dense loop {
^bb0(%0: tensor<4xf64>):
  dlhlo.yield %0 : tensor<4xf64>
}
// expected-error @below {{expected factors of f32, f16 or bf16, found 'f64'}}
dlhlo.library_gemm @dense sizes [1, 1, 1, 1] left 0 right 0 activation none from 1
