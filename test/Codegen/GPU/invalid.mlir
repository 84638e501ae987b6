// RUN: dyn-opt %s -split-input-file -convert-kernel-to-gpu -verify-diagnostics

dlhlo.kernel @wide attention {
^bb0(%q: tensor<1x1x4x300xf32>):
  // expected-error @below {{no code generation for a GPU for attention on 'tensor<1x1x4x300xf32>'}}
  %0 = dhlo.attention %q, %q, %q scale = 1.0
      : (tensor<1x1x4x300xf32>, tensor<1x1x4x300xf32>, tensor<1x1x4x300xf32>) -> tensor<1x1x4x300xf32>
  dlhlo.yield %0 : tensor<1x1x4x300xf32>
}

// -----

// expected-error @below {{no code generation for a GPU for kernels of kind 'attention' without one}}
dlhlo.kernel @no_heads attention {
^bb0(%x: tensor<4xf32>):
  dlhlo.yield %x : tensor<4xf32>
}

// -----

dlhlo.kernel @followed attention {
^bb0(%q: tensor<1x1x4x8xf32>):
  // expected-error @below {{no code generation for a GPU for the consumers of this attention in its kernel}}
  %0 = dhlo.attention %q, %q, %q scale = 1.0
      : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32>
  %1 = dhlo.neg %0 : tensor<1x1x4x8xf32>
  dlhlo.yield %1 : tensor<1x1x4x8xf32>
}

// -----

dlhlo.kernel @twice attention {
^bb0(%q: tensor<1x1x4x8xf32>):
  %0 = dhlo.attention %q, %q, %q scale = 1.0
      : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32>
  // expected-error @below {{no code generation for a GPU for this operation in a kernel of kind 'attention'}}
  %1 = dhlo.attention %0, %q, %q scale = 1.0
      : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32>
  dlhlo.yield %1 : tensor<1x1x4x8xf32>
}

// -----

dlhlo.kernel @sorted loop {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{no code generation for a GPU for this operation in a kernel of kind 'loop'}}
  %v, %i = dhlo.sort %x axis = 0 : tensor<4xf32>, tensor<4xi64>
  dlhlo.yield %v, %i : tensor<4xf32>, tensor<4xi64>
}

// -----

dlhlo.kernel @sorted_rows row {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{no code generation for a GPU for this operation in a kernel of kind 'row'}}
  %v, %i = dhlo.sort %x axis = 0 : tensor<4xf32>, tensor<4xi64>
  dlhlo.yield %v, %i : tensor<4xf32>, tensor<4xi64>
}

// -----

// expected-error @below {{no code generation for a GPU for kernels of kind 'contraction' without a contraction}}
dlhlo.kernel @nothing contraction {
^bb0(%x: tensor<4xf32>):
  dlhlo.yield %x : tensor<4xf32>
}

// -----

dlhlo.kernel @chain contraction {
^bb0(%x: tensor<4x4xf32>):
  %0 = dhlo.dot_general %x, %x batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @below {{no code generation for a GPU for this operation in a kernel of kind 'contraction'}}
  %1 = dhlo.dot_general %0, %x batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  dlhlo.yield %1 : tensor<4x4xf32>
}

// -----

dlhlo.kernel @packed contraction {
^bb0(%x: tensor<4x8xf32>, %w: tensor<8x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>):
  // expected-error @below {{no code generation for a GPU for packed constants}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x8xf32>, tensor<8x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>) -> tensor<4x16xf32>
  dlhlo.yield %0 : tensor<4x16xf32>
}

// -----

// expected-error @below {{no code generation for a GPU for results of other sizes than the contraction's}}
dlhlo.kernel @two_sizes contraction {
^bb0(%x: tensor<4x4xf32>, %y: tensor<3xf32>):
  %0 = dhlo.dot_general %x, %x batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  dlhlo.yield %0, %y : tensor<4x4xf32>, tensor<3xf32>
}

// -----

dlhlo.kernel @packed_filter convolution {
^bb0(%x: tensor<1x4x4x8xf32>, %w: tensor<1x1x8x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>):
  // expected-error @below {{no code generation for a GPU for packed constants}}
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [0, 0] high = [0, 0]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<1x4x4x8xf32>, tensor<1x1x8x16xf32, #dlhlo.packed<panels16, batch = 0, rows = 3>>) -> tensor<1x4x4x16xf32>
  dlhlo.yield %0 : tensor<1x4x4x16xf32>
}

// -----

dlhlo.kernel @packed_matrices contraction {
^bb0(%x: tensor<6x8xf32>, %w: tensor<2x8x16xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>, %o: tensor<3xi64>):
  // expected-error @below {{no code generation for a GPU for packed constants}}
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<6x8xf32>, tensor<2x8x16xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>, tensor<3xi64>) -> tensor<6x16xf32>
  dlhlo.yield %0 : tensor<6x16xf32>
}

// -----

dlhlo.kernel @many_groups single {
^bb0(%x: tensor<4x1xi64>):
  // expected-error @below {{no code generation for a GPU for more than 2048 groups, found 2049}}
  %0, %1, %2 = dhlo.group %x : (tensor<4x1xi64>) -> (tensor<2050xi64>, tensor<4xi64>, tensor<4x1xi64>)
  dlhlo.yield %0 : tensor<2050xi64>
}

// -----

dlhlo.kernel @many_units single {
^bb0(%g: tensor<2x1x1x?xf32, #dhlo.dims<H4>>, %r: tensor<1x?x?xf32, #dhlo.dims<H, H4>>):
  dhlo.dim @H in [1, 2049]
  dhlo.dim @H4 = 4 * @H
  // expected-error @below {{no code generation for a GPU for an lstm that may have more than 2048 units}}
  %0, %1, %2 = dhlo.lstm forward %g, %r : (tensor<2x1x1x?xf32, #dhlo.dims<H4>>, tensor<1x?x?xf32, #dhlo.dims<H, H4>>) -> (tensor<2x1x1x?xf32, #dhlo.dims<H>>, tensor<1x1x?xf32, #dhlo.dims<H>>, tensor<1x1x?xf32, #dhlo.dims<H>>)
  dlhlo.yield %0 : tensor<2x1x1x?xf32, #dhlo.dims<H>>
}

// -----

dlhlo.kernel @packed_weights single {
^bb0(%g: tensor<2x1x1x32xf32>, %r: tensor<1x8x32xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>):
  // expected-error @below {{no code generation for a GPU for packed constants}}
  %0, %1, %2 = dhlo.lstm forward %g, %r : (tensor<2x1x1x32xf32>, tensor<1x8x32xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>) -> (tensor<2x1x1x8xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>)
  dlhlo.yield %0 : tensor<2x1x1x8xf32>
}

// -----

dlhlo.kernel @odd_depth attention {
^bb0(%q: tensor<1x1x4x24xf16>):
  // expected-error @below {{no code generation for a GPU for attention on 'tensor<1x1x4x24xf16>'}}
  %0 = dhlo.attention %q, %q, %q scale = 1.0
      : (tensor<1x1x4x24xf16>, tensor<1x1x4x24xf16>, tensor<1x1x4x24xf16>) -> tensor<1x1x4x24xf16>
  dlhlo.yield %0 : tensor<1x1x4x24xf16>
}

// -----

dlhlo.kernel @too_deep attention {
^bb0(%q: tensor<1x1x4x144xbf16>):
  // expected-error @below {{no code generation for a GPU for attention on 'tensor<1x1x4x144xbf16>'}}
  %0 = dhlo.attention %q, %q, %q scale = 1.0
      : (tensor<1x1x4x144xbf16>, tensor<1x1x4x144xbf16>, tensor<1x1x4x144xbf16>) -> tensor<1x1x4x144xbf16>
  dlhlo.yield %0 : tensor<1x1x4x144xbf16>
}
