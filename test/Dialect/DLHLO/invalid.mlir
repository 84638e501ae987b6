// RUN: dyn-opt %s --split-input-file --verify-diagnostics

func.func @fusion_c1_operands(%x: tensor<4xf32>) {
  // expected-error @below {{expected block arguments with the operands' types}}
  %0 = dlhlo.fusion loop (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<5xf32>):
    %b = dhlo.constant dense<1.0> : tensor<4xf32>
    dlhlo.yield %b : tensor<4xf32>
  }
  return
}

// -----

func.func @fusion_c1_results(%x: tensor<4xf32>) {
  // expected-error @below {{expected yielded values with the results' types}}
  %0 = dlhlo.fusion loop (%x) : (tensor<4xf32>) -> tensor<5xf32> {
  ^bb0(%a: tensor<4xf32>):
    dlhlo.yield %a : tensor<4xf32>
  }
  return
}

// -----

dlhlo.kernel @kernel_c1_argument loop {
^bb0(%0: tensor<i64>):
  dhlo.dim @d0
  %1 = dhlo.neg %0 : tensor<i64>
  // expected-error @below {{expected an argument of the kernel, found a value that it computes}}
  dhlo.bind @d0 = %1 : tensor<i64>
  dlhlo.yield %1 : tensor<i64>
}

// -----

dlhlo.kernel @kernel_c1_dim loop {
^bb0(%0: tensor<i64>):
  dhlo.dim @d0
  dhlo.dim @d1 = 2 * @d0
  // expected-error @below {{expected a dim of the kernel, found @d1}}
  dhlo.bind @d1 = %0 : tensor<i64>
  dlhlo.yield %0 : tensor<i64>
}

// -----

// expected-error @below {{expected tensors with named sizes as arguments, found 'tensor<4x?xf32>'}}
dlhlo.kernel @kernel_c2_unnamed loop {
^bb0(%0: tensor<4xf32>, %1: tensor<4x?xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}

// -----

// expected-error @below {{expected tensors with named sizes as arguments, found 'index'}}
dlhlo.kernel @kernel_c2_scalar loop {
^bb0(%0: tensor<4xf32>, %1: index):
  dlhlo.yield %0 : tensor<4xf32>
}

// -----

func.func @fusion_unnamed(%x: tensor<?xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{operand #1 must be variadic of ranked tensor with named dynamic sizes of element values, but got 'tensor<?xf32>'}}
  %0 = dlhlo.fusion loop (%y, %x) : (tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<?xf32>):
    dlhlo.yield %a : tensor<4xf32>
  }
  return
}

// -----

dlhlo.constant @constant_unnamed : tensor<4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<4xf32>
  %1 = builtin.unrealized_conversion_cast %0 : tensor<4xf32> to tensor<?xf32>
  // expected-error @below {{operand #0 must be variadic of ranked tensor with named dynamic sizes of element values, but got 'tensor<?xf32>'}}
  dlhlo.yield %1 : tensor<?xf32>
}

// -----

dlhlo.kernel @one loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @launch_unnamed(%x: tensor<4xf32>) {
  // expected-error @below {{result #0 must be variadic of ranked tensor with named dynamic sizes of element values, but got 'tensor<?xf32>'}}
  %0 = dlhlo.launch @one dims [] (%x) : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @launch_c1_kernel(%x: tensor<4xf32>) {
  // expected-error @below {{expected the symbol of a kernel, found @nothing}}
  %0 = dlhlo.launch @nothing dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [1, 64]
  dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d0>>
}
func.func @launch_c1_dims(%x: tensor<4xf32>) {
  // expected-error @below {{expected 1 dims, found 0}}
  %0 = dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @launch_c1_operands() {
  // expected-error @below {{expected 1 operands, found 0}}
  %0 = dlhlo.launch @copy dims [] () : () -> tensor<4xf32>
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @launch_c1_results(%x: tensor<4xf32>) {
  // expected-error @below {{expected 1 results, found 0}}
  dlhlo.launch @copy dims [] (%x) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @get_constant_c1_symbol() {
  // expected-error @below {{expected the symbol of a constant, found @w}}
  %0 = dlhlo.get_constant @w : tensor<4xf32>
  return
}

// -----

dlhlo.constant @w : tensor<4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<4xf32>
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @get_constant_c1_type() {
  // expected-error @below {{expected the constant's type 'tensor<4xf32>', found 'tensor<5xf32>'}}
  %0 = dlhlo.get_constant @w : tensor<5xf32>
  return
}

// -----

func.func @pack_c1_types(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected equal static types but for the encoding, found 'tensor<4x8xf32>' and 'tensor<8x4xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>'}}
  %0 = dlhlo.pack %x : (tensor<4x8xf32>) -> tensor<8x4xf32, #dlhlo.packed<panels16, batch = 0, rows = 1>>
  return
}

// -----

// expected-error @below {{expected at most 2 axes in an order with batch = 1 and rows = 2}}
func.func @packed_c1(%x: tensor<4x8xf32, #dlhlo.packed<panels16, batch = 1, rows = 2>>) {
  return
}

// -----

// expected-error @below {{expected 3 x 3 x C x N of f32 with batch = 0 and rows = 3 in the order winograd4}}
func.func @packed_c2(%x: tensor<3x2x8x8xf32, #dlhlo.packed<winograd4, batch = 0, rows = 3>>) {
  return
}

// -----

// expected-error @below {{expected N x C x 3 x W of f32 behind the batch and rows = 2 in the order winograd4_lines}}
func.func @packed_c4(%x: tensor<8x8x3x3xf32, #dlhlo.packed<winograd4_lines, batch = 1, rows = 2>>) {
  return
}

// -----

// expected-error @below {{expected integers of 8 bits in the order panels16x4, found 'f32'}}
func.func @packed_c3(%x: tensor<4x8xf32, #dlhlo.packed<panels16x4, batch = 0, rows = 1>>) {
  return
}

// -----

// expected-error @below {{expected bf16 in the order panels16x2, found 'f16'}}
func.func @packed_c3_pairs(%x: tensor<4x8xf16, #dlhlo.packed<panels16x2, batch = 0, rows = 1>>) {
  return
}

// -----

func.func @pack_c1_order(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected a result with a packed order, found 'tensor<4x8xf32>'}}
  %0 = dlhlo.pack %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @find_nonzero_c1_columns(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected 2 columns of indices, found 3}}
  %i, %n = dlhlo.find_nonzero %x : (tensor<4x8xf32>) -> (tensor<32x3xi64>, tensor<i64>)
  return
}

// -----

func.func @find_nonzero_c1_rows(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected 32 rows of indices, found 31}}
  %i, %n = dlhlo.find_nonzero %x : (tensor<4x8xf32>) -> (tensor<31x2xi64>, tensor<i64>)
  return
}

// -----

// expected-error @below {{expected 1 input names, found 0}}
dlhlo.entry @entry_c1_inputs calls "f" : (tensor<4xf32>) -> tensor<4xf32> inputs [] outputs ["y"] dims [] arenas 0

// -----

// expected-error @below {{expected 1 output names, found 2}}
dlhlo.entry @entry_c1_outputs calls "f" : (tensor<4xf32>) -> tensor<4xf32> inputs ["x"] outputs ["y", "z"] dims [] arenas 0

// -----

func.func @constant_buffer_c1() {
  // expected-error @below {{expected the symbol of a constant, found @w}}
  %0 = dlhlo.constant_buffer @w
  return
}

// -----

func.func @dispatch_c1_kernel(%x: !dlhlo.buffer) {
  // expected-error @below {{expected the symbol of a kernel, found @copy}}
  dlhlo.dispatch @copy dims () buffers (%x, %x) site_base = 0
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @dispatch_c1_dims(%x: !dlhlo.buffer, %n: index) {
  // expected-error @below {{expected 0 dims, found 1}}
  dlhlo.dispatch @copy dims (%n) buffers (%x, %x) site_base = 0
  return
}

// -----

dlhlo.kernel @copy loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
func.func @dispatch_c1_buffers(%x: !dlhlo.buffer) {
  // expected-error @below {{expected 2 buffers, found 1}}
  dlhlo.dispatch @copy dims () buffers (%x) site_base = 0
  return
}
