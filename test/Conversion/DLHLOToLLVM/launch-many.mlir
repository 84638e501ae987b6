// RUN: dyn-opt %s --convert-dlhlo-to-llvm | FileCheck %s

dlhlo.kernel @first loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
dlhlo.kernel @second loop {
^bb0(%0: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [1, 64]
  dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d0>>
}
dhlo.dim @N in [1, 64]
dlhlo.entry @main calls "dyn.entry.main" : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> inputs ["x"] outputs ["y"] dims [@N] arenas 1

// The arguments of all kernels lie behind each other, 32 bytes a kernel.
// CHECK-LABEL: llvm.func @dyn.entry.main(
// CHECK-SAME: %[[FRAME:.*]]: !llvm.ptr) -> i32
// CHECK: %[[FOUR:.*]] = llvm.mlir.constant(4 : i64)
// CHECK: %[[BUFFERS:.*]] = llvm.alloca %[[FOUR]] x !llvm.ptr
// CHECK: %[[SIZES:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: %[[EIGHT:.*]] = llvm.mlir.constant(8 : i64)
// CHECK: %[[LAUNCHES:.*]] = llvm.alloca %[[EIGHT]] x i64
// CHECK: llvm.getelementptr %{{.*}}[56]
// CHECK: %[[MANY:.*]] = llvm.load
// CHECK: %[[X:.*]] = llvm.load
// CHECK: %[[N:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: llvm.store %[[BUFFERS]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK: %[[BUFFERS2:.*]] = llvm.getelementptr %[[BUFFERS]][16]
// CHECK: llvm.store %{{.*}}, %[[BUFFERS2]] : !llvm.ptr, !llvm.ptr
// CHECK: llvm.getelementptr %[[LAUNCHES]][32]
// CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[STATUS:.*]] = llvm.call %[[MANY]](%{{.*}}, %[[TWO]], %[[LAUNCHES]])
// CHECK: llvm.cond_br %{{.*}}, ^{{.*}}(%[[STATUS]] : i32)
func.func @dyn.entry.main(%x: !dlhlo.buffer, %n: index) {
  %c0 = arith.constant 0 : index
  %a = dlhlo.reserve %c0 bytes %n
  %y = dlhlo.output 0 sizes (%n)
  dlhlo.dispatch_many {
    dlhlo.dispatch @first dims () buffers (%x, %a) site_base = 3
    dlhlo.dispatch @second dims (%n) buffers (%x, %y) site_base = 4
  }
  return
}

dlhlo.entry @chains calls "dyn.entry.chains" : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> inputs ["x"] outputs ["y"] dims [@N] arenas 1

// A launch's kernel and chain lie beside each other.
// CHECK-LABEL: llvm.func @dyn.entry.chains(
// CHECK: llvm.store %{{.*}}, %[[LIST:.*]] : i32, !llvm.ptr
// CHECK: llvm.getelementptr %[[LIST]][4]
// CHECK: %[[KERNEL:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[LIST]][32]
// CHECK: llvm.store %[[KERNEL]], %[[AT]] : i32, !llvm.ptr
// CHECK: %[[CHAIN:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[LIST]][36]
// CHECK: llvm.store %[[CHAIN]], %[[NEXT]] : i32, !llvm.ptr
func.func @dyn.entry.chains(%x: !dlhlo.buffer, %n: index) {
  %c0 = arith.constant 0 : index
  %a = dlhlo.reserve %c0 bytes %n
  %y = dlhlo.output 0 sizes (%n)
  dlhlo.dispatch_many attributes {dlhlo.chains = array<i64: 1, 2>} {
    dlhlo.dispatch @first dims () buffers (%x, %a) site_base = 3
    dlhlo.dispatch @second dims (%n) buffers (%x, %y) site_base = 4
  }
  return
}
