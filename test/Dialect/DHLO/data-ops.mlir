// RUN: dyn-opt %s | dyn-opt | FileCheck %s
// RUN: dyn-opt %s --mlir-print-op-generic | dyn-opt | FileCheck %s
// Operations that make and move data, each variant with static and symbolic sizes.

dhlo.dim @N
dhlo.dim @M
dhlo.dim @S in [1, 512]
dhlo.dim @P
dhlo.dim @K in [0, ?]
dhlo.dim @N2 = 2 * @N

// CHECK-LABEL: func.func @iota(
func.func @iota() {
  // CHECK: dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<N>>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<N>>
  // CHECK: dhlo.iota axis = 1 start = [@N] step = [-2] : tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.iota axis = 1 start = [@N] step = [-2] : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.iota axis = 2 start = [-3] step = [@N + 1] : tensor<2x0x3xui8>
  %2 = dhlo.iota axis = 2 start = [-3] step = [@N + 1] : tensor<2x0x3xui8>
  return
}

// CHECK-LABEL: func.func @rng(
func.func @rng() {
  // CHECK: dhlo.rng uniform low = 0.000000e+00 high = 1.000000e+00 stream = 3 : tensor<?xf32, #dhlo.dims<N>>
  %0 = dhlo.rng uniform low = 0.000000e+00 high = 1.000000e+00 stream = 3 : tensor<?xf32, #dhlo.dims<N>>
  // CHECK: dhlo.rng normal low = -1.000000e+00 high = 2.500000e+00 stream = 0 seed = 7 : tensor<2x3xf64>
  %1 = dhlo.rng normal low = -1.000000e+00 high = 2.500000e+00 stream = 0 seed = 7 : tensor<2x3xf64>
  // CHECK: dhlo.rng uniform low = 0.000000e+00 high = 1.000000e+00 stream = -1 seed = -5 : tensor<bf16>
  %2 = dhlo.rng uniform low = 0.000000e+00 high = 1.000000e+00 stream = -1 seed = -5 : tensor<bf16>
  return
}

// CHECK-LABEL: func.func @broadcast(
func.func @broadcast(%s: tensor<f32>, %v: tensor<384xf32>, %c: tensor<?x1xi64, #dhlo.dims<N>>, %t: tensor<?xi1, #dhlo.dims<M>>) {
  // CHECK: dhlo.broadcast %{{.*}} axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  %0 = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.broadcast %{{.*}} axes = [1] : (tensor<384xf32>) -> tensor<?x384xf32, #dhlo.dims<N>>
  %1 = dhlo.broadcast %v axes = [1] : (tensor<384xf32>) -> tensor<?x384xf32, #dhlo.dims<N>>
  // CHECK: dhlo.broadcast %{{.*}} axes = [0, 1] : (tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x?xi64, #dhlo.dims<N, M>>
  %2 = dhlo.broadcast %c axes = [0, 1] : (tensor<?x1xi64, #dhlo.dims<N>>) -> tensor<?x?xi64, #dhlo.dims<N, M>>
  // CHECK: dhlo.broadcast %{{.*}} axes = [2] : (tensor<?xi1, #dhlo.dims<M>>) -> tensor<2x?x?xi1, #dhlo.dims<N, S>>
  %3 = dhlo.broadcast %t axes = [2] : (tensor<?xi1, #dhlo.dims<M>>) -> tensor<2x?x?xi1, #dhlo.dims<N, S>>
  // CHECK: dhlo.broadcast %{{.*}} axes = [] : (tensor<f32>) -> tensor<f32>
  %4 = dhlo.broadcast %s axes = [] : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @reshape(
func.func @reshape(%x: tensor<?x12x64xf32, #dhlo.dims<N>>, %s: tensor<i64>, %e: tensor<0x4xi1>) {
  // CHECK: dhlo.reshape %{{.*}} : (tensor<?x12x64xf32, #dhlo.dims<N>>) -> tensor<?x768xf32, #dhlo.dims<N>>
  %0 = dhlo.reshape %x : (tensor<?x12x64xf32, #dhlo.dims<N>>) -> tensor<?x768xf32, #dhlo.dims<N>>
  // CHECK: dhlo.reshape %{{.*}} : (tensor<i64>) -> tensor<1x1xi64>
  %1 = dhlo.reshape %s : (tensor<i64>) -> tensor<1x1xi64>
  // CHECK: dhlo.reshape %{{.*}} : (tensor<0x4xi1>) -> tensor<7x0x?xi1, #dhlo.dims<N>>
  %2 = dhlo.reshape %e : (tensor<0x4xi1>) -> tensor<7x0x?xi1, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @transpose(
func.func @transpose(%x: tensor<?x4x?xf32, #dhlo.dims<N, M>>, %s: tensor<i8>) {
  // CHECK: dhlo.transpose %{{.*}} permutation = [2, 0, 1] : (tensor<?x4x?xf32, #dhlo.dims<N, M>>) -> tensor<?x?x4xf32, #dhlo.dims<M, N>>
  %0 = dhlo.transpose %x permutation = [2, 0, 1] : (tensor<?x4x?xf32, #dhlo.dims<N, M>>) -> tensor<?x?x4xf32, #dhlo.dims<M, N>>
  // CHECK: dhlo.transpose %{{.*}} permutation = [] : (tensor<i8>) -> tensor<i8>
  %1 = dhlo.transpose %s permutation = [] : (tensor<i8>) -> tensor<i8>
  return
}

// CHECK-LABEL: func.func @slice(
func.func @slice(%x: tensor<?x?xf32, #dhlo.dims<N, S>>, %s: tensor<f32>, %v: tensor<8xi1>) {
  // CHECK: dhlo.slice %{{.*}} starts = [0, @S - 1] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, S>>) -> tensor<?x1xf32, #dhlo.dims<N>>
  %0 = dhlo.slice %x starts = [0, @S - 1] strides = [1, 1] : (tensor<?x?xf32, #dhlo.dims<N, S>>) -> tensor<?x1xf32, #dhlo.dims<N>>
  // CHECK: dhlo.slice %{{.*}} starts = [] strides = [] : (tensor<f32>) -> tensor<f32>
  %1 = dhlo.slice %s starts = [] strides = [] : (tensor<f32>) -> tensor<f32>
  // CHECK: dhlo.slice %{{.*}} starts = [7] strides = [-2] : (tensor<8xi1>) -> tensor<4xi1>
  %2 = dhlo.slice %v starts = [7] strides = [-2] : (tensor<8xi1>) -> tensor<4xi1>
  // CHECK: dhlo.slice %{{.*}} starts = [@N floordiv 2, 0] strides = [-1, 3] : (tensor<?x?xf32, #dhlo.dims<N, S>>) -> tensor<0x?xf32, #dhlo.dims<P>>
  %3 = dhlo.slice %x starts = [@N floordiv 2, 0] strides = [-1, 3] : (tensor<?x?xf32, #dhlo.dims<N, S>>) -> tensor<0x?xf32, #dhlo.dims<P>>
  return
}

// CHECK-LABEL: func.func @pad(
func.func @pad(%x: tensor<?x4xf32, #dhlo.dims<N>>, %v: tensor<f32>, %s: tensor<i64>, %z: tensor<i64>) {
  // CHECK: dhlo.pad %{{.*}}, %{{.*}} constant low = [1, 0] high = [@P, -1] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x3xf32, #dhlo.dims<M>>
  %0 = dhlo.pad %x, %v constant low = [1, 0] high = [@P, -1] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x3xf32, #dhlo.dims<M>>
  // CHECK: dhlo.pad %{{.*}}, %{{.*}} reflect low = [0, 3] high = [0, 3] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x10xf32, #dhlo.dims<N>>
  %1 = dhlo.pad %x, %v reflect low = [0, 3] high = [0, 3] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x10xf32, #dhlo.dims<N>>
  // CHECK: dhlo.pad %{{.*}}, %{{.*}} edge low = [0, 2] high = [0, 0] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x6xf32, #dhlo.dims<N>>
  %2 = dhlo.pad %x, %v edge low = [0, 2] high = [0, 0] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x6xf32, #dhlo.dims<N>>
  // CHECK: dhlo.pad %{{.*}}, %{{.*}} wrap low = [0, 0] high = [0, 2] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x6xf32, #dhlo.dims<N>>
  %3 = dhlo.pad %x, %v wrap low = [0, 0] high = [0, 2] : (tensor<?x4xf32, #dhlo.dims<N>>, tensor<f32>) -> tensor<?x6xf32, #dhlo.dims<N>>
  // CHECK: dhlo.pad %{{.*}}, %{{.*}} constant low = [] high = [] : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %4 = dhlo.pad %s, %z constant low = [] high = [] : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return
}

// CHECK-LABEL: func.func @concat(
func.func @concat(%a: tensor<?x8xf32, #dhlo.dims<N>>, %b: tensor<?x4xf32, #dhlo.dims<N>>, %e: tensor<0xi1>) {
  // CHECK: dhlo.concat %{{.*}}, %{{.*}} axis = 1 : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x12xf32, #dhlo.dims<N>>
  %0 = dhlo.concat %a, %b axis = 1 : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<?x4xf32, #dhlo.dims<N>>) -> tensor<?x12xf32, #dhlo.dims<N>>
  // CHECK: dhlo.concat %{{.*}} axis = 0 : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x8xf32, #dhlo.dims<N>>
  %1 = dhlo.concat %a axis = 0 : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x8xf32, #dhlo.dims<N>>
  // CHECK: dhlo.concat %{{.*}}, %{{.*}}, %{{.*}} axis = 0 : (tensor<0xi1>, tensor<0xi1>, tensor<0xi1>) -> tensor<0xi1>
  %2 = dhlo.concat %e, %e, %e axis = 0 : (tensor<0xi1>, tensor<0xi1>, tensor<0xi1>) -> tensor<0xi1>
  // CHECK: dhlo.concat %{{.*}}, %{{.*}} axis = 0 : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x8xf32, #dhlo.dims<M>>
  %3 = dhlo.concat %a, %a axis = 0 : (tensor<?x8xf32, #dhlo.dims<N>>, tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x8xf32, #dhlo.dims<M>>
  return
}

// CHECK-LABEL: func.func @reverse(
func.func @reverse(%x: tensor<?x4xf32, #dhlo.dims<N>>, %s: tensor<ui64>) {
  // CHECK: dhlo.reverse %{{.*}} axes = [0] : tensor<?x4xf32, #dhlo.dims<N>>
  %0 = dhlo.reverse %x axes = [0] : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.reverse %{{.*}} axes = [1, 0] : tensor<?x4xf32, #dhlo.dims<N>>
  %1 = dhlo.reverse %x axes = [1, 0] : tensor<?x4xf32, #dhlo.dims<N>>
  // CHECK: dhlo.reverse %{{.*}} axes = [] : tensor<ui64>
  %2 = dhlo.reverse %s axes = [] : tensor<ui64>
  return
}

// CHECK-LABEL: func.func @gather(
func.func @gather(%table: tensor<30522x384xf32>, %ids: tensor<?x?xi64, #dhlo.dims<N, S>>, %x: tensor<?x5x?xi1, #dhlo.dims<N, M>>, %one: tensor<i32>, %rows: tensor<?x2xi32, #dhlo.dims<N>>) {
  // CHECK: dhlo.gather %{{.*}}, %{{.*}} axis = 0 batch = 0 : (tensor<30522x384xf32>, tensor<?x?xi64, #dhlo.dims<N, S>>) -> tensor<?x?x384xf32, #dhlo.dims<N, S>>
  %0 = dhlo.gather %table, %ids axis = 0 batch = 0 : (tensor<30522x384xf32>, tensor<?x?xi64, #dhlo.dims<N, S>>) -> tensor<?x?x384xf32, #dhlo.dims<N, S>>
  // CHECK: dhlo.gather %{{.*}}, %{{.*}} axis = 2 batch = 0 : (tensor<?x5x?xi1, #dhlo.dims<N, M>>, tensor<i32>) -> tensor<?x5xi1, #dhlo.dims<N>>
  %1 = dhlo.gather %x, %one axis = 2 batch = 0 : (tensor<?x5x?xi1, #dhlo.dims<N, M>>, tensor<i32>) -> tensor<?x5xi1, #dhlo.dims<N>>
  // CHECK: dhlo.gather %{{.*}}, %{{.*}} axis = 1 batch = 1 : (tensor<?x5x?xi1, #dhlo.dims<N, M>>, tensor<?x2xi32, #dhlo.dims<N>>) -> tensor<?x2x?xi1, #dhlo.dims<N, M>>
  %2 = dhlo.gather %x, %rows axis = 1 batch = 1 : (tensor<?x5x?xi1, #dhlo.dims<N, M>>, tensor<?x2xi32, #dhlo.dims<N>>) -> tensor<?x2x?xi1, #dhlo.dims<N, M>>
  return
}

// CHECK-LABEL: func.func @gather_elements(
func.func @gather_elements(%x: tensor<4x?xf32, #dhlo.dims<N>>, %i: tensor<4x2xi64>, %j: tensor<?x?xi32, #dhlo.dims<M, N>>) {
  // CHECK: dhlo.gather_elements %{{.*}}, %{{.*}} axis = 1 : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<4x2xi64>) -> tensor<4x2xf32>
  %0 = dhlo.gather_elements %x, %i axis = 1 : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<4x2xi64>) -> tensor<4x2xf32>
  // CHECK: dhlo.gather_elements %{{.*}}, %{{.*}} axis = 0 : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<?x?xi32, #dhlo.dims<M, N>>) -> tensor<?x?xf32, #dhlo.dims<M, N>>
  %1 = dhlo.gather_elements %x, %j axis = 0 : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<?x?xi32, #dhlo.dims<M, N>>) -> tensor<?x?xf32, #dhlo.dims<M, N>>
  return
}

// CHECK-LABEL: func.func @gather_nd(
func.func @gather_nd(%x: tensor<?x8x2xf32, #dhlo.dims<N>>, %i: tensor<5x2xi64>, %j: tensor<?x?x1xi32, #dhlo.dims<N, M>>, %k: tensor<0xi64>) {
  // CHECK: dhlo.gather_nd %{{.*}}, %{{.*}} batch = 0 : (tensor<?x8x2xf32, #dhlo.dims<N>>, tensor<5x2xi64>) -> tensor<5x2xf32>
  %0 = dhlo.gather_nd %x, %i batch = 0 : (tensor<?x8x2xf32, #dhlo.dims<N>>, tensor<5x2xi64>) -> tensor<5x2xf32>
  // CHECK: dhlo.gather_nd %{{.*}}, %{{.*}} batch = 1 : (tensor<?x8x2xf32, #dhlo.dims<N>>, tensor<?x?x1xi32, #dhlo.dims<N, M>>) -> tensor<?x?x2xf32, #dhlo.dims<N, M>>
  %1 = dhlo.gather_nd %x, %j batch = 1 : (tensor<?x8x2xf32, #dhlo.dims<N>>, tensor<?x?x1xi32, #dhlo.dims<N, M>>) -> tensor<?x?x2xf32, #dhlo.dims<N, M>>
  // CHECK: dhlo.gather_nd %{{.*}}, %{{.*}} batch = 0 : (tensor<?x8x2xf32, #dhlo.dims<N>>, tensor<0xi64>) -> tensor<?x8x2xf32, #dhlo.dims<N>>
  %2 = dhlo.gather_nd %x, %k batch = 0 : (tensor<?x8x2xf32, #dhlo.dims<N>>, tensor<0xi64>) -> tensor<?x8x2xf32, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @scatter_nd(
func.func @scatter_nd(%x: tensor<4x?xf32, #dhlo.dims<N>>, %i: tensor<?x1xi64, #dhlo.dims<M>>, %u: tensor<?x?xf32, #dhlo.dims<M, N>>, %j: tensor<5x2xi32>, %v: tensor<5xf32>) {
  // CHECK: dhlo.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} replace : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<M>>, tensor<?x?xf32, #dhlo.dims<M, N>>) -> tensor<4x?xf32, #dhlo.dims<N>>
  %0 = dhlo.scatter_nd %x, %i, %u replace : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<M>>, tensor<?x?xf32, #dhlo.dims<M, N>>) -> tensor<4x?xf32, #dhlo.dims<N>>
  // CHECK: dhlo.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} add : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<M>>, tensor<?x?xf32, #dhlo.dims<M, N>>) -> tensor<4x?xf32, #dhlo.dims<N>>
  %1 = dhlo.scatter_nd %x, %i, %u add : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<?x1xi64, #dhlo.dims<M>>, tensor<?x?xf32, #dhlo.dims<M, N>>) -> tensor<4x?xf32, #dhlo.dims<N>>
  // CHECK: dhlo.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} mul : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<5x2xi32>, tensor<5xf32>) -> tensor<4x?xf32, #dhlo.dims<N>>
  %2 = dhlo.scatter_nd %x, %j, %v mul : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<5x2xi32>, tensor<5xf32>) -> tensor<4x?xf32, #dhlo.dims<N>>
  // CHECK: dhlo.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} max : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<5x2xi32>, tensor<5xf32>) -> tensor<4x?xf32, #dhlo.dims<N>>
  %3 = dhlo.scatter_nd %x, %j, %v max : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<5x2xi32>, tensor<5xf32>) -> tensor<4x?xf32, #dhlo.dims<N>>
  // CHECK: dhlo.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} min : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<5x2xi32>, tensor<5xf32>) -> tensor<4x?xf32, #dhlo.dims<N>>
  %4 = dhlo.scatter_nd %x, %j, %v min : (tensor<4x?xf32, #dhlo.dims<N>>, tensor<5x2xi32>, tensor<5xf32>) -> tensor<4x?xf32, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @scatter_elements(
func.func @scatter_elements(%x: tensor<4x?xi8, #dhlo.dims<N>>, %i: tensor<4x?xi64, #dhlo.dims<M>>, %u: tensor<4x?xi8, #dhlo.dims<M>>, %j: tensor<2x?xi32, #dhlo.dims<N>>, %v: tensor<2x?xi8, #dhlo.dims<N>>) {
  // CHECK: dhlo.scatter_elements %{{.*}}, %{{.*}}, %{{.*}} add axis = 1 : (tensor<4x?xi8, #dhlo.dims<N>>, tensor<4x?xi64, #dhlo.dims<M>>, tensor<4x?xi8, #dhlo.dims<M>>) -> tensor<4x?xi8, #dhlo.dims<N>>
  %0 = dhlo.scatter_elements %x, %i, %u add axis = 1 : (tensor<4x?xi8, #dhlo.dims<N>>, tensor<4x?xi64, #dhlo.dims<M>>, tensor<4x?xi8, #dhlo.dims<M>>) -> tensor<4x?xi8, #dhlo.dims<N>>
  // CHECK: dhlo.scatter_elements %{{.*}}, %{{.*}}, %{{.*}} replace axis = 0 : (tensor<4x?xi8, #dhlo.dims<N>>, tensor<2x?xi32, #dhlo.dims<N>>, tensor<2x?xi8, #dhlo.dims<N>>) -> tensor<4x?xi8, #dhlo.dims<N>>
  %1 = dhlo.scatter_elements %x, %j, %v replace axis = 0 : (tensor<4x?xi8, #dhlo.dims<N>>, tensor<2x?xi32, #dhlo.dims<N>>, tensor<2x?xi8, #dhlo.dims<N>>) -> tensor<4x?xi8, #dhlo.dims<N>>
  // CHECK: dhlo.scatter_elements %{{.*}}, %{{.*}}, %{{.*}} mul axis = 0 : (tensor<4x?xi8, #dhlo.dims<N>>, tensor<2x?xi32, #dhlo.dims<N>>, tensor<2x?xi8, #dhlo.dims<N>>) -> tensor<4x?xi8, #dhlo.dims<N>>
  %2 = dhlo.scatter_elements %x, %j, %v mul axis = 0 : (tensor<4x?xi8, #dhlo.dims<N>>, tensor<2x?xi32, #dhlo.dims<N>>, tensor<2x?xi8, #dhlo.dims<N>>) -> tensor<4x?xi8, #dhlo.dims<N>>
  // CHECK: dhlo.scatter_elements %{{.*}}, %{{.*}}, %{{.*}} max axis = 0 : (tensor<4x?xi8, #dhlo.dims<N>>, tensor<2x?xi32, #dhlo.dims<N>>, tensor<2x?xi8, #dhlo.dims<N>>) -> tensor<4x?xi8, #dhlo.dims<N>>
  %3 = dhlo.scatter_elements %x, %j, %v max axis = 0 : (tensor<4x?xi8, #dhlo.dims<N>>, tensor<2x?xi32, #dhlo.dims<N>>, tensor<2x?xi8, #dhlo.dims<N>>) -> tensor<4x?xi8, #dhlo.dims<N>>
  // CHECK: dhlo.scatter_elements %{{.*}}, %{{.*}}, %{{.*}} min axis = 0 : (tensor<4x?xi8, #dhlo.dims<N>>, tensor<2x?xi32, #dhlo.dims<N>>, tensor<2x?xi8, #dhlo.dims<N>>) -> tensor<4x?xi8, #dhlo.dims<N>>
  %4 = dhlo.scatter_elements %x, %j, %v min axis = 0 : (tensor<4x?xi8, #dhlo.dims<N>>, tensor<2x?xi32, #dhlo.dims<N>>, tensor<2x?xi8, #dhlo.dims<N>>) -> tensor<4x?xi8, #dhlo.dims<N>>
  return
}

// CHECK-LABEL: func.func @nonzero(
func.func @nonzero(%x: tensor<4x?xf32, #dhlo.dims<N>>, %s: tensor<i1>) {
  // CHECK: dhlo.nonzero %{{.*}} binds @K : (tensor<4x?xf32, #dhlo.dims<N>>) -> tensor<?x2xi64, #dhlo.dims<K>>
  %0 = dhlo.nonzero %x binds @K : (tensor<4x?xf32, #dhlo.dims<N>>) -> tensor<?x2xi64, #dhlo.dims<K>>
  // CHECK: dhlo.nonzero %{{.*}} binds @P : (tensor<i1>) -> tensor<?x0xi64, #dhlo.dims<P>>
  %1 = dhlo.nonzero %s binds @P : (tensor<i1>) -> tensor<?x0xi64, #dhlo.dims<P>>
  return
}

// CHECK-LABEL: func.func @sort(
func.func @sort(%x: tensor<?x8xf32, #dhlo.dims<N>>, %b: tensor<4xi1>) {
  // CHECK: dhlo.sort %{{.*}} axis = 1 : tensor<?x8xf32, #dhlo.dims<N>>, tensor<?x8xi64, #dhlo.dims<N>>
  %0, %1 = dhlo.sort %x axis = 1 : tensor<?x8xf32, #dhlo.dims<N>>, tensor<?x8xi64, #dhlo.dims<N>>
  // CHECK: dhlo.sort %{{.*}} axis = 0 descending : tensor<4xi1>, tensor<4xi64>
  %2, %3 = dhlo.sort %b axis = 0 descending : tensor<4xi1>, tensor<4xi64>
  return
}

// CHECK-LABEL: func.func @top_k(
func.func @top_k(%x: tensor<?x8xf32, #dhlo.dims<N>>, %v: tensor<?xui16, #dhlo.dims<M>>) {
  // CHECK: dhlo.top_k %{{.*}} axis = 1 largest : (tensor<?x8xf32, #dhlo.dims<N>>) -> (tensor<?x2xf32, #dhlo.dims<N>>, tensor<?x2xi64, #dhlo.dims<N>>)
  %0, %1 = dhlo.top_k %x axis = 1 largest : (tensor<?x8xf32, #dhlo.dims<N>>) -> (tensor<?x2xf32, #dhlo.dims<N>>, tensor<?x2xi64, #dhlo.dims<N>>)
  // CHECK: dhlo.top_k %{{.*}} axis = 0 : (tensor<?xui16, #dhlo.dims<M>>) -> (tensor<?xui16, #dhlo.dims<K>>, tensor<?xi64, #dhlo.dims<K>>)
  %2, %3 = dhlo.top_k %v axis = 0 : (tensor<?xui16, #dhlo.dims<M>>) -> (tensor<?xui16, #dhlo.dims<K>>, tensor<?xi64, #dhlo.dims<K>>)
  return
}

// CHECK-LABEL: func.func @suppress(
func.func @suppress(%x: tensor<?x8x4xf32, #dhlo.dims<N>>, %c: tensor<?x8xi1, #dhlo.dims<N>>,
                    %y: tensor<?x4xf64, #dhlo.dims<M>>, %d: tensor<?xi1, #dhlo.dims<M>>,
                    %t: tensor<f32>, %u: tensor<f64>, %n: tensor<i64>) {
  // CHECK: dhlo.suppress %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x8x4xf32, #dhlo.dims<N>>, tensor<?x8xi1, #dhlo.dims<N>>, tensor<f32>, tensor<i64>) -> tensor<?x8xi1, #dhlo.dims<N>>
  %0 = dhlo.suppress %x, %c, %t, %n : (tensor<?x8x4xf32, #dhlo.dims<N>>, tensor<?x8xi1, #dhlo.dims<N>>, tensor<f32>, tensor<i64>) -> tensor<?x8xi1, #dhlo.dims<N>>
  // CHECK: dhlo.suppress %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x4xf64, #dhlo.dims<M>>, tensor<?xi1, #dhlo.dims<M>>, tensor<f64>, tensor<i64>) -> tensor<?xi1, #dhlo.dims<M>>
  %1 = dhlo.suppress %y, %d, %u, %n : (tensor<?x4xf64, #dhlo.dims<M>>, tensor<?xi1, #dhlo.dims<M>>, tensor<f64>, tensor<i64>) -> tensor<?xi1, #dhlo.dims<M>>
  return
}

// CHECK-LABEL: func.func @group(
func.func @group(%i: tensor<?x2xi64, #dhlo.dims<N>>, %j: tensor<3x1xi32>) {
  // CHECK: dhlo.group %{{.*}} : (tensor<?x2xi64, #dhlo.dims<N>>) -> (tensor<9xi64>, tensor<?xi64, #dhlo.dims<N2>>, tensor<?x2xi64, #dhlo.dims<N>>)
  %o, %r, %p = dhlo.group %i : (tensor<?x2xi64, #dhlo.dims<N>>) -> (tensor<9xi64>, tensor<?xi64, #dhlo.dims<N2>>, tensor<?x2xi64, #dhlo.dims<N>>)
  // CHECK: dhlo.group %{{.*}} capacity = <@N + 1> : (tensor<3x1xi32>) -> (tensor<1xi64>, tensor<3xi64>, tensor<3x1xi64>)
  %q, %s, %t = dhlo.group %j capacity = <@N + 1> : (tensor<3x1xi32>) -> (tensor<1xi64>, tensor<3xi64>, tensor<3x1xi64>)
  return
}
