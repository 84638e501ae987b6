// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-outline-kernels --dlhlo-plan-buffers --canonicalize --cse | FileCheck %s

// CHECK: dlhlo.sites = [#dlhlo.site<size_mismatch, op = "dhlo.reshape", location = "/view">, #dlhlo.site<size_mismatch, op = "dhlo.concat", location = "/concat">]

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
