// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector=isa=v4-amx | FileCheck %s

// Matmuls of bytes and of pairs of bf16 on registers of rows: one function for all heights of up to 16
// rows, one for more, with the registers given back at the end.

// CHECK-LABEL: func.func @whole.body(
// CHECK:       call @mt8_1x2(
// CHECK:       call @mt8_2x2(
// CHECK:       llvm.call_intrinsic "llvm.x86.tilerelease"()
// CHECK:       func.func private @mt8_1x2(
// CHECK:       func.func private @mt8_2x2(
// CHECK:         scf.if
// CHECK:           llvm.call_intrinsic "llvm.x86.ldtilecfg"({{.*}}) : (!llvm.ptr) -> ()
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK:         scf.for
// CHECK-COUNT-4:   llvm.call_intrinsic "llvm.x86.tdpbusd"({{.*}}) : (i8, i8, i8) -> ()
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
dlhlo.kernel @whole contraction {
^bb0(%x: tensor<?x64xui8, #dhlo.dims<M>>, %w: tensor<64x32xi8, #dlhlo.packed<panels16x4, batch = 0, rows = 1>>):
  dhlo.dim @M in [1, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xui8, #dhlo.dims<M>>, tensor<64x32xi8, #dlhlo.packed<panels16x4, batch = 0, rows = 1>>) -> tensor<?x32xi32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xi32, #dhlo.dims<M>>
}

// -----

// A depth of one step and 3 bytes: rows are copied with 60 zeros before the last
// group.

// CHECK-LABEL: func.func @partial.body(
// CHECK:       %[[ZERO:.*]] = arith.constant dense<0> : vector<16xi8>
// CHECK:       llvm.store %[[ZERO]], {{.*}} : vector<16xi8>
// CHECK:       call @mt8_
dlhlo.kernel @partial contraction {
^bb0(%x: tensor<?x67xui8, #dhlo.dims<M>>, %w: tensor<67x32xi8, #dlhlo.packed<panels16x4, batch = 0, rows = 1>>):
  dhlo.dim @M in [100, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x67xui8, #dhlo.dims<M>>, tensor<67x32xi8, #dlhlo.packed<panels16x4, batch = 0, rows = 1>>) -> tensor<?x32xi32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xi32, #dhlo.dims<M>>
}

// -----

// CHECK-LABEL: func.func @bf16.body(
// CHECK:       call @mtpair_2x2(
// CHECK:       func.func private @mtpair_2x2(
// CHECK-COUNT-4:   llvm.call_intrinsic "llvm.x86.tdpbf16ps"({{.*}}) : (i8, i8, i8) -> ()
dlhlo.kernel @bf16 contraction {
^bb0(%x: tensor<?x64xbf16, #dhlo.dims<M>>, %w: tensor<64x32xbf16, #dlhlo.packed<panels16x2, batch = 0, rows = 1>>):
  dhlo.dim @M in [1, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xbf16, #dhlo.dims<M>>, tensor<64x32xbf16, #dlhlo.packed<panels16x2, batch = 0, rows = 1>>) -> tensor<?x32xf32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xf32, #dhlo.dims<M>>
}

// -----

// A depth of bf16 that is no whole number of steps would need zeros, which are no
// neutral factors of floats.

// CHECK-LABEL: func.func @rest.body(
// CHECK:       call @mkbf16_
dlhlo.kernel @rest contraction {
^bb0(%x: tensor<?x48xbf16, #dhlo.dims<M>>, %w: tensor<48x32xbf16, #dlhlo.packed<panels16x2, batch = 0, rows = 1>>):
  dhlo.dim @M in [100, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x48xbf16, #dhlo.dims<M>>, tensor<48x32xbf16, #dlhlo.packed<panels16x2, batch = 0, rows = 1>>) -> tensor<?x32xf32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xf32, #dhlo.dims<M>>
}
