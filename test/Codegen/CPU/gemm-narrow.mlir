// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector=isa=v4 | FileCheck %s
// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector=isa=v4-bf16 | FileCheck %s --check-prefix=PAIR

// Operands of 16 bits become f32: those of A in a copy of its rows, those of a packed
// constant in registers. The micro-kernels are those of f32 else. With an instruction
// for pairs of bf16, rows of A are read where they lie.

// CHECK-LABEL: func.func @bf16.body(
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
// PAIR-LABEL:  func.func @bf16.body(
// PAIR-NOT:      vector<16xi32> to vector<16xf32>
// PAIR:          call @mkpair_13x2(
// PAIR:        func.func private @mkpair_13x2(
// PAIR:          llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"({{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// PAIR-NOT:      math.fma
dlhlo.kernel @bf16 contraction {
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
// PAIR-LABEL:  func.func @half.body(
// PAIR:          call @mkf16_
dlhlo.kernel @half contraction {
^bb0(%x: tensor<?x64xf16, #dhlo.dims<M>>, %w: tensor<64x32xf16, #dlhlo.packed<panels16, batch = 0, rows = 1>>):
  dhlo.dim @M in [100, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xf16, #dhlo.dims<M>>, tensor<64x32xf16, #dlhlo.packed<panels16, batch = 0, rows = 1>>) -> tensor<?x32xf32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xf32, #dhlo.dims<M>>
}

// -----

// Without a packed constant, panels are f32, too, or pairs of two rows.

// CHECK-LABEL: func.func @plain.body(
// CHECK:       call @panel_from_rows_bf16(
// CHECK:       call @mk_
// PAIR-LABEL:  func.func @plain.body(
// PAIR:          call @panel_from_rows_pairs(
// PAIR:          call @mkpair_
// PAIR:        func.func private @panel_from_rows_pairs(
// PAIR-COUNT-2:  arith.extui {{.*}} : vector<16xi16> to vector<16xi32>
// PAIR:          arith.ori
dlhlo.kernel @plain contraction {
^bb0(%x: tensor<?x64xbf16, #dhlo.dims<M>>, %w: tensor<64x32xbf16>):
  dhlo.dim @M in [100, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xbf16, #dhlo.dims<M>>, tensor<64x32xbf16>) -> tensor<?x32xbf16, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xbf16, #dhlo.dims<M>>
}

// -----

// Columns have pairs as they are; what is packed on the way is whole pairs.

// PAIR-LABEL:  func.func @columns.body(
// PAIR:          call @panel_from_columns(
// PAIR:          call @mkpair_
dlhlo.kernel @columns contraction {
^bb0(%x: tensor<?x64xbf16, #dhlo.dims<M>>, %w: tensor<32x64xbf16>):
  dhlo.dim @M in [100, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [1]
      : (tensor<?x64xbf16, #dhlo.dims<M>>, tensor<32x64xbf16>) -> tensor<?x32xbf16, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xbf16, #dhlo.dims<M>>
}

// -----

// PAIR-LABEL:  func.func @odd.body(
// PAIR:          call @panel_from_rows_bf16(
// PAIR:          call @mk_
dlhlo.kernel @odd contraction {
^bb0(%x: tensor<?x63xbf16, #dhlo.dims<M>>, %w: tensor<63x32xbf16>):
  dhlo.dim @M in [100, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x63xbf16, #dhlo.dims<M>>, tensor<63x32xbf16>) -> tensor<?x32xbf16, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xbf16, #dhlo.dims<M>>
}
