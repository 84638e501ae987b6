// RUN: dyn-opt %s --convert-dlhlo-to-llvm --split-input-file --verify-diagnostics | FileCheck %s

dhlo.dim @N in [1, 64]
dlhlo.kernel @first loop {
^bb0(%0: tensor<4xf32>):
  dlhlo.yield %0 : tensor<4xf32>
}
dlhlo.kernel @second loop {
^bb0(%0: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [1, 64]
  dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d0>>
}
dlhlo.constant @w : tensor<4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<4xf32>
  dlhlo.yield %0 : tensor<4xf32>
}
dlhlo.entry @main calls "dyn.entry.main" : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> inputs ["x"] outputs ["y"] dims [@N] arenas 1

// Arrays and services first, then the input and the size from the frame.
// CHECK-LABEL: llvm.func @dyn.entry.main(
// CHECK-SAME: %[[FRAME:.*]]: !llvm.ptr) -> i32
// CHECK: %[[BUFFERS:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK: %[[SIZES:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: %[[SERVICES:.*]] = llvm.load %[[FRAME]]
// CHECK: llvm.getelementptr %[[FRAME]][8]
// CHECK: %[[CALL:.*]] = llvm.load
// CHECK: llvm.getelementptr %[[FRAME]][32]
// CHECK: llvm.getelementptr %[[SERVICES]][8]
// CHECK: %[[RESERVE:.*]] = llvm.load
// CHECK: llvm.getelementptr %[[SERVICES]][16]
// CHECK: %[[OUTPUT:.*]] = llvm.load
// CHECK: llvm.getelementptr %[[SERVICES]][24]
// CHECK: %[[LAUNCH:.*]] = llvm.load
// CHECK: llvm.getelementptr %[[SERVICES]][32]
// CHECK: %[[FAIL:.*]] = llvm.load
// CHECK: llvm.getelementptr %[[SERVICES]][40]
// CHECK: %[[CHECK:.*]] = llvm.load
// CHECK: %[[N:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
func.func @dyn.entry.main(%x: !dlhlo.buffer, %n: index) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[ARENA:.*]] = llvm.call %[[RESERVE]](%[[CALL]], %{{.*}}, %[[N]])
  // CHECK: llvm.icmp "eq" %[[ARENA]], %{{.*}} : !llvm.ptr
  // CHECK: llvm.cond_br %{{.*}}, ^[[EXIT:.*]](%{{.*}} : i32), ^
  %a = dlhlo.reserve %c0 bytes %n
  // CHECK: llvm.getelementptr %[[ARENA]][%[[N]]]
  %v = dlhlo.view %a[%n]
  // CHECK: llvm.store %[[N]], %[[SIZES]]
  // CHECK: llvm.call %[[OUTPUT]](%[[CALL]], %{{.*}}, %[[SIZES]])
  %y = dlhlo.output 0 sizes (%n)
  %w = dlhlo.constant_buffer @w
  // Kernel 1, sites from 3 on.
  // CHECK: llvm.mlir.constant(1 : i32)
  // CHECK: llvm.mlir.constant(3 : i64)
  // CHECK: %[[STATUS:.*]] = llvm.call %[[LAUNCH]](%[[CALL]], %{{.*}}, %[[BUFFERS]], %[[SIZES]], %{{.*}})
  // CHECK: llvm.cond_br %{{.*}}, ^[[EXIT]](%[[STATUS]] : i32), ^
  dlhlo.dispatch @second dims (%n) buffers (%w, %y) site_base = 3
  // CHECK: llvm.call %[[CHECK]](%[[CALL]])
  dlhlo.check
  // CHECK: llvm.load %{{.*}} : !llvm.ptr -> i8
  %b = dlhlo.load %v : i1
  // A failure leaves from within a region.
  scf.if %b {
    // CHECK: %[[FAILED:.*]] = llvm.call %[[FAIL]](%[[CALL]], %{{.*}}, %[[N]])
    // CHECK: llvm.br ^[[EXIT]](%[[FAILED]] : i32)
    dlhlo.fail_if %b value %n site = 7
  }
  // CHECK: llvm.getelementptr %{{.*}}[16]
  dlhlo.store %n, %v[2] as i64
  // CHECK: llvm.sitofp %[[N]] : i64 to f32
  dlhlo.store %n, %v[2] as f32
  // CHECK: llvm.call @__asan_poison_memory_region(%{{.*}}, %[[N]]) : (!llvm.ptr, i64) -> ()
  dlhlo.poison %v bytes %n
  // CHECK: llvm.call @__asan_unpoison_memory_region(%{{.*}}, %[[N]]) : (!llvm.ptr, i64) -> ()
  dlhlo.unpoison %v bytes %n
  // CHECK: llvm.return
  return
}

// -----

// expected-error @below {{expected a function over buffers called 'nothing'; run dlhlo-plan-buffers first}}
dlhlo.entry @main calls "nothing" : () -> () inputs [] outputs [] dims [] arenas 0
