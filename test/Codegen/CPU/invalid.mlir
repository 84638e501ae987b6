// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector -verify-diagnostics

dlhlo.kernel @k loop {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{no code generation for this operation in a kernel of kind 'loop'}}
  %v, %i = dhlo.sort %x axis = 0 : tensor<4xf32>, tensor<4xi64>
  dlhlo.yield %v, %i : tensor<4xf32>, tensor<4xi64>
}

// -----

dlhlo.kernel @data_dependent loop {
^bb0(%n: tensor<i64>):
  dhlo.dim @d0
  // expected-error @below {{no code generation for a CPU for a size that a kernel finds}}
  dhlo.bind @d0 = %n : tensor<i64>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<d0>>
  dlhlo.yield %0 : tensor<?xi64, #dhlo.dims<d0>>
}

// -----

dlhlo.kernel @s single {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{expected a kernel that yields results of this operation alone}}
  %v, %i = dhlo.sort %x axis = 0 : tensor<4xf32>, tensor<4xi64>
  dlhlo.yield %x : tensor<4xf32>
}

// -----

dlhlo.kernel @fourier single {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{expected roots, which dhlo-expand-fourier adds}}
  %r, %i = dhlo.fft %x axis = 0 : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  dlhlo.yield %r, %i : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{expected one dhlo.dot_general in a kernel of kind 'contraction', found 0}}
dlhlo.kernel @c contraction {
^bb0(%x: tensor<4xf32>):
  dlhlo.yield %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected one convolution in a kernel of kind 'convolution', found 0}}
dlhlo.kernel @v convolution {
^bb0(%x: tensor<4xf32>):
  dlhlo.yield %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected one dhlo.attention in a kernel of kind 'attention', found 0}}
dlhlo.kernel @a attention {
^bb0(%x: tensor<4xf32>):
  dlhlo.yield %x : tensor<4xf32>
}

// -----

dlhlo.kernel @h attention {
^bb0(%q: tensor<1x1x4x8xf64>):
  // expected-error @below {{no schedule for attention on other than f32 arguments of the kernel, found 'tensor<1x1x4x8xf64>'}}
  %0 = dhlo.attention %q, %q, %q scale = 1.0
      : (tensor<1x1x4x8xf64>, tensor<1x1x4x8xf64>, tensor<1x1x4x8xf64>) -> tensor<1x1x4x8xf64>
  dlhlo.yield %0 : tensor<1x1x4x8xf64>
}

// -----

dlhlo.kernel @attention_sort attention {
^bb0(%q: tensor<1x1x4x8xf32>):
  // expected-error @below {{no schedule for the operations on this attention}}
  %0 = dhlo.attention %q, %q, %q scale = 1.0
      : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32>
  %v, %i = dhlo.sort %0 axis = 3 : tensor<1x1x4x8xf32>, tensor<1x1x4x8xi64>
  dlhlo.yield %v : tensor<1x1x4x8xf32>
}

// -----

dlhlo.kernel @matmul_sort contraction {
^bb0(%x: tensor<4x4xf64>):
  %0 = dhlo.dot_general %x, %x batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  // expected-error @below {{no schedule computes dhlo.sort together with a contraction}}
  %v, %i = dhlo.sort %0 axis = 1 : tensor<4x4xf64>, tensor<4x4xi64>
  dlhlo.yield %v : tensor<4x4xf64>
}

// -----

dlhlo.kernel @row_sort row {
^bb0(%x: tensor<4x8xf32>):
  %0 = dhlo.reduce sum %x axes = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  // expected-error @below {{no code generation for this operation in a kernel of kind 'row'}}
  %v, %i = dhlo.sort %x axis = 0 : tensor<4x8xf32>, tensor<4x8xi64>
  dlhlo.yield %0, %v : tensor<4xf32>, tensor<4x8xf32>
}

// -----

dlhlo.kernel @transpose_sort transpose {
^bb0(%x: tensor<4x8xf32>):
  // expected-error @below {{no code generation for this operation in a kernel of kind 'transpose'}}
  %v, %i = dhlo.sort %x axis = 0 : tensor<4x8xf32>, tensor<4x8xi64>
  %0 = dhlo.transpose %v permutation = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  dlhlo.yield %0 : tensor<8x4xf32>
}

// -----

dlhlo.kernel @nonzero_operand single {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{expected a kernel that yields results of this operation alone}}
  %i, %n = dlhlo.find_nonzero %x : (tensor<4xf32>) -> (tensor<4x1xi64>, tensor<i64>)
  dlhlo.yield %x : tensor<4xf32>
}

// -----

dlhlo.kernel @grouped_type contraction {
^bb0(%x: tensor<4x8xf64>, %w: tensor<2x8x3xf64>, %o: tensor<3xi64>):
  // expected-error @below {{expected elements of type f32, f16 or bf16 in groups of rows, found 'f64'}}
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<4x8xf64>, tensor<2x8x3xf64>, tensor<3xi64>) -> tensor<4x3xf64>
  dlhlo.yield %0 : tensor<4x3xf64>
}

// -----

dlhlo.kernel @grouped_operands contraction {
^bb0(%x: tensor<4x8xf32>, %w: tensor<2x8x3xf32>):
  %o = dhlo.constant dense<[0, 1, 4]> : tensor<3xi64>
  // expected-error @below {{expected matrices and offsets that are operands of the kernel}}
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<4x8xf32>, tensor<2x8x3xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  dlhlo.yield %0 : tensor<4x3xf32>
}

// -----

dlhlo.kernel @grouped_other contraction {
^bb0(%x: tensor<4x8xf32>, %w: tensor<2x8x3xf32>, %o: tensor<3xi64>):
  // expected-error @below {{no schedule computes dhlo.sort together with a contraction}}
  %v, %i = dhlo.sort %x axis = 0 : tensor<4x8xf32>, tensor<4x8xi64>
  %0 = dhlo.grouped_dot %v, %w, %o : (tensor<4x8xf32>, tensor<2x8x3xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  dlhlo.yield %0 : tensor<4x3xf32>
}

// -----

dlhlo.kernel @grouped_convolution convolution {
^bb0(%x: tensor<4x8x8xf32>, %w: tensor<2x3x8x3xf32>):
  %o = dhlo.constant dense<[0, 1, 4]> : tensor<3xi64>
  // expected-error @below {{expected offsets that are an operand of the kernel}}
  %0 = dhlo.grouped_convolution %x, %w, %o channels_last strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<4x8x8xf32>, tensor<2x3x8x3xf32>, tensor<3xi64>) -> tensor<4x6x3xf32>
  dlhlo.yield %0 : tensor<4x6x3xf32>
}
