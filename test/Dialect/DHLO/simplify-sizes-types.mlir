// RUN: dyn-opt %s -split-input-file -dhlo-simplify-sizes | FileCheck %s

// Small tensors of sizes by type: what from_dims has is replaced, and what it has not is computed.

dhlo.dim @S in [1, 512]
// CHECK-LABEL: func.func @sizes
// CHECK-DAG: %[[I32:.*]] = dhlo.from_dims [@S] : tensor<i32>
// CHECK-DAG: %[[F32:.*]] = dhlo.from_dims [@S] : tensor<f32>
// CHECK-DAG: %[[F64:.*]] = dhlo.convert %{{.*}} -> tensor<f64>
// CHECK-DAG: %[[I16:.*]] = dhlo.convert %{{.*}} -> tensor<i16>
// CHECK: return %[[I32]], %[[F32]], %[[F64]], %[[I16]]
func.func @sizes(%x: tensor<?xf32, #dhlo.dims<S>>) -> (tensor<i32>, tensor<f32>, tensor<f64>, tensor<i16>) {
  %s = dhlo.from_dims [@S] : tensor<i64>
  %0 = dhlo.convert %s : (tensor<i64>) -> tensor<i32>
  %1 = dhlo.convert %s : (tensor<i64>) -> tensor<f32>
  %2 = dhlo.convert %s : (tensor<i64>) -> tensor<f64>
  %3 = dhlo.convert %s : (tensor<i64>) -> tensor<i16>
  return %0, %1, %2, %3 : tensor<i32>, tensor<f32>, tensor<f64>, tensor<i16>
}

// -----

// A number has any type: here a size that is a constant, by way of the sizes.
dhlo.dim @S in [1, 512]
// CHECK-LABEL: func.func @numbers
// CHECK-DAG: %[[F64:.*]] = dhlo.constant dense<4.000000e+00> : tensor<f64>
// CHECK-DAG: %[[UI8:.*]] = dhlo.constant dense<4> : tensor<ui8>
// CHECK-DAG: %[[V:.*]] = dhlo.constant dense<{{\[}}{{\[}}4], [5]]> : tensor<2x1xi32>
// CHECK: return %[[F64]], %[[UI8]], %[[V]]
func.func @numbers(%x: tensor<?x4xf32, #dhlo.dims<S>>) -> (tensor<f64>, tensor<ui8>, tensor<2x1xi32>) {
  %shape = dhlo.from_dims [@S, 4] : tensor<2xi64>
  %one = dhlo.constant dense<1> : tensor<i64>
  %four = dhlo.gather %shape, %one axis = 0 batch = 0 : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %0 = dhlo.convert %four : (tensor<i64>) -> tensor<f64>
  %1 = dhlo.convert %four : (tensor<i64>) -> tensor<ui8>
  %five = dhlo.add %four, %one : tensor<i64>
  %a = dhlo.reshape %four : (tensor<i64>) -> tensor<1xi64>
  %b = dhlo.reshape %five : (tensor<i64>) -> tensor<1xi64>
  %c = dhlo.concat %a, %b axis = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %d = dhlo.reshape %c : (tensor<2xi64>) -> tensor<2x1xi64>
  %2 = dhlo.convert %d : (tensor<2x1xi64>) -> tensor<2x1xi32>
  return %0, %1, %2 : tensor<f64>, tensor<ui8>, tensor<2x1xi32>
}

// -----

// A constant size is a number in types, in attributes of branches, and in the function's own type.
dhlo.dim @C = 2 + 4
dhlo.dim @D = 1000 * @C
// CHECK-NOT: dhlo.dim
// CHECK-LABEL: func.func @constant_sizes
// CHECK-SAME: tensor<6xf32>, %{{.*}}: tensor<i1>) -> tensor<6000xi64>
// CHECK: dhlo.if
// CHECK: dhlo.iota axis = 0 start = [6] step = [6000] : tensor<6000xi64>
func.func @constant_sizes(%x: tensor<?xf32, #dhlo.dims<C>>, %p: tensor<i1>) -> tensor<?xi64, #dhlo.dims<D>> {
  %0 = dhlo.if %p -> (tensor<?xi64, #dhlo.dims<D>>) {
    %1 = dhlo.iota axis = 0 start = [@C] step = [@D] : tensor<?xi64, #dhlo.dims<D>>
    dhlo.yield %1 : tensor<?xi64, #dhlo.dims<D>>
  } else {
    %1 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<D>>
    dhlo.yield %1 : tensor<?xi64, #dhlo.dims<D>>
  }
  return %0 : tensor<?xi64, #dhlo.dims<D>>
}

// -----

// Sizes without a definition are inputs: they are kept, equal or not, read or not.
// CHECK: dhlo.dim @A
dhlo.dim @A
// CHECK: dhlo.dim @B
dhlo.dim @B
// CHECK: dhlo.dim @Unread in [3, 3]
dhlo.dim @Unread in [3, 3]
// CHECK-LABEL: func.func @inputs
// CHECK-SAME: #dhlo.dims<A, B>
func.func @inputs(%x: tensor<?x?xf32, #dhlo.dims<A, B>>) {
  return
}

// -----

// Of a size and another name for it the input keeps its name, whichever is declared first.
dhlo.dim @Alias = @Size
// CHECK: dhlo.dim @Size
// CHECK-NOT: @Alias
dhlo.dim @Size
func.func @alias(%x: tensor<?xf32, #dhlo.dims<Size>>) -> tensor<?xf32, #dhlo.dims<Alias>> {
  // CHECK: dhlo.exp %{{.*}} : tensor<?xf32, #dhlo.dims<Size>>
  %0 = dhlo.exp %x : tensor<?xf32, #dhlo.dims<Size>>
  %1 = dhlo.reshape %0 : (tensor<?xf32, #dhlo.dims<Size>>) -> tensor<?xf32, #dhlo.dims<Alias>>
  return %1 : tensor<?xf32, #dhlo.dims<Alias>>
}
