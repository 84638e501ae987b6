// RUN: dyn-opt --canonicalize --cse --dhlo-simplify-sizes %s | FileCheck %s
// Who binds a size is kept where its results have no reader; what binds none is not.

dhlo.dim @N in [0, ?]
dhlo.dim @K in [0, ?]
dhlo.dim @K8 = 8 * @K
dhlo.dim @P in [0, ?]
dhlo.dim @P1 = @P + 1
dhlo.dim @R in [0, ?]

// CHECK-LABEL: func.func @binding_if(
func.func @binding_if(%p: tensor<i1>, %a: tensor<8xf32>, %b: tensor<16xf32>, %x: tensor<1xf32>)
    -> tensor<?xf32, #dhlo.dims<K8>> {
  // CHECK: dhlo.if %{{.*}} binds [@K] then_dims [8] else_dims [16]
  %0 = dhlo.if %p binds [@K] then_dims [8] else_dims [16] -> (tensor<?xf32, #dhlo.dims<K>>) {
    dhlo.yield %a : tensor<8xf32>
  } else {
    dhlo.yield %b : tensor<16xf32>
  }
  // CHECK: dhlo.broadcast
  %1 = dhlo.broadcast %x axes = [0] : (tensor<1xf32>) -> tensor<?xf32, #dhlo.dims<K8>>
  return %1 : tensor<?xf32, #dhlo.dims<K8>>
}

// CHECK-LABEL: func.func @binding_while(
func.func @binding_while(%go: tensor<i1>, %x: tensor<?xf32, #dhlo.dims<N>>, %v: tensor<f32>)
    -> tensor<?xf32, #dhlo.dims<R>> {
  // CHECK: dhlo.while {{.*}} result_dims [@R]
  %0 = dhlo.while %go carries(%x) loop_dims [@P] init_dims [@N] next_dims [@P + 1] result_dims [@R]
      : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<R>> {
  ^bb0(%c: tensor<?xf32, #dhlo.dims<P>>):
    %1 = dhlo.pad %c, %v constant low = [0] high = [1]
        : (tensor<?xf32, #dhlo.dims<P>>, tensor<f32>) -> tensor<?xf32, #dhlo.dims<P1>>
    dhlo.yield %go, %1 : tensor<i1>, tensor<?xf32, #dhlo.dims<P1>>
  }
  // CHECK: dhlo.broadcast
  %2 = dhlo.broadcast %v axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<R>>
  return %2 : tensor<?xf32, #dhlo.dims<R>>
}

// CHECK-LABEL: func.func @idle_if(
func.func @idle_if(%p: tensor<i1>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: return
  %0 = dhlo.if %p -> (tensor<8xf32>) {
    dhlo.yield %a : tensor<8xf32>
  } else {
    dhlo.yield %b : tensor<8xf32>
  }
  return %a : tensor<8xf32>
}
