// RUN: dyn-opt %s -split-input-file -convert-kernel-to-vector | FileCheck %s

// Offsets are checked as the cost of all groups is summed; then an item visits the groups for
// the units of its share. Rows in no group are zeros.

// CHECK-LABEL: func.func @experts.body(
// CHECK:       llvm.atomicrmw umin
// CHECK:       scf.for %{{.*}} = %c0_i64 to %c8_i64 {{.*}} -> (i64, i64)
// CHECK:       scf.for %{{.*}} = %c0_i64 to %c8_i64 {{.*}} -> (i64, i64)
// CHECK:         scf.for
// CHECK:           call @mk_14x2(
// CHECK:       call @clear_row(
// CHECK:       func.func private
dlhlo.kernel @experts contraction {
^bb0(%x: tensor<?x64xf32, #dhlo.dims<R>>, %w: tensor<8x64x96xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>, %o: tensor<9xi64>):
  dhlo.dim @R in [0, ?]
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<?x64xf32, #dhlo.dims<R>>, tensor<8x64x96xf32, #dlhlo.packed<panels16, batch = 1, rows = 1>>, tensor<9xi64>) -> tensor<?x96xf32, #dhlo.dims<R>>
  dlhlo.yield %0 : tensor<?x96xf32, #dhlo.dims<R>>
}

// -----

// A matmul whose RHS the kernel computes has no panels: a vector of it is shared by
// four rows.

// CHECK-LABEL: func.func @computed.body(
// CHECK-NOT:   call @
// CHECK:       scf.for %{{.*}} = %c0_i64 to %c64_i64 {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK:         %[[W:.*]] = arith.negf {{.*}} : vector<16xf32>
// CHECK-COUNT-4: math.fma {{.*}}, %[[W]], {{.*}} : vector<16xf32>
// CHECK:       llvm.intr.masked.store
dlhlo.kernel @computed contraction {
^bb0(%x: tensor<?x64xf32, #dhlo.dims<R>>, %w: tensor<64x8xf32>):
  dhlo.dim @R in [0, ?]
  %0 = dhlo.neg %w : tensor<64x8xf32>
  %1 = dhlo.dot_general %x, %0 batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x64xf32, #dhlo.dims<R>>, tensor<64x8xf32>) -> tensor<?x8xf32, #dhlo.dims<R>>
  dlhlo.yield %1 : tensor<?x8xf32, #dhlo.dims<R>>
}
