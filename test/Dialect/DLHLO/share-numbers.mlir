// RUN: dyn-opt %s --dlhlo-share-numbers --dlhlo-verify-fusions | FileCheck %s
// RUN: dyn-opt %s --dlhlo-share-numbers --dlhlo-outline-kernels | FileCheck %s --check-prefix=KERNELS

dhlo.dim @N
dhlo.dim @M

// Two numbers, of which one is the same in both: one kernel.
// CHECK-COUNT-2: dlhlo.constant {{.*}} : tensor<f32> {
// CHECK-LABEL: func.func @layers
// CHECK: dlhlo.get_constant
// CHECK: dlhlo.fusion loop(%arg0, %{{.*}})
// CHECK:   dhlo.constant dense<7.000000e+00>
// CHECK-NOT: dhlo.constant
// CHECK: dlhlo.get_constant
// CHECK: dlhlo.fusion loop(%arg1, %{{.*}})
// KERNELS: dlhlo.kernel
// KERNELS-NOT: dlhlo.kernel
// KERNELS: func.func @layers
func.func @layers(%x: tensor<?xf32, #dhlo.dims<N>>, %y: tensor<?xf32, #dhlo.dims<M>>)
    -> (tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<M>>) attributes {dhlo.entry} {
  %0 = dlhlo.fusion loop(%x) : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<N>>):
    %c = dhlo.constant dense<0.5> : tensor<f32>
    %d = dhlo.constant dense<7.0> : tensor<f32>
    %1 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<N>>
    %2 = dhlo.mul %a, %1 : tensor<?xf32, #dhlo.dims<N>>
    %3 = dhlo.broadcast %d axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<N>>
    %4 = dhlo.add %2, %3 : tensor<?xf32, #dhlo.dims<N>>
    dlhlo.yield %4 : tensor<?xf32, #dhlo.dims<N>>
  }
  %5 = dlhlo.fusion loop(%y) : (tensor<?xf32, #dhlo.dims<M>>) -> tensor<?xf32, #dhlo.dims<M>> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<M>>):
    %c = dhlo.constant dense<0.25> : tensor<f32>
    %d = dhlo.constant dense<7.0> : tensor<f32>
    %1 = dhlo.broadcast %c axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<M>>
    %2 = dhlo.mul %a, %1 : tensor<?xf32, #dhlo.dims<M>>
    %3 = dhlo.broadcast %d axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<M>>
    %4 = dhlo.add %2, %3 : tensor<?xf32, #dhlo.dims<M>>
    dlhlo.yield %4 : tensor<?xf32, #dhlo.dims<M>>
  }
  return %0, %5 : tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<M>>
}

// Other operations, and numbers of integers, are other kernels.
// CHECK-LABEL: func.func @others
// CHECK-NOT: dlhlo.get_constant
func.func @others(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) attributes {dhlo.entry} {
  %0 = dlhlo.fusion loop(%x) : (tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%a: tensor<4xi32>):
    %c = dhlo.constant dense<1> : tensor<4xi32>
    %1 = dhlo.mul %a, %c : tensor<4xi32>
    dlhlo.yield %1 : tensor<4xi32>
  }
  %2 = dlhlo.fusion loop(%x) : (tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%a: tensor<4xi32>):
    %c = dhlo.constant dense<2> : tensor<4xi32>
    %1 = dhlo.mul %a, %c : tensor<4xi32>
    dlhlo.yield %1 : tensor<4xi32>
  }
  %3 = dlhlo.fusion loop(%x) : (tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%a: tensor<4xi32>):
    %c = dhlo.constant dense<2> : tensor<4xi32>
    %1 = dhlo.add %a, %c : tensor<4xi32>
    dlhlo.yield %1 : tensor<4xi32>
  }
  return %0, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
