// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-outline-kernels --dlhlo-plan-buffers --canonicalize --cse | FileCheck %s

dhlo.dim @A in [0, 100]
dhlo.dim @B in [0, 100]
dhlo.dim @K in [0, ?] at_most 2 * @A
dhlo.dim @S in [0, ?]

// A size that data tell is compared with what it is declared to be at most.
// CHECK-LABEL: func.func @dyn.entry.bounded
// CHECK-SAME: (%{{.*}}: !dlhlo.buffer, %{{.*}}: !dlhlo.buffer, %[[A:.*]]: index)
// CHECK-DAG: %[[MOST:.*]] = arith.muli %[[A]], %c2
// CHECK-DAG: %[[K:.*]] = arith.index_cast
// CHECK-DAG: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[K]], %c0
// CHECK-DAG: %[[ABOVE:.*]] = arith.cmpi sgt, %[[K]], %[[MOST]]
// CHECK: %[[ILLEGAL:.*]] = arith.ori %[[NEGATIVE]], %[[ABOVE]]
// CHECK: dlhlo.fail_if %[[ILLEGAL]] value %[[K]]
func.func @bounded(%x: tensor<?xf32, #dhlo.dims<A>>, %k: tensor<i64>) -> tensor<?xi64, #dhlo.dims<K>> attributes {dhlo.entry} {
  dhlo.bind @K = %k : tensor<i64>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<K>>
  return %0 : tensor<?xi64, #dhlo.dims<K>>
}

// What sizes tell is neither written to memory nor read from it.
// CHECK-LABEL: func.func @dyn.entry.known
// CHECK-SAME: %[[A:.*]]: index, %[[B:.*]]: index)
// CHECK-NOT: dlhlo.store
// CHECK-NOT: dlhlo.load
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[REST:.*]], %c0
// CHECK: dlhlo.fail_if %[[NEGATIVE]] value %[[REST]]
// CHECK-NOT: dlhlo.load
// CHECK: return
func.func @known(%x: tensor<?xf32, #dhlo.dims<A>>, %y: tensor<?xf32, #dhlo.dims<B>>) -> tensor<?xi64, #dhlo.dims<S>> attributes {dhlo.entry} {
  %s = dhlo.from_dims [@A - @B] : tensor<i64>
  dhlo.bind @S = %s : tensor<i64>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<S>>
  return %0 : tensor<?xi64, #dhlo.dims<S>>
}
