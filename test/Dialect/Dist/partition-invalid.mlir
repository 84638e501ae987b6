// RUN: dyn-opt %s -split-input-file -verify-diagnostics --dist-partition

dist.mesh @one ["m" = 2]
// expected-error @+1 {{expected ranks of meshes to follow one another: from 2, found 0}}
dist.mesh @two ["m" = 2]

// -----

dist.mesh @mesh ["m" = 2]
dhlo.dim @N
// expected-error @+1 {{argument 0, axis 0: expected the size @N on an axis that is not divided, too}}
func.func @main(%x: tensor<?xf32, #dhlo.dims<N>> {dist.sharding = #dist.sharding<@mesh, [["m"]]>})
    attributes {dhlo.entry} {
  return
}

// -----

dist.mesh @mesh ["m" = 2]
// expected-error @+1 {{expected a function of one block, with tensors in its signature}}
func.func @main(%x: index) attributes {dhlo.entry} {
  return
}

// -----

dist.mesh @early ["m" = 1]
dist.mesh @late ["m" = 1] first = 1
// expected-error @+1 {{expected inputs and results without 'dist.sharding': all ranks have them in full if there are stages}}
func.func @main(%x: tensor<4xf32> {dist.sharding = #dist.sharding<@early, [["m"]]>}) attributes {dhlo.entry} {
  return
}

// -----

dist.mesh @early ["m" = 1]
dist.mesh @late ["m" = 1] first = 1
// expected-error @+1 {{expected inputs and results without 'dist.sharding'}}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {dist.sharding = #dist.sharding<@late, [["m"]]>})
    attributes {dhlo.entry} {
  return %x : tensor<4xf32>
}

// -----

dist.mesh @early ["m" = 1]
dist.mesh @late ["m" = 1] first = 1
dhlo.dim @K in [0, 100]
func.func @main(%k: tensor<i64>, %x: tensor<f32>) -> tensor<f32> attributes {dhlo.entry} {
  %0 = dist.reshard %k : tensor<i64> to <@early, []>
  dhlo.bind @K = %0 : tensor<i64>
  %1 = dist.reshard %x : tensor<f32> to <@late, []>
  // expected-error @+1 {{expected sizes of inputs between stages: @K is known to the ranks of @early alone}}
  %2 = dhlo.broadcast %1 axes = [] : (tensor<f32>) -> tensor<?xf32, #dhlo.dims<K>>
  return %x : tensor<f32>
}

// -----

dist.mesh @early ["m" = 1]
dist.mesh @late ["m" = 1] first = 1
dhlo.dim @N in [0, ?]
func.func @main(%x: tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x8xf32, #dhlo.dims<N>> attributes {dhlo.entry} {
  %0 = dist.reshard %x : tensor<?x8xf32, #dhlo.dims<N>> to <@early, [[], []]>
  %1 = cell.route(%0) : (tensor<?x8xf32, #dhlo.dims<N>>) -> !cell.routes<@N, 4, @N> {
  ^bb0(%cells: tensor<?x8xf32, #dhlo.dims<N>>):
    %2 = dhlo.slice %cells starts = [0, 0] strides = [1, 1] : (tensor<?x8xf32, #dhlo.dims<N>>) -> tensor<?x1xf32, #dhlo.dims<N>>
    %3 = dhlo.convert %2 : (tensor<?x1xf32, #dhlo.dims<N>>) -> tensor<?x1xi64, #dhlo.dims<N>>
    cell.choose %3 : tensor<?x1xi64, #dhlo.dims<N>>
  }
  %4 = cell.dispatch %0, %1 : (tensor<?x8xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x8xf32, #dhlo.dims<N>>
  %5 = dist.reshard %4 : tensor<?x8xf32, #dhlo.dims<N>> to <@late, [[], []]>
  // expected-error @+1 {{expected tensors between stages: '!cell.routes<@N, 4, @N>' is known to the ranks of @early alone}}
  %6 = cell.combine %5, %1 last : (tensor<?x8xf32, #dhlo.dims<N>>, !cell.routes<@N, 4, @N>) -> tensor<?x8xf32, #dhlo.dims<N>>
  return %6 : tensor<?x8xf32, #dhlo.dims<N>>
}

// -----

dist.mesh @early ["m" = 1]
dist.mesh @late ["m" = 1] first = 1
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) -> tensor<4x4xf32> attributes {dhlo.entry} {
  %0 = dist.reshard %x : tensor<4x8xf32> to <@late, [[], []]>
  // expected-error @+1 {{expected sums that ranks of @late divide, as these compute them, found @early}}
  %1 = dhlo.dot_general %0, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      {dist.sums = #dist.sums<@early, pair = 0, axes = ["m"], segments = 2>}
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}
