// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-outline-kernels --dlhlo-plan-buffers --canonicalize --cse | FileCheck %s

// CHECK: dlhlo.sites = [#dlhlo.site<size_mismatch, op = "dhlo.reshape of A and B", location = "/view">, #dlhlo.site<size_mismatch, op = "dhlo.concat of B and C", location = "/concat">, #dlhlo.site<size_mismatch, op = "dhlo.broadcast of A and 7", location = "/known">, #dlhlo.site<size_mismatch, op = "dhlo.broadcast of A and F", location = "/range">]

dhlo.dim @A in [0, 100]
dhlo.dim @B in [0, 100]
dhlo.dim @C in [0, 100]
dhlo.dim @D = @A + 1
dhlo.dim @E = @D - 1

// What nothing shows of sizes is checked before the segment's first launch, once.
// CHECK-LABEL: func.func @dyn.entry.checks
// CHECK-SAME: (%{{.*}}: !dlhlo.buffer, %{{.*}}: !dlhlo.buffer, %[[A:.*]]: index, %[[B:.*]]: index, %[[C:.*]]: index)
// CHECK: %[[VIEW:.*]] = arith.cmpi ne, %[[A]], %[[B]]
// CHECK: dlhlo.fail_if %[[VIEW]] value %[[B]] site = 0
// CHECK: %[[CONCAT:.*]] = arith.cmpi ne, %[[B]], %[[C]]
// CHECK: dlhlo.fail_if %[[CONCAT]] value %[[C]] site = 1
// CHECK-NOT: dlhlo.fail_if
// CHECK: dlhlo.dispatch
func.func @checks(%x: tensor<?xf32, #dhlo.dims<A>>, %y: tensor<?x?xf32, #dhlo.dims<B, C>>)
    -> tensor<?xf32, #dhlo.dims<B>> attributes {dhlo.entry} {
  %0 = dhlo.reshape %x : (tensor<?xf32, #dhlo.dims<A>>) -> tensor<?xf32, #dhlo.dims<B>> loc("/view")
  %1 = dhlo.reduce sum %y axes = [1] : (tensor<?x?xf32, #dhlo.dims<B, C>>) -> tensor<?xf32, #dhlo.dims<B>>
  %2 = dhlo.reduce sum %y axes = [0] : (tensor<?x?xf32, #dhlo.dims<B, C>>) -> tensor<?xf32, #dhlo.dims<C>>
  %3 = dhlo.reshape %2 : (tensor<?xf32, #dhlo.dims<C>>) -> tensor<1x?xf32, #dhlo.dims<C>>
  %4 = dhlo.reshape %1 : (tensor<?xf32, #dhlo.dims<B>>) -> tensor<1x?xf32, #dhlo.dims<B>>
  %5 = dhlo.concat %4, %3 axis = 0 : (tensor<1x?xf32, #dhlo.dims<B>>, tensor<1x?xf32, #dhlo.dims<C>>) -> tensor<2x?xf32, #dhlo.dims<B>> loc("/concat")
  %6 = dhlo.reduce sum %5 axes = [0] : (tensor<2x?xf32, #dhlo.dims<B>>) -> tensor<?xf32, #dhlo.dims<B>>
  %7 = dhlo.add %6, %0 : tensor<?xf32, #dhlo.dims<B>>
  return %7 : tensor<?xf32, #dhlo.dims<B>>
}

// Sizes that definitions show to be equal are not.
// CHECK-LABEL: func.func @dyn.entry.proven
// CHECK-NOT: dlhlo.fail_if
// CHECK: return
func.func @proven(%x: tensor<?xf32, #dhlo.dims<A>>, %y: tensor<?xf32, #dhlo.dims<A>>) -> tensor<2x?xf32, #dhlo.dims<A>> attributes {dhlo.entry} {
  %0 = dhlo.reshape %x : (tensor<?xf32, #dhlo.dims<A>>) -> tensor<1x?xf32, #dhlo.dims<A>>
  %1 = dhlo.reshape %y : (tensor<?xf32, #dhlo.dims<A>>) -> tensor<1x?xf32, #dhlo.dims<E>>
  %2 = dhlo.concat %0, %1 axis = 0 : (tensor<1x?xf32, #dhlo.dims<A>>, tensor<1x?xf32, #dhlo.dims<E>>) -> tensor<2x?xf32, #dhlo.dims<A>>
  return %2 : tensor<2x?xf32, #dhlo.dims<A>>
}

// A size of at least 2 is what a legal one is broadcast to, so whether this one is
// legal is asked: any but 1 must be that size.
// CHECK-LABEL: func.func @dyn.entry.broadcast
// CHECK-SAME: (%{{.*}}: !dlhlo.buffer, %{{.*}}: !dlhlo.buffer, %{{.*}}: !dlhlo.buffer, %[[A:.*]]: index, %[[F:.*]]: index)
// CHECK: dlhlo.fail_if %{{.*}} value %[[A]] site = 2
// CHECK: dlhlo.fail_if %{{.*}} value %[[A]] site = 3
// CHECK-NOT: dlhlo.fail_if
// CHECK: dlhlo.dispatch
dhlo.dim @F in [2, 100]
func.func @broadcast(%x: tensor<?xf32, #dhlo.dims<A>>, %y: tensor<7xf32>, %z: tensor<?xf32, #dhlo.dims<F>>)
    -> (tensor<7xf32>, tensor<?xf32, #dhlo.dims<F>>) attributes {dhlo.entry} {
  %0 = dhlo.broadcast %x axes = [0] : (tensor<?xf32, #dhlo.dims<A>>) -> tensor<7xf32> loc("/known")
  %1 = dhlo.add %0, %y : tensor<7xf32>
  %2 = dhlo.broadcast %x axes = [0] : (tensor<?xf32, #dhlo.dims<A>>) -> tensor<?xf32, #dhlo.dims<F>> loc("/range")
  %3 = dhlo.add %2, %z : tensor<?xf32, #dhlo.dims<F>>
  return %1, %3 : tensor<7xf32>, tensor<?xf32, #dhlo.dims<F>>
}
