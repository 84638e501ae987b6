// A program without any operation, type or attribute of dhlo is one, too: passes that make
// expressions of sizes load the dialect themselves, or they end the process.
// RUN: dyn-opt %s --dhlo-verify-dims | FileCheck %s
// RUN: dyn-opt %s --dlhlo-explain -o /dev/null | FileCheck %s --check-prefix=EXPLAIN
// RUN: dyn-opt %s --dyn-optimize | FileCheck %s
// RUN: dyn-opt %s --dhlo-interpret -o /dev/null

// CHECK-LABEL: func.func @f(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<?xf32>)
// EXPLAIN: "kernels": []
func.func @f(%x: tensor<4xf32>, %y: tensor<?xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
