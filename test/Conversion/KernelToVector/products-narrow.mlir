// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector=isa=v4 | FileCheck %s

// Factors of 16 bits become f32: those of A in a copy of its rows, those of a packed
// constant in registers. The micro-kernels are those of f32 else.

// CHECK-LABEL: func.func @brain.body(
// CHECK:       %[[WIDE:.*]] = arith.shli {{.*}} : vector<16xi32>
// CHECK:       arith.bitcast %[[WIDE]] : vector<16xi32> to vector<16xf32>
// CHECK:       call @mkbf16_
// CHECK:       func.func private @mkbf16_13x2(
// CHECK:         %[[PAIRS:.*]] = llvm.load {{.*}} -> vector<16xi32>
// CHECK:         arith.shli %[[PAIRS]]
// CHECK:         math.fma
// CHECK:         %[[AGAIN:.*]] = llvm.load {{.*}} -> vector<16xi32>
// CHECK:         arith.andi %[[AGAIN]]
// CHECK:         math.fma
dlhlo.kernel @brain contraction {
^bb0(%x: tensor<?x64xbf16, #dhlo.dims<M>>, %w: tensor<64x32xbf16, #dlhlo.packed<panels16x2, batch = 0, rows = 1>>):
  dhlo.dim @M in [100, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xbf16, #dhlo.dims<M>>, tensor<64x32xbf16, #dlhlo.packed<panels16x2, batch = 0, rows = 1>>) -> tensor<?x32xbf16, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xbf16, #dhlo.dims<M>>
}

// -----

// CHECK-LABEL: func.func @half.body(
// CHECK:       call @mkf16_
// CHECK:       func.func private @mkf16_13x2(
// CHECK:         %[[HALVES:.*]] = llvm.load {{.*}} -> vector<16xf16>
// CHECK:         arith.extf %[[HALVES]] : vector<16xf16> to vector<16xf32>
// CHECK:         math.fma
dlhlo.kernel @half contraction {
^bb0(%x: tensor<?x64xf16, #dhlo.dims<M>>, %w: tensor<64x32xf16, #dlhlo.packed<panels16, batch = 0, rows = 1>>):
  dhlo.dim @M in [100, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xf16, #dhlo.dims<M>>, tensor<64x32xf16, #dlhlo.packed<panels16, batch = 0, rows = 1>>) -> tensor<?x32xf32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xf32, #dhlo.dims<M>>
}

// -----

// Without a packed constant, panels are f32, too.

// CHECK-LABEL: func.func @plain.body(
// CHECK:       call @panel_from_rows_bf16(
// CHECK:       call @mk_
dlhlo.kernel @plain contraction {
^bb0(%x: tensor<?x64xbf16, #dhlo.dims<M>>, %w: tensor<64x32xbf16>):
  dhlo.dim @M in [100, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xbf16, #dhlo.dims<M>>, tensor<64x32xbf16>) -> tensor<?x32xbf16, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xbf16, #dhlo.dims<M>>
}
