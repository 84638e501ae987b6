// RUN: dyn-opt %s --convert-dlhlo-to-llvm | FileCheck %s
// Guesses are calls of the runtime, whose table of functions is read once.

dlhlo.entry @main calls "dyn.entry.main" : (tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<?xf32> inputs ["a", "b", "c"] outputs ["y"] dims [] arenas 0

// CHECK-LABEL: llvm.func @dyn.entry.main(
// CHECK:         %[[AT:.*]] = llvm.getelementptr %{{.*}}[88]
// CHECK:         %[[GUESS:.*]] = llvm.load %[[AT]]
// CHECK:         %[[AT2:.*]] = llvm.getelementptr %{{.*}}[96]
// CHECK:         %[[GUESSED:.*]] = llvm.load %[[AT2]]
// CHECK:         %[[ROUTER:.*]] = llvm.mlir.constant(1 : i32)
// CHECK:         %[[SHARE:.*]] = llvm.mlir.constant(312 : i32)
// CHECK:         llvm.call %[[GUESS]](%{{.*}}, %[[ROUTER]], %[[SHARE]]) : !llvm.ptr, (!llvm.ptr, i32, i32) -> i64
// CHECK:         llvm.call %[[GUESSED]](%{{.*}}, %{{.*}}, %[[A:.*]], %[[B:.*]], %[[C:.*]]) : !llvm.ptr, (!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
func.func @dyn.entry.main(%a: !dlhlo.buffer, %b: !dlhlo.buffer, %c: !dlhlo.buffer) {
  %g = dlhlo.guess 1 pays_from 312
  %out = dlhlo.output 0 sizes (%g)
  dlhlo.guessed 1 buffers (%a, %b, %c)
  return
}
