// RUN: dyn-opt %s --convert-dlhlo-to-llvm=device | FileCheck %s

// Elements of buffers of a device are reached by services of the runtime.

dlhlo.entry @main calls "dyn.entry.main" : () -> tensor<2xi32> inputs [] outputs ["y"] dims [] arenas 1

// CHECK-LABEL: llvm.func @dyn.entry.main(
// CHECK: %[[SERVICES:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[CALL:.*]] = llvm.load %{{.*}} : !llvm.ptr -> !llvm.ptr
// CHECK: %[[ELEMENT:.*]] = llvm.alloca %{{.*}} x i64
// CHECK: llvm.getelementptr %[[SERVICES]][64]
// CHECK: %[[READ:.*]] = llvm.load
// CHECK: llvm.getelementptr %[[SERVICES]][72]
// CHECK: %[[WRITE:.*]] = llvm.load
func.func @dyn.entry.main() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  // CHECK: %[[ARENA:.*]] = llvm.call %{{.*}}(%[[CALL]], %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, i32, i64) -> !llvm.ptr
  %a = dlhlo.reserve %c0 bytes %c4
  // CHECK: %[[OUT:.*]] = llvm.call %{{.*}} -> !llvm.ptr
  %y = dlhlo.output 0 sizes ()
  // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(1 : i64)
  // CHECK: %[[STATUS:.*]] = llvm.call %[[READ]](%[[CALL]], %[[ELEMENT]], %[[ARENA]], %[[BYTES]]) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
  // CHECK: llvm.cond_br %{{.*}}, ^{{.*}}(%[[STATUS]] : i32), ^
  // CHECK: llvm.load %[[ELEMENT]] : !llvm.ptr -> i8
  %b = dlhlo.load %a : i1
  %n = arith.index_cast %b : i1 to index
  // CHECK: %[[ADDRESS:.*]] = llvm.getelementptr %[[OUT]][4]
  // CHECK: llvm.store %{{.*}}, %[[ELEMENT]] : i32
  // CHECK: llvm.call %[[WRITE]](%[[CALL]], %[[ADDRESS]], %[[ELEMENT]], %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> i32
  dlhlo.store %n, %y[1] as i32
  return
}
