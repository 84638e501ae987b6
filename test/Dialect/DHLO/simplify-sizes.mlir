// RUN: dyn-opt %s -split-input-file -dhlo-simplify-sizes | FileCheck %s

// An exporter's way to write "multiply the second size by two and slice".

// CHECK: dhlo.dim @B in [1, 64]
dhlo.dim @B in [1, 64]
// CHECK: dhlo.dim @S in [1, 512]
dhlo.dim @S in [1, 512]
// CHECK: dhlo.dim @K = 2 * @S in [0, ?]
dhlo.dim @K in [0, ?]
// CHECK-LABEL: func.func @bound
func.func @bound(%x: tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?xi64, #dhlo.dims<K>> {
  // CHECK-NEXT: %[[I:.*]] = dhlo.iota
  // CHECK-NEXT: return %[[I]]
  %one = dhlo.constant dense<1> : tensor<i64>
  %two = dhlo.constant dense<2> : tensor<i64>
  %shape = dhlo.from_dims [@B, @S] : tensor<2xi64>
  %s = dhlo.gather %shape, %one axis = 0 batch = 0 : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %k = dhlo.mul %s, %two : tensor<i64>
  dhlo.bind @K = %k : tensor<i64>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<K>>
  return %i : tensor<?xi64, #dhlo.dims<K>>
}

// -----

// A value that may break the declared facts stays checked at run time.

dhlo.dim @S in [0, 512]
// CHECK: dhlo.dim @K in [0, ?]
dhlo.dim @K in [0, ?]
// CHECK-LABEL: func.func @checked
func.func @checked(%x: tensor<?xf32, #dhlo.dims<S>>) -> tensor<?xi64, #dhlo.dims<K>> {
  // CHECK: %[[V:.*]] = dhlo.from_dims [@S - 1] : tensor<i64>
  // CHECK: dhlo.bind @K = %[[V]]
  %one = dhlo.constant dense<1> : tensor<i64>
  %s = dhlo.from_dims [@S] : tensor<i64>
  %k = dhlo.sub %s, %one : tensor<i64>
  dhlo.bind @K = %k : tensor<i64>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<K>>
  return %i : tensor<?xi64, #dhlo.dims<K>>
}

// -----

// Equal symbols get one name, in types and in attributes; constants vanish.

dhlo.dim @S in [1, 512]
// CHECK: dhlo.dim @T = @S + 1
dhlo.dim @T = @S + 1
// CHECK-NOT: dhlo.dim
dhlo.dim @U = 1 + @S
dhlo.dim @V = @S - 0
dhlo.dim @C = 2 * 3
// CHECK-LABEL: func.func @merged
// CHECK-SAME: tensor<?xf32, #dhlo.dims<S>>
// CHECK-SAME: tensor<?x6xf32, #dhlo.dims<T>>
func.func @merged(%x: tensor<?xf32, #dhlo.dims<V>>, %u: tensor<?x?xf32, #dhlo.dims<U, C>>) -> tensor<1x?xf32, #dhlo.dims<C>> {
  // CHECK: dhlo.slice %{{.*}} starts = [@T - 1, 0]
  %0 = dhlo.slice %u starts = [@U - 1, 0] strides = [1, 1]
      : (tensor<?x?xf32, #dhlo.dims<U, C>>) -> tensor<1x?xf32, #dhlo.dims<C>>
  return %0 : tensor<1x?xf32, #dhlo.dims<C>>
}

// -----

// What the model uses as data stays data.

dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @data
func.func @data(%x: tensor<?x?x8xf32, #dhlo.dims<B, S>>) -> (tensor<3xi64>, tensor<i64>, tensor<2xi64>, tensor<1x2xi64>) {
  // CHECK-DAG: %[[SHAPE:.*]] = dhlo.from_dims [@B, @S, 8] : tensor<3xi64>
  // CHECK-DAG: %[[ALL:.*]] = dhlo.from_dims [8 * @B * @S] : tensor<i64>
  // CHECK-DAG: %[[TAIL:.*]] = dhlo.from_dims [@S floordiv 2, 8] : tensor<2xi64>
  // CHECK-DAG: %[[FLAT:.*]] = dhlo.from_dims [@B, @S + 1] : tensor<2xi64>
  // CHECK-DAG: %[[WIDE:.*]] = dhlo.reshape %[[FLAT]] : (tensor<2xi64>) -> tensor<1x2xi64>
  // CHECK: return %[[SHAPE]], %[[ALL]], %[[TAIL]], %[[WIDE]]
  %shape = dhlo.from_dims [@B, @S, 8] : tensor<3xi64>
  %all = dhlo.reduce prod %shape axes = [0] : (tensor<3xi64>) -> tensor<i64>
  %slice = dhlo.slice %shape starts = [1] strides = [1] : (tensor<3xi64>) -> tensor<2xi64>
  %by = dhlo.constant dense<[2, 1]> : tensor<2xi64>
  %tail = dhlo.div %slice, %by : tensor<2xi64>
  %head = dhlo.slice %shape starts = [0] strides = [1] : (tensor<3xi64>) -> tensor<2xi64>
  %plus = dhlo.constant dense<[0, 1]> : tensor<2xi64>
  %sum = dhlo.add %head, %plus : tensor<2xi64>
  %wide = dhlo.reshape %sum : (tensor<2xi64>) -> tensor<1x2xi64>
  return %shape, %all, %tail, %wide : tensor<3xi64>, tensor<i64>, tensor<2xi64>, tensor<1x2xi64>
}

// -----

// PyTorch's expand writes where(shape == -1, ones, shape).

dhlo.dim @B
// CHECK-LABEL: func.func @expand
func.func @expand(%x: tensor<?xf32, #dhlo.dims<B>>) -> tensor<2xi64> {
  // CHECK-NEXT: %[[R:.*]] = dhlo.from_dims [@B, 4] : tensor<2xi64>
  // CHECK-NEXT: return %[[R]]
  %four = dhlo.constant dense<4> : tensor<1xi64>
  %b = dhlo.from_dims [@B] : tensor<1xi64>
  %shape = dhlo.concat %b, %four axis = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %minus = dhlo.constant dense<-1> : tensor<i64>
  %minuses = dhlo.broadcast %minus axes = [] : (tensor<i64>) -> tensor<2xi64>
  %ones = dhlo.constant dense<1> : tensor<2xi64>
  %p = dhlo.compare eq %shape, %minuses : tensor<2xi64> -> tensor<2xi1>
  %r = dhlo.select %p, %ones, %shape : tensor<2xi1>, tensor<2xi64>
  return %r : tensor<2xi64>
}

// -----

// Choices that facts do not decide are minima, maxima and, as exporters write
// what a size is broadcast to, one of two by a flag. M may be neither 1 nor N.

dhlo.dim @M
dhlo.dim @N
// CHECK-LABEL: func.func @choices
func.func @choices(%x: tensor<?x?xf32, #dhlo.dims<M, N>>) -> (tensor<i64>, tensor<i64>, tensor<i64>) {
  // CHECK-DAG: %[[MINIMUM:.*]] = dhlo.from_dims [min(@M, @N)]
  // CHECK-DAG: %[[MAXIMUM:.*]] = dhlo.from_dims [max(@M, @N)]
  // CHECK-DAG: %[[BOTH:.*]] = dhlo.from_dims [@M * min(1, max(0, @M - 1, -1 * @M + 1)) + @N - @N * min(1, max(0, @M - 1, -1 * @M + 1))]
  // CHECK: return %[[MINIMUM]], %[[MAXIMUM]], %[[BOTH]]
  %one = dhlo.constant dense<1> : tensor<i64>
  %m = dhlo.from_dims [@M] : tensor<i64>
  %n = dhlo.from_dims [@N] : tensor<i64>
  %lt = dhlo.compare lt %m, %n : tensor<i64> -> tensor<i1>
  %minimum = dhlo.select %lt, %m, %n : tensor<i1>, tensor<i64>
  %maximum = dhlo.select %lt, %n, %m : tensor<i1>, tensor<i64>
  %is = dhlo.compare eq %m, %one : tensor<i64> -> tensor<i1>
  %both = dhlo.select %is, %n, %m : tensor<i1>, tensor<i64>
  return %minimum, %maximum, %both : tensor<i64>, tensor<i64>, tensor<i64>
}

// -----

// Scales: sizes times dyadic fractions, rounded.

dhlo.dim @H in [1, 4096]
// CHECK-LABEL: func.func @scales
func.func @scales(%x: tensor<?xf32, #dhlo.dims<H>>) -> (tensor<i64>, tensor<i64>) {
  // CHECK-DAG: %[[HALF:.*]] = dhlo.from_dims [@H floordiv 2]
  // CHECK-DAG: %[[TWICE:.*]] = dhlo.from_dims [2 * @H]
  // CHECK: return %[[HALF]], %[[TWICE]]
  %h = dhlo.from_dims [@H] : tensor<i64>
  %f = dhlo.convert %h : (tensor<i64>) -> tensor<f32>
  %half = dhlo.constant dense<0.5> : tensor<f32>
  %0 = dhlo.mul %f, %half : tensor<f32>
  %1 = dhlo.floor %0 : tensor<f32>
  %2 = dhlo.convert %1 : (tensor<f32>) -> tensor<i64>
  %3 = dhlo.div %f, %half : tensor<f32>
  %4 = dhlo.convert %3 : (tensor<f32>) -> tensor<i64>
  return %2, %4 : tensor<i64>, tensor<i64>
}

// -----

// Data is not a size.

// CHECK-LABEL: func.func @unknown
func.func @unknown(%x: tensor<2xi64>) -> tensor<i64> {
  // CHECK: %[[R:.*]] = dhlo.reduce sum
  // CHECK: return %[[R]]
  %r = dhlo.reduce sum %x axes = [0] : (tensor<2xi64>) -> tensor<i64>
  return %r : tensor<i64>
}

// -----

// No number counts these elements, so they are not few.
// CHECK-LABEL: @uncounted
func.func @uncounted(%x: tensor<4x9223372036854743041xi32>) -> tensor<9223372036854743041x4xi32> {
  // CHECK: dhlo.transpose
  %0 = dhlo.transpose %x permutation = [1, 0] : (tensor<4x9223372036854743041xi32>) -> tensor<9223372036854743041x4xi32>
  // CHECK: dhlo.add
  %1 = dhlo.add %0, %0 : tensor<9223372036854743041x4xi32>
  return %1 : tensor<9223372036854743041x4xi32>
}
