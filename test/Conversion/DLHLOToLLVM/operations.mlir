// RUN: dyn-opt %s --convert-dlhlo-to-llvm | FileCheck %s
// Operands of each call of the runtime, by their order in the frame, in the module and in
// the operation.

dlhlo.constant @first : tensor<4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<4xf32>
  dlhlo.yield %0 : tensor<4xf32>
}
dlhlo.constant @second : tensor<4xf32> {
  %0 = dhlo.constant dense<1.0> : tensor<4xf32>
  dlhlo.yield %0 : tensor<4xf32>
}
dhlo.dim @N in [1, 64]
dhlo.dim @M in [1, 64]
dlhlo.entry @main calls "dyn.entry.main" : (tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<M>>) -> tensor<?xf64, #dhlo.dims<M>> inputs ["x", "z"] outputs ["y"] dims [@N, @M] arenas 1
dlhlo.entry @loop calls "dyn.entry.loop" : (tensor<?xf32, #dhlo.dims<N>>) -> () inputs ["x"] outputs [] dims [@N] arenas 1

// Inputs and sizes are two arrays of the frame, however their arguments follow each other.
// CHECK-LABEL: llvm.func @dyn.entry.main(
// CHECK-SAME:    %[[FRAME:.*]]: !llvm.ptr) -> i32
// CHECK: %[[SIZES:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: llvm.getelementptr %[[FRAME]][8]
// CHECK: %[[CALL:.*]] = llvm.load
// CHECK: llvm.getelementptr %[[FRAME]][32]
// CHECK: %[[CONSTANTS:.*]] = llvm.load
// CHECK: llvm.getelementptr %{{.*}}[32]
// CHECK: %[[FAIL:.*]] = llvm.load
// CHECK: llvm.getelementptr %{{.*}}[48]
// CHECK: %[[PROBE:.*]] = llvm.load
// CHECK: llvm.getelementptr %[[FRAME]][16]
// CHECK: %[[INPUTS:.*]] = llvm.load
// CHECK: llvm.getelementptr %[[FRAME]][24]
// CHECK: %[[DIMS:.*]] = llvm.load
// CHECK: %[[X:.*]] = llvm.load %[[INPUTS]]
// CHECK: llvm.getelementptr %[[INPUTS]][8]
// CHECK: %[[Z:.*]] = llvm.load
// CHECK: %[[N:.*]] = llvm.load %[[DIMS]] : !llvm.ptr -> i64
// CHECK: llvm.getelementptr %[[DIMS]][8]
// CHECK: %[[M:.*]] = llvm.load
func.func @dyn.entry.main(%x: !dlhlo.buffer, %z: !dlhlo.buffer, %n: index, %m: index) {
  // CHECK: llvm.store %[[M]], %[[SIZES]]
  // CHECK: %[[OUTPUT:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK: %[[Y:.*]] = llvm.call %{{.*}}(%[[CALL]], %[[OUTPUT]], %[[SIZES]])
  %y = dlhlo.output 1 sizes (%m)
  // CHECK: llvm.getelementptr %[[CONSTANTS]][8]
  // CHECK: %[[W:.*]] = llvm.load
  %w = dlhlo.constant_buffer @second
  // Cells in their own order have no order; nothing waits for a recorder's status.
  // CHECK: %[[SECOND:.*]] = llvm.mlir.constant(2 : i32)
  // CHECK: %[[NONE:.*]] = llvm.mlir.zero
  // CHECK: llvm.call %[[PROBE]](%[[CALL]], %[[SECOND]], %[[X]], %[[Z]], %[[NONE]], %[[N]], %[[M]])
  // CHECK-NOT: llvm.cond_br
  dlhlo.probe 2 cells %n choices %m buffers (%x, %z)
  // CHECK: llvm.call %[[PROBE]](%[[CALL]], %{{.*}}, %[[X]], %[[Z]], %[[W]], %[[N]], %[[M]])
  dlhlo.probe 3 cells %n choices %m buffers (%x, %z, %w)
  // CHECK: %[[WORD:.*]] = llvm.trunc %[[N]] : i64 to i32
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[Y]][12]
  // CHECK: llvm.store %[[WORD]], %[[AT]] : i32
  dlhlo.store %n, %y[3] as i32
  // CHECK: %[[FLOAT:.*]] = llvm.sitofp %[[N]] : i64 to f64
  // CHECK: %[[AT:.*]] = llvm.getelementptr %[[Y]][8]
  // CHECK: llvm.store %[[FLOAT]], %[[AT]] : f64
  dlhlo.store %n, %y[1] as f64
  // CHECK: %[[V:.*]] = llvm.load %[[X]] : !llvm.ptr -> i64
  %v = dlhlo.load %x : i64
  %i = arith.index_cast %v : i64 to index
  // CHECK: %[[H:.*]] = llvm.load %[[Z]] : !llvm.ptr -> i32
  // CHECK: %[[K:.*]] = llvm.sext %[[H]]
  %h = dlhlo.load %z : i32
  %k = arith.index_cast %h : i32 to index
  // CHECK: llvm.store %[[V]], %{{.*}} : i64
  dlhlo.store %i, %y[0] as i64
  // Any byte but zero is true.
  // CHECK: %[[BYTE:.*]] = llvm.load %[[W]] : !llvm.ptr -> i8
  // CHECK: %[[B:.*]] = llvm.icmp "ne" %[[BYTE]], %{{.*}} : i8
  %b = dlhlo.load %w : i1
  // CHECK: llvm.cond_br %[[B]], ^[[BAD:.*]], ^[[GOOD:.*]]
  // CHECK: ^[[BAD]]:
  // CHECK: %[[SITE:.*]] = llvm.mlir.constant(9 : i64)
  // CHECK: %[[STATUS:.*]] = llvm.call %[[FAIL]](%[[CALL]], %[[SITE]], %[[K]])
  // CHECK: llvm.br ^[[EXIT:.*]](%[[STATUS]] : i32)
  // CHECK: ^[[GOOD]]:
  // CHECK: %[[OK:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.return %[[OK]]
  // CHECK: ^[[EXIT]](%[[RESULT:.*]]: i32):
  // CHECK: llvm.return %[[RESULT]]
  dlhlo.fail_if %b value %k site = 9
  return
}

// A failure leaves from within a loop, of which nothing is left but branches.
// CHECK-LABEL: llvm.func @dyn.entry.loop(
// CHECK: ^[[HEAD:.*]](%[[I:.*]]: i64):
// CHECK: llvm.cond_br %{{.*}}, ^[[BODY:.*]], ^[[END:.*]]
// CHECK: ^[[BODY]]:
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %[[I]])
// CHECK: llvm.cond_br %{{.*}}, ^[[EXIT:.*]](%{{.*}} : i32), ^[[NEXT:.*]]
// CHECK: ^[[NEXT]]:
// CHECK: llvm.br ^[[HEAD]](
// CHECK: ^[[END]]:
// CHECK: llvm.return
func.func @dyn.entry.loop(%x: !dlhlo.buffer, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = dlhlo.reserve %c0 bytes %i
  }
  return
}
