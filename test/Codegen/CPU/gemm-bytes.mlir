// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector=isa=v4-vnni | FileCheck %s
// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector=isa=v4 | FileCheck %s --check-prefix=V4
// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector=isa=v4-amx | FileCheck %s --check-prefix=AMX
// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector=isa=v3 | FileCheck %s --check-prefix=V3

// Four products of bytes are one instruction, or pairs of i16 before it; the code
// around it is that of f32.

// CHECK-LABEL: func.func @whole.body(
// CHECK:       call @mk8_13x2
// CHECK:       func.func private @mk8_13x2(
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
// V4-LABEL:    func.func @whole.body(
// V4:          func.func private @mk8_10x2(
// V4:            llvm.call_intrinsic "llvm.x86.avx512.pmaddw.d.512"({{.*}}) : (vector<32xi16>, vector<32xi16>) -> vector<16xi32>
// V4-NOT:        vpdpbusd
// V3-LABEL:    func.func @whole.body(
// V3:            llvm.call_intrinsic "llvm.x86.avx2.pmadd.wd"
dlhlo.kernel @whole contraction {
^bb0(%x: tensor<?x64xui8, #dhlo.dims<M>>, %w: tensor<64x32xi8, #dlhlo.packed<panels16x4, batch = 0, rows = 1>>):
  dhlo.dim @M in [100, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xui8, #dhlo.dims<M>>, tensor<64x32xi8, #dlhlo.packed<panels16x4, batch = 0, rows = 1>>) -> tensor<?x32xi32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xi32, #dhlo.dims<M>>
}

// -----

// Rows that do not end with a group are copied, vectors of bytes and the rest.

// CHECK-LABEL: func.func @partial.body(
// CHECK:       llvm.load {{.*}} -> vector<16xi8>
// CHECK:       llvm.store {{.*}} : vector<16xi8>
// CHECK:       call @mk8_
dlhlo.kernel @partial contraction {
^bb0(%x: tensor<?x33xui8, #dhlo.dims<M>>, %w: tensor<33x32xi8, #dlhlo.packed<panels16x4, batch = 0, rows = 1>>):
  dhlo.dim @M in [100, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x33xui8, #dhlo.dims<M>>, tensor<33x32xi8, #dlhlo.packed<panels16x4, batch = 0, rows = 1>>) -> tensor<?x32xi32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xi32, #dhlo.dims<M>>
}

// -----

// An RHS that is no packed constant: four rows are interleaved by shifts, and rows past
// the last are zeros.

// CHECK-LABEL: func.func @plain.body(
// CHECK:       call @panel_from_rows_bytes(
// CHECK:       call @mk8_
// CHECK:       func.func private @panel_from_rows_bytes(
// CHECK-COUNT-4: llvm.load {{.*}} -> vector<16xi8>
// CHECK:       arith.select
// CHECK:       func.func private @mk8_
// AMX-LABEL:   func.func @plain.body(
// AMX:         call @mt8_
dlhlo.kernel @plain contraction {
^bb0(%x: tensor<?x64xui8, #dhlo.dims<M>>, %w: tensor<64x32xi8>):
  dhlo.dim @M in [100, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xui8, #dhlo.dims<M>>, tensor<64x32xi8>) -> tensor<?x32xi32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xi32, #dhlo.dims<M>>
}

// -----

// Columns of an RHS by rows of K have their groups already. Tile registers take a
// static K.

// CHECK-LABEL: func.func @columns.body(
// CHECK:       call @panel_from_columns_bytes(
// CHECK:       call @mk8_
// AMX-LABEL:   func.func @columns.body(
// AMX-NOT:     call @mt8_
// AMX:         call @mk8_
dlhlo.kernel @columns contraction {
^bb0(%x: tensor<?x?xui8, #dhlo.dims<M, K>>, %w: tensor<32x?xi8, #dhlo.dims<K>>):
  dhlo.dim @M in [100, 1000]
  dhlo.dim @K in [0, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [1]
      : (tensor<?x?xui8, #dhlo.dims<M, K>>, tensor<32x?xi8, #dhlo.dims<K>>) -> tensor<?x32xi32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xi32, #dhlo.dims<M>>
}

// -----

// Results go to memory, and to scratch where a tile is wider than they are.

// CHECK-LABEL: func.func @direct.body(
// CHECK:       %[[C:.*]] = arith.select {{.*}} : !llvm.ptr
// CHECK:       call @mk8_{{.*}}, %[[C]],
dlhlo.kernel @direct contraction {
^bb0(%x: tensor<?x64xui8, #dhlo.dims<M>>, %w: tensor<64x32xi8>):
  dhlo.dim @M in [100, 1000]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x64xui8, #dhlo.dims<M>>, tensor<64x32xi8>) -> tensor<?x32xi32, #dhlo.dims<M>>
  dlhlo.yield %0 : tensor<?x32xi32, #dhlo.dims<M>>
}
