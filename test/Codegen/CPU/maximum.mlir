// RUN: dyn-opt %s -convert-kernel-to-vector=isa=v4 | FileCheck %s
// RUN: dyn-opt %s -convert-kernel-to-vector=isa=v3 | FileCheck %s --check-prefix=V3

// A maximum is one instruction, after which a NaN of its first operand is selected. LLVM
// finds it by itself only if there is one selection: that of a number.

// CHECK-LABEL: func.func @maximum.body(
// CHECK:       %[[X:.*]] = llvm.load {{.*}} -> vector<16xf32>
// CHECK:       %[[Y:.*]] = llvm.load {{.*}} -> vector<16xf32>
// CHECK:       %[[MAX:.*]] = llvm.call_intrinsic "llvm.x86.avx512.max.ps.512"(%[[X]], %[[Y]],
// CHECK:       %[[NAN:.*]] = arith.cmpf uno, %[[X]], %[[X]]
// CHECK:       arith.select %[[NAN]], %[[X]], %[[MAX]]
// CHECK:       "llvm.x86.avx512.min.ps.512"
// CHECK-NOT:   call_intrinsic
// V3-LABEL:    func.func @maximum.body(
// V3-NOT:      call_intrinsic
dlhlo.kernel @maximum loop {
^bb0(%x: tensor<?xf32, #dhlo.dims<N>>, %y: tensor<?xf32, #dhlo.dims<N>>):
  dhlo.dim @N
  %zero = dhlo.constant dense<0.0> : tensor<f32>
  %zeros = dhlo.broadcast %zero axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<N>>
  %0 = dhlo.maximum %x, %y : tensor<?xf32, #dhlo.dims<N>>
  %1 = dhlo.minimum %0, %y : tensor<?xf32, #dhlo.dims<N>>
  %2 = dhlo.maximum %1, %zeros : tensor<?xf32, #dhlo.dims<N>>
  dlhlo.yield %2 : tensor<?xf32, #dhlo.dims<N>>
}
