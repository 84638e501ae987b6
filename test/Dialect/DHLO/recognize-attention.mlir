// RUN: dyn-opt %s -dhlo-recognize-attention -cse -split-input-file | FileCheck %s

// As PyTorch exports scaled_dot_product_attention: scales on both sides, a mask
// of booleans turned into 0 and -inf, and a guard against rows without keys.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @torch
// CHECK-SAME: %[[Q:[^:]*]]: tensor<?x?x4x16xf32{{[^,]*}}, {{[^%]*}}%[[K:[^:]*]]: {{[^%]*}}%[[V:[^:]*]]: {{[^%]*}}%[[M:[^:]*]]: tensor<?x1x1x?xi1
// CHECK-DAG: %[[QT:.*]] = dhlo.transpose %[[Q]] permutation = [0, 2, 1, 3]
// CHECK-DAG: %[[KT:.*]] = dhlo.transpose %[[K]] permutation = [0, 2, 1, 3]
// CHECK-DAG: %[[VT:.*]] = dhlo.transpose %[[V]] permutation = [0, 2, 1, 3]
// CHECK: dhlo.attention %[[QT]], %[[KT]], %[[VT]] mask %[[M]] scale = 2.500000e-01
func.func @torch(%q: tensor<?x?x4x16xf32, #dhlo.dims<B, S>>, %k: tensor<?x?x4x16xf32, #dhlo.dims<B, S>>,
                 %v: tensor<?x?x4x16xf32, #dhlo.dims<B, S>>, %mask: tensor<?x1x1x?xi1, #dhlo.dims<B, S>>)
    -> tensor<?x4x?x16xf32, #dhlo.dims<B, S>> {
  %half = dhlo.constant dense<5.000000e-01> : tensor<f32>
  %zero = dhlo.constant dense<0.000000e+00> : tensor<f32>
  %inf = dhlo.constant dense<0xFF800000> : tensor<f32>
  %all = dhlo.constant dense<0> : tensor<i64>
  %q1 = dhlo.transpose %q permutation = [0, 2, 1, 3] : (tensor<?x?x4x16xf32, #dhlo.dims<B, S>>) -> tensor<?x4x?x16xf32, #dhlo.dims<B, S>>
  %k1 = dhlo.transpose %k permutation = [0, 2, 3, 1] : (tensor<?x?x4x16xf32, #dhlo.dims<B, S>>) -> tensor<?x4x16x?xf32, #dhlo.dims<B, S>>
  %v1 = dhlo.transpose %v permutation = [0, 2, 1, 3] : (tensor<?x?x4x16xf32, #dhlo.dims<B, S>>) -> tensor<?x4x?x16xf32, #dhlo.dims<B, S>>
  %hq = dhlo.broadcast %half axes = [] : (tensor<f32>) -> tensor<?x4x?x16xf32, #dhlo.dims<B, S>>
  %hk = dhlo.broadcast %half axes = [] : (tensor<f32>) -> tensor<?x4x16x?xf32, #dhlo.dims<B, S>>
  %q2 = dhlo.mul %q1, %hq : tensor<?x4x?x16xf32, #dhlo.dims<B, S>>
  %k2 = dhlo.mul %hk, %k1 : tensor<?x4x16x?xf32, #dhlo.dims<B, S>>
  // Positions are never negative: no mask.
  %i = dhlo.iota axis = 2 start = [0] step = [1] : tensor<1x1x?x1xi64, #dhlo.dims<S>>
  %zeros = dhlo.broadcast %all axes = [] : (tensor<i64>) -> tensor<1x1x?x1xi64, #dhlo.dims<S>>
  %always = dhlo.compare ge %i, %zeros : tensor<1x1x?x1xi64, #dhlo.dims<S>> -> tensor<1x1x?x1xi1, #dhlo.dims<S>>
  %m0 = dhlo.broadcast %always axes = [0, 1, 2, 3] : (tensor<1x1x?x1xi1, #dhlo.dims<S>>) -> tensor<?x1x?x?xi1, #dhlo.dims<B, S, S>>
  %m1 = dhlo.broadcast %mask axes = [0, 1, 2, 3] : (tensor<?x1x1x?xi1, #dhlo.dims<B, S>>) -> tensor<?x1x?x?xi1, #dhlo.dims<B, S, S>>
  %m2 = dhlo.and %m0, %m1 : tensor<?x1x?x?xi1, #dhlo.dims<B, S, S>>
  %z1 = dhlo.broadcast %zero axes = [] : (tensor<f32>) -> tensor<?x1x?x?xf32, #dhlo.dims<B, S, S>>
  %n1 = dhlo.broadcast %inf axes = [] : (tensor<f32>) -> tensor<?x1x?x?xf32, #dhlo.dims<B, S, S>>
  %m3 = dhlo.select %m2, %z1, %n1 : tensor<?x1x?x?xi1, #dhlo.dims<B, S, S>>, tensor<?x1x?x?xf32, #dhlo.dims<B, S, S>>
  %m4 = dhlo.broadcast %m3 axes = [0, 1, 2, 3] : (tensor<?x1x?x?xf32, #dhlo.dims<B, S, S>>) -> tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>
  %s = dhlo.dot_general %q2, %k2 batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x4x?x16xf32, #dhlo.dims<B, S>>, tensor<?x4x16x?xf32, #dhlo.dims<B, S>>) -> tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>
  %x = dhlo.add %s, %m4 : tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>
  %p = dhlo.softmax %x axis = 3 : tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>
  %nan = dhlo.is_nan %p : (tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>) -> tensor<?x4x?x?xi1, #dhlo.dims<B, S, S>>
  %z2 = dhlo.broadcast %zero axes = [] : (tensor<f32>) -> tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>
  %p1 = dhlo.select %nan, %z2, %p : tensor<?x4x?x?xi1, #dhlo.dims<B, S, S>>, tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>
  %y = dhlo.dot_general %p1, %v1 batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>, tensor<?x4x?x16xf32, #dhlo.dims<B, S>>) -> tensor<?x4x?x16xf32, #dhlo.dims<B, S>>
  return %y : tensor<?x4x?x16xf32, #dhlo.dims<B, S>>
}

// -----

// A causal mask by positions, -inf instead of scores: with at least as many
// keys as queries no row loses all its keys, so no guard is needed.
dhlo.dim @B
dhlo.dim @S
dhlo.dim @P
dhlo.dim @T = @P + @S
// CHECK-LABEL: func.func @causal
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} scale = 1.250000e-01 causal
func.func @causal(%q: tensor<?x2x?x8xf32, #dhlo.dims<B, S>>, %k: tensor<?x2x8x?xf32, #dhlo.dims<B, T>>,
                  %v: tensor<?x2x?x8xf32, #dhlo.dims<B, T>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, S>> {
  %eight = dhlo.constant dense<8.000000e+00> : tensor<f32>
  %inf = dhlo.constant dense<0xFF800000> : tensor<f32>
  %past = dhlo.from_dims [@P] : tensor<i64>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<S>>
  %o = dhlo.broadcast %past axes = [] : (tensor<i64>) -> tensor<?xi64, #dhlo.dims<S>>
  %i1 = dhlo.add %i, %o : tensor<?xi64, #dhlo.dims<S>>
  %j = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<T>>
  %i2 = dhlo.broadcast %i1 axes = [2] : (tensor<?xi64, #dhlo.dims<S>>) -> tensor<?x2x?x?xi64, #dhlo.dims<B, S, T>>
  %j2 = dhlo.broadcast %j axes = [3] : (tensor<?xi64, #dhlo.dims<T>>) -> tensor<?x2x?x?xi64, #dhlo.dims<B, S, T>>
  %m = dhlo.compare le %j2, %i2 : tensor<?x2x?x?xi64, #dhlo.dims<B, S, T>> -> tensor<?x2x?x?xi1, #dhlo.dims<B, S, T>>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>, tensor<?x2x8x?xf32, #dhlo.dims<B, T>>) -> tensor<?x2x?x?xf32, #dhlo.dims<B, S, T>>
  %d = dhlo.broadcast %eight axes = [] : (tensor<f32>) -> tensor<?x2x?x?xf32, #dhlo.dims<B, S, T>>
  %s1 = dhlo.div %s, %d : tensor<?x2x?x?xf32, #dhlo.dims<B, S, T>>
  %n = dhlo.broadcast %inf axes = [] : (tensor<f32>) -> tensor<?x2x?x?xf32, #dhlo.dims<B, S, T>>
  %x = dhlo.select %m, %s1, %n : tensor<?x2x?x?xi1, #dhlo.dims<B, S, T>>, tensor<?x2x?x?xf32, #dhlo.dims<B, S, T>>
  %p = dhlo.softmax %x axis = 3 : tensor<?x2x?x?xf32, #dhlo.dims<B, S, T>>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x2x?x?xf32, #dhlo.dims<B, S, T>>, tensor<?x2x?x8xf32, #dhlo.dims<B, T>>) -> tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
  return %y : tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
}

// -----

// The same with one key more to see: no causal flag, and a row of booleans
// that may be empty for all that is known, and then is NaN.
dhlo.dim @S
// CHECK-LABEL: func.func @off_by_one
// CHECK: %[[MASK:.*]] = dhlo.compare le
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %[[MASK]] scale = 1.000000e+00 nan_if_empty :
func.func @off_by_one(%q: tensor<1x2x?x8xf32, #dhlo.dims<S>>, %k: tensor<1x2x8x?xf32, #dhlo.dims<S>>,
                      %v: tensor<1x2x?x8xf32, #dhlo.dims<S>>) -> tensor<1x2x?x8xf32, #dhlo.dims<S>> {
  %inf = dhlo.constant dense<0xFF800000> : tensor<f32>
  %i = dhlo.iota axis = 2 start = [1] step = [1] : tensor<1x2x?x?xi64, #dhlo.dims<S, S>>
  %j = dhlo.iota axis = 3 start = [0] step = [1] : tensor<1x2x?x?xi64, #dhlo.dims<S, S>>
  %m = dhlo.compare le %j, %i : tensor<1x2x?x?xi64, #dhlo.dims<S, S>> -> tensor<1x2x?x?xi1, #dhlo.dims<S, S>>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x?x8xf32, #dhlo.dims<S>>, tensor<1x2x8x?xf32, #dhlo.dims<S>>) -> tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %n = dhlo.broadcast %inf axes = [] : (tensor<f32>) -> tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %x = dhlo.select %m, %s, %n : tensor<1x2x?x?xi1, #dhlo.dims<S, S>>, tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x?x?xf32, #dhlo.dims<S, S>>, tensor<1x2x?x8xf32, #dhlo.dims<S>>) -> tensor<1x2x?x8xf32, #dhlo.dims<S>>
  return %y : tensor<1x2x?x8xf32, #dhlo.dims<S>>
}

// -----

// The same with rows that are counted from the last one and reversed.
dhlo.dim @S
// CHECK-LABEL: func.func @reversed
// CHECK: dhlo.attention %{{.*}} causal
func.func @reversed(%q: tensor<1x2x?x8xf32, #dhlo.dims<S>>, %k: tensor<1x2x8x?xf32, #dhlo.dims<S>>,
                    %v: tensor<1x2x?x8xf32, #dhlo.dims<S>>) -> tensor<1x2x?x8xf32, #dhlo.dims<S>> {
  %inf = dhlo.constant dense<0xFF800000> : tensor<f32>
  %last = dhlo.iota axis = 2 start = [@S - 1] step = [-1] : tensor<1x2x?x?xi64, #dhlo.dims<S, S>>
  %i = dhlo.reverse %last axes = [2] : tensor<1x2x?x?xi64, #dhlo.dims<S, S>>
  %j = dhlo.iota axis = 3 start = [0] step = [1] : tensor<1x2x?x?xi64, #dhlo.dims<S, S>>
  %m = dhlo.compare le %j, %i : tensor<1x2x?x?xi64, #dhlo.dims<S, S>> -> tensor<1x2x?x?xi1, #dhlo.dims<S, S>>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x?x8xf32, #dhlo.dims<S>>, tensor<1x2x8x?xf32, #dhlo.dims<S>>) -> tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %n = dhlo.broadcast %inf axes = [] : (tensor<f32>) -> tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %x = dhlo.select %m, %s, %n : tensor<1x2x?x?xi1, #dhlo.dims<S, S>>, tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x?x?xf32, #dhlo.dims<S, S>>, tensor<1x2x?x8xf32, #dhlo.dims<S>>) -> tensor<1x2x?x8xf32, #dhlo.dims<S>>
  return %y : tensor<1x2x?x8xf32, #dhlo.dims<S>>
}

// -----

// Heads are merged with the batch for the matmuls, apart where a finite mask
// is added; two heads share one of keys and values.
dhlo.dim @B
dhlo.dim @S
dhlo.dim @N = 4 * @B
// CHECK-LABEL: func.func @groups
// CHECK-SAME: %[[Q:[^:]*]]: tensor<?x4x?x8xf32{{[^%]*}}%[[K:[^:]*]]: {{[^%]*}}%[[V:[^:]*]]: {{[^%]*}}%[[M:[^:]*]]: tensor<?x?xi64
// CHECK-NOT: dhlo.broadcast %[[K]]
// CHECK: %[[F:.*]] = dhlo.convert %[[M]]
// CHECK: %[[MASK:.*]] = dhlo.reshape %{{.*}} : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xf32
// CHECK: dhlo.attention %[[Q]], %[[K]], %[[V]] mask %[[MASK]] scale = 5.000000e-01
// CHECK-SAME: tensor<?x2x?x8xf32, #dhlo.dims<B, S>>, tensor<?x2x?x8xf32, #dhlo.dims<B, S>>
func.func @groups(%q: tensor<?x4x?x8xf32, #dhlo.dims<B, S>>, %k: tensor<?x2x?x8xf32, #dhlo.dims<B, S>>,
                  %v: tensor<?x2x?x8xf32, #dhlo.dims<B, S>>, %mask: tensor<?x?xi64, #dhlo.dims<B, S>>)
    -> tensor<?x?x8xf32, #dhlo.dims<N, S>> {
  %half = dhlo.constant dense<5.000000e-01> : tensor<f32>
  %one = dhlo.constant dense<1.000000e+00> : tensor<f32>
  %low = dhlo.constant dense<-1.000000e+04> : tensor<f32>
  %f = dhlo.convert %mask : (tensor<?x?xi64, #dhlo.dims<B, S>>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %o = dhlo.broadcast %one axes = [] : (tensor<f32>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %l = dhlo.broadcast %low axes = [] : (tensor<f32>) -> tensor<?x?xf32, #dhlo.dims<B, S>>
  %f1 = dhlo.sub %o, %f : tensor<?x?xf32, #dhlo.dims<B, S>>
  %f2 = dhlo.mul %f1, %l : tensor<?x?xf32, #dhlo.dims<B, S>>
  %f3 = dhlo.reshape %f2 : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x1x1x?xf32, #dhlo.dims<B, S>>
  %f4 = dhlo.broadcast %f3 axes = [0, 1, 2, 3] : (tensor<?x1x1x?xf32, #dhlo.dims<B, S>>) -> tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>
  %k1 = dhlo.broadcast %k axes = [0, 1, 3, 4] : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x2x?x8xf32, #dhlo.dims<B, S>>
  %k2 = dhlo.reshape %k1 : (tensor<?x2x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<N, S>>
  %v1 = dhlo.broadcast %v axes = [0, 1, 3, 4] : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x2x?x8xf32, #dhlo.dims<B, S>>
  %v2 = dhlo.reshape %v1 : (tensor<?x2x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<N, S>>
  %q2 = dhlo.reshape %q : (tensor<?x4x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x?x8xf32, #dhlo.dims<N, S>>
  %s = dhlo.dot_general %q2, %k2 batch = 1 lhs_contract = [2] rhs_contract = [2] : (tensor<?x?x8xf32, #dhlo.dims<N, S>>, tensor<?x?x8xf32, #dhlo.dims<N, S>>) -> tensor<?x?x?xf32, #dhlo.dims<N, S, S>>
  %s1 = dhlo.reshape %s : (tensor<?x?x?xf32, #dhlo.dims<N, S, S>>) -> tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>
  %h = dhlo.broadcast %half axes = [] : (tensor<f32>) -> tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>
  %s2 = dhlo.mul %s1, %h : tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>
  %x = dhlo.add %f4, %s2 : tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>
  %p = dhlo.softmax %x axis = 3 : tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>
  %p1 = dhlo.reshape %p : (tensor<?x4x?x?xf32, #dhlo.dims<B, S, S>>) -> tensor<?x?x?xf32, #dhlo.dims<N, S, S>>
  %y = dhlo.dot_general %p1, %v2 batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<?x?x?xf32, #dhlo.dims<N, S, S>>, tensor<?x?x8xf32, #dhlo.dims<N, S>>) -> tensor<?x?x8xf32, #dhlo.dims<N, S>>
  return %y : tensor<?x?x8xf32, #dhlo.dims<N, S>>
}

// -----

// A number instead of scores that is finite but small: it is not lost
// beside other scores.
// CHECK-LABEL: func.func @number_too_small
// CHECK-NOT: dhlo.attention
func.func @number_too_small(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xi1>) -> tensor<1x2x4x8xf32> {
  %n = dhlo.constant dense<-1.000000e+04> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.select %m, %s, %n : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A mask of -inf without a guard: rows without keys are NaN, not zero.
// CHECK-LABEL: func.func @no_guard
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %arg3 scale = 1.000000e+00 nan_if_empty :
func.func @no_guard(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xi1>) -> tensor<1x2x4x8xf32> {
  %n = dhlo.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.select %m, %s, %n : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Finite, but a row that loses all its keys is the mean of all values: the mask
// stays a number that is added.
// CHECK-LABEL: func.func @finite
// CHECK: %[[MASK:.*]] = dhlo.select
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %[[MASK]] scale = 1.000000e+00
func.func @finite(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xi1>) -> tensor<1x2x4x8xf32> {
  %n = dhlo.constant dense<-3.40282347E+38> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.select %m, %s, %n : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// An unknown mask may hold -inf everywhere.
// CHECK-LABEL: func.func @unknown_mask
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %arg3 scale = 1.000000e+00 nan_if_empty :
func.func @unknown_mask(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %m : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Probabilities are a result too.
// CHECK-LABEL: func.func @second_use
// CHECK-NOT: dhlo.attention
func.func @second_use(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4x4xf32>) {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y, %p : tensor<1x2x4x8xf32>, tensor<1x2x4x4xf32>
}

// A softmax along queries.
// CHECK-LABEL: func.func @wrong_axis
// CHECK-NOT: dhlo.attention
func.func @wrong_axis(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %p = dhlo.softmax %s axis = 2 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A scale on top of a mask scales the mask too.
// CHECK-LABEL: func.func @scaled_mask
// CHECK: %[[MASK:.*]] = dhlo.mul
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %[[MASK]] scale = 5.000000e-01 :
func.func @scaled_mask(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xi64>) -> tensor<1x2x4x8xf32> {
  %c = dhlo.constant dense<0.5> : tensor<1x2x4x4xf32>
  %f = dhlo.convert %m : (tensor<1x2x4x4xi64>) -> tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %f : tensor<1x2x4x4xf32>
  %x1 = dhlo.mul %x, %c : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x1 axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Numbers that replace scores, or are added, may be scaled, if their
// sum does not overflow before.
// CHECK-LABEL: func.func @scaled_numbers
// CHECK: %[[SUM:.*]] = dhlo.select
// CHECK: %[[CHOICE:.*]] = dhlo.select
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale = 5.000000e-01
func.func @scaled_numbers(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xi1>, %n: tensor<1x2x4x4xi1>) -> tensor<1x2x4x8xf32> {
  %c = dhlo.constant dense<0.5> : tensor<1x2x4x4xf32>
  %zero = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %low = dhlo.constant dense<-1.0e+38> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.select %m, %low, %s : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %f = dhlo.select %n, %low, %zero : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %x1 = dhlo.add %x, %f : tensor<1x2x4x4xf32>
  %x2 = dhlo.mul %x1, %c : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x2 axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Numbers whose sum is -inf before it is scaled, so that a row may be NaN, and a finite number
// after.
// CHECK-LABEL: func.func @scaled_overflow
// CHECK-NOT: dhlo.attention
func.func @scaled_overflow(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xi1>, %n: tensor<1x2x4x4xi1>) -> tensor<1x2x4x8xf32> {
  %c = dhlo.constant dense<0.5> : tensor<1x2x4x4xf32>
  %zero = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %low = dhlo.constant dense<-2.0e+38> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.select %m, %low, %s : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %f = dhlo.select %n, %low, %zero : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %x1 = dhlo.add %x, %f : tensor<1x2x4x4xf32>
  %x2 = dhlo.mul %x1, %c : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x2 axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Scores with a mask are at least a number: so is the mask alone.
// CHECK-LABEL: func.func @limited
// CHECK: %[[LIMITED:.*]] = dhlo.maximum
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %[[LIMITED]] scale = 1.000000e+00
func.func @limited(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xi64>) -> tensor<1x2x4x8xf32> {
  %low = dhlo.constant dense<-3.40282347E+38> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %f = dhlo.convert %m : (tensor<1x2x4x4xi64>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %f : tensor<1x2x4x4xf32>
  %x1 = dhlo.maximum %x, %low : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x1 axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A limit that scores may reach is none of the mask's.
// CHECK-LABEL: func.func @limit_too_high
// CHECK-NOT: dhlo.attention
func.func @limit_too_high(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xi64>) -> tensor<1x2x4x8xf32> {
  %low = dhlo.constant dense<-1.0e+04> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %f = dhlo.convert %m : (tensor<1x2x4x4xi64>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %f : tensor<1x2x4x4xf32>
  %x1 = dhlo.maximum %x, %low : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x1 axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// As in Gemma 2: 50 tanh(s / 4 / 50), then a mask.
// CHECK-LABEL: func.func @capped
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale = 2.500000e-01 cap = 5.000000e+01
func.func @capped(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xi64>) -> tensor<1x2x4x8xf32> {
  %quarter = dhlo.constant dense<0.25> : tensor<1x2x4x4xf32>
  %cap = dhlo.constant dense<50.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.mul %s, %quarter : tensor<1x2x4x4xf32>
  %x1 = dhlo.div %x, %cap : tensor<1x2x4x4xf32>
  %x2 = dhlo.tanh %x1 : tensor<1x2x4x4xf32>
  %x3 = dhlo.mul %x2, %cap : tensor<1x2x4x4xf32>
  %f = dhlo.convert %m : (tensor<1x2x4x4xi64>) -> tensor<1x2x4x4xf32>
  %x4 = dhlo.add %x3, %f : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x4 axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A mask below a cap is capped, too.
// CHECK-LABEL: func.func @capped_mask
// CHECK-NOT: dhlo.attention
func.func @capped_mask(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xi64>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %f = dhlo.convert %m : (tensor<1x2x4x4xi64>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %f : tensor<1x2x4x4xf32>
  %x1 = dhlo.tanh %x : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x1 axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Two choices of one number: where both hold it is that number, not a sum that
// overflows.
// CHECK-LABEL: func.func @chosen_twice
// CHECK: %[[INNER:.*]] = dhlo.select %arg3, %{{.*}}, %[[LOW:.*]] :
// CHECK: %[[OUTER:.*]] = dhlo.select %arg4, %[[INNER]], %[[LOW]] :
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %[[OUTER]] scale
func.func @chosen_twice(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %a: tensor<1x2x4x4xi1>, %b: tensor<1x2x4x4xi1>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %low = dhlo.constant dense<-3.40282347E+38> : tensor<1x2x4x4xf32>
  %x1 = dhlo.select %a, %s, %low : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %x = dhlo.select %b, %x1, %low : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Two sums of it are -inf: a row may lose all its keys.
// CHECK-LABEL: func.func @added_twice
// CHECK: %[[MASK:.*]] = dhlo.add
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %[[MASK]] scale = 1.000000e+00 nan_if_empty :
func.func @added_twice(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %a: tensor<1x2x4x4xi1>, %b: tensor<1x2x4x4xi1>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %low = dhlo.constant dense<-3.40282347E+38> : tensor<1x2x4x4xf32>
  %zero = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %f1 = dhlo.select %a, %zero, %low : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %f2 = dhlo.select %b, %zero, %low : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %x1 = dhlo.add %s, %f1 : tensor<1x2x4x4xf32>
  %x = dhlo.add %x1, %f2 : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A finite number makes a causal mask if no key before has one as low: else the
// keys after count in a row that has lost those before.
// CHECK-LABEL: func.func @causal_and_weak
// CHECK: dhlo.attention {{.*}} mask {{.*}} causal
func.func @causal_and_weak(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %a: tensor<1x2x4x4xi1>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %low = dhlo.constant dense<-3.40282347E+38> : tensor<1x2x4x4xf32>
  %weak = dhlo.constant dense<-1.0e+04> : tensor<1x2x4x4xf32>
  %f = dhlo.convert %a : (tensor<1x2x4x4xi1>) -> tensor<1x2x4x4xf32>
  %f1 = dhlo.mul %f, %weak : tensor<1x2x4x4xf32>
  %i = dhlo.iota axis = 2 start = [0] step = [1] : tensor<1x2x4x4xi64>
  %j = dhlo.iota axis = 3 start = [0] step = [1] : tensor<1x2x4x4xi64>
  %c = dhlo.compare ge %i, %j : tensor<1x2x4x4xi64> -> tensor<1x2x4x4xi1>
  %x1 = dhlo.add %s, %f1 : tensor<1x2x4x4xf32>
  %x = dhlo.select %c, %x1, %low : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// CHECK-LABEL: func.func @causal_and_low
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale = 1.000000e+00 :
func.func @causal_and_low(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %a: tensor<1x2x4x4xi1>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %low = dhlo.constant dense<-3.40282347E+38> : tensor<1x2x4x4xf32>
  %f = dhlo.convert %a : (tensor<1x2x4x4xi1>) -> tensor<1x2x4x4xf32>
  %f1 = dhlo.mul %f, %low : tensor<1x2x4x4xf32>
  %i = dhlo.iota axis = 2 start = [0] step = [1] : tensor<1x2x4x4xi64>
  %j = dhlo.iota axis = 3 start = [0] step = [1] : tensor<1x2x4x4xi64>
  %c = dhlo.compare ge %i, %j : tensor<1x2x4x4xi64> -> tensor<1x2x4x4xi1>
  %x1 = dhlo.add %s, %f1 : tensor<1x2x4x4xf32>
  %x = dhlo.select %c, %x1, %low : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// The same of -inf in which a later choice puts a finite number.
// CHECK-LABEL: func.func @causal_replaced
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale = 1.000000e+00 :
func.func @causal_replaced(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %a: tensor<1x2x4x4xi1>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %low = dhlo.constant dense<-3.40282347E+38> : tensor<1x2x4x4xf32>
  %inf = dhlo.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %i = dhlo.iota axis = 2 start = [0] step = [1] : tensor<1x2x4x4xi64>
  %j = dhlo.iota axis = 3 start = [0] step = [1] : tensor<1x2x4x4xi64>
  %c = dhlo.compare ge %i, %j : tensor<1x2x4x4xi64> -> tensor<1x2x4x4xi1>
  %x1 = dhlo.select %c, %s, %inf : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %x = dhlo.select %a, %x1, %low : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// -----

// One row of positions that is repeated, surely or if @A is 1: not causal.
dhlo.dim @S
dhlo.dim @A
// CHECK-LABEL: func.func @repeated_row
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale = 1.000000e+00 :
func.func @repeated_row(%q: tensor<1x2x?x8xf32, #dhlo.dims<S>>, %k: tensor<1x2x8x?xf32, #dhlo.dims<S>>, %v: tensor<1x2x?x8xf32, #dhlo.dims<S>>) -> tensor<1x2x?x8xf32, #dhlo.dims<S>> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x?x8xf32, #dhlo.dims<S>>, tensor<1x2x8x?xf32, #dhlo.dims<S>>) -> tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %n = dhlo.constant dense<-3.40282347E+38> : tensor<f32>
  %low = dhlo.broadcast %n axes = [] : (tensor<f32>) -> tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<1x?xi64, #dhlo.dims<S>>
  %j = dhlo.iota axis = 1 start = [0] step = [1] : tensor<1x?xi64, #dhlo.dims<S>>
  %c0 = dhlo.compare ge %i, %j : tensor<1x?xi64, #dhlo.dims<S>> -> tensor<1x?xi1, #dhlo.dims<S>>
  %c = dhlo.broadcast %c0 axes = [2, 3] : (tensor<1x?xi1, #dhlo.dims<S>>) -> tensor<1x2x?x?xi1, #dhlo.dims<S, S>>
  %x = dhlo.select %c, %s, %low : tensor<1x2x?x?xi1, #dhlo.dims<S, S>>, tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x?x?xf32, #dhlo.dims<S, S>>, tensor<1x2x?x8xf32, #dhlo.dims<S>>) -> tensor<1x2x?x8xf32, #dhlo.dims<S>>
  return %y : tensor<1x2x?x8xf32, #dhlo.dims<S>>
}

// CHECK-LABEL: func.func @row_that_may_be_repeated
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale = 1.000000e+00 :
func.func @row_that_may_be_repeated(%q: tensor<1x2x?x8xf32, #dhlo.dims<S>>, %k: tensor<1x2x8x?xf32, #dhlo.dims<S>>, %v: tensor<1x2x?x8xf32, #dhlo.dims<S>>, %u: tensor<?xf32, #dhlo.dims<A>>) -> tensor<1x2x?x8xf32, #dhlo.dims<S>> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x?x8xf32, #dhlo.dims<S>>, tensor<1x2x8x?xf32, #dhlo.dims<S>>) -> tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %n = dhlo.constant dense<-3.40282347E+38> : tensor<f32>
  %low = dhlo.broadcast %n axes = [] : (tensor<f32>) -> tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %i = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?x?xi64, #dhlo.dims<A, S>>
  %j = dhlo.iota axis = 1 start = [0] step = [1] : tensor<?x?xi64, #dhlo.dims<A, S>>
  %c0 = dhlo.compare ge %i, %j : tensor<?x?xi64, #dhlo.dims<A, S>> -> tensor<?x?xi1, #dhlo.dims<A, S>>
  %c = dhlo.broadcast %c0 axes = [2, 3] : (tensor<?x?xi1, #dhlo.dims<A, S>>) -> tensor<1x2x?x?xi1, #dhlo.dims<S, S>>
  %x = dhlo.select %c, %s, %low : tensor<1x2x?x?xi1, #dhlo.dims<S, S>>, tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x?x?xf32, #dhlo.dims<S, S>>, tensor<1x2x?x8xf32, #dhlo.dims<S>>) -> tensor<1x2x?x8xf32, #dhlo.dims<S>>
  return %y : tensor<1x2x?x8xf32, #dhlo.dims<S>>
}

// Positions of narrow integers wrap, and booleans are no positions.
// CHECK-LABEL: func.func @narrow_positions
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale = 1.000000e+00 :
func.func @narrow_positions(%q: tensor<1x2x?x8xf32, #dhlo.dims<S>>, %k: tensor<1x2x8x?xf32, #dhlo.dims<S>>, %v: tensor<1x2x?x8xf32, #dhlo.dims<S>>) -> tensor<1x2x?x8xf32, #dhlo.dims<S>> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x?x8xf32, #dhlo.dims<S>>, tensor<1x2x8x?xf32, #dhlo.dims<S>>) -> tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %n = dhlo.constant dense<-3.40282347E+38> : tensor<f32>
  %low = dhlo.broadcast %n axes = [] : (tensor<f32>) -> tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %i = dhlo.iota axis = 2 start = [0] step = [1] : tensor<1x2x?x?xi8, #dhlo.dims<S, S>>
  %j = dhlo.iota axis = 3 start = [0] step = [1] : tensor<1x2x?x?xi8, #dhlo.dims<S, S>>
  %c = dhlo.compare ge %i, %j : tensor<1x2x?x?xi8, #dhlo.dims<S, S>> -> tensor<1x2x?x?xi1, #dhlo.dims<S, S>>
  %x = dhlo.select %c, %s, %low : tensor<1x2x?x?xi1, #dhlo.dims<S, S>>, tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x?x?xf32, #dhlo.dims<S, S>>, tensor<1x2x?x8xf32, #dhlo.dims<S>>) -> tensor<1x2x?x8xf32, #dhlo.dims<S>>
  return %y : tensor<1x2x?x8xf32, #dhlo.dims<S>>
}

// CHECK-LABEL: func.func @booleans
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale = 1.000000e+00 :
func.func @booleans(%q: tensor<1x2x?x8xf32, #dhlo.dims<S>>, %k: tensor<1x2x8x?xf32, #dhlo.dims<S>>, %v: tensor<1x2x?x8xf32, #dhlo.dims<S>>) -> tensor<1x2x?x8xf32, #dhlo.dims<S>> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x?x8xf32, #dhlo.dims<S>>, tensor<1x2x8x?xf32, #dhlo.dims<S>>) -> tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %n = dhlo.constant dense<-3.40282347E+38> : tensor<f32>
  %low = dhlo.broadcast %n axes = [] : (tensor<f32>) -> tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %t = dhlo.constant dense<true> : tensor<i1>
  %f = dhlo.constant dense<false> : tensor<i1>
  %t1 = dhlo.broadcast %t axes = [] : (tensor<i1>) -> tensor<1x2x?x?xi1, #dhlo.dims<S, S>>
  %f1 = dhlo.broadcast %f axes = [] : (tensor<i1>) -> tensor<1x2x?x?xi1, #dhlo.dims<S, S>>
  %c = dhlo.compare lt %t1, %f1 : tensor<1x2x?x?xi1, #dhlo.dims<S, S>> -> tensor<1x2x?x?xi1, #dhlo.dims<S, S>>
  %x = dhlo.select %c, %s, %low : tensor<1x2x?x?xi1, #dhlo.dims<S, S>>, tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x?x?xf32, #dhlo.dims<S, S>>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x?x?xf32, #dhlo.dims<S, S>>, tensor<1x2x?x8xf32, #dhlo.dims<S>>) -> tensor<1x2x?x8xf32, #dhlo.dims<S>>
  return %y : tensor<1x2x?x8xf32, #dhlo.dims<S>>
}

// -----

// As in BLOOM: positions are added where batch and heads are one axis.
dhlo.dim @B
dhlo.dim @S
dhlo.dim @H = 2 * @B
// CHECK-LABEL: func.func @merged_heads
// CHECK: %[[POSITIONS:.*]] = dhlo.reshape %{{.*}} : (tensor<?x1x?xf32, #dhlo.dims<H, S>>) -> tensor<?x2x1x?xf32, #dhlo.dims<B, S>>
// CHECK: dhlo.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} scale = 5.000000e-01
func.func @merged_heads(%q: tensor<?x?x8xf32, #dhlo.dims<H, S>>, %k: tensor<?x8x?xf32, #dhlo.dims<H, S>>, %v: tensor<?x?x8xf32, #dhlo.dims<H, S>>,
                        %a: tensor<?x1x?xi64, #dhlo.dims<H, S>>, %m: tensor<?x1x?x?xi64, #dhlo.dims<B, S, S>>) -> tensor<?x?x8xf32, #dhlo.dims<H, S>> {
  %half = dhlo.constant dense<0.5> : tensor<f32>
  %c = dhlo.broadcast %half axes = [] : (tensor<f32>) -> tensor<?x?x?xf32, #dhlo.dims<H, S, S>>
  %s = dhlo.dot_general %q, %k batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<?x?x8xf32, #dhlo.dims<H, S>>, tensor<?x8x?xf32, #dhlo.dims<H, S>>) -> tensor<?x?x?xf32, #dhlo.dims<H, S, S>>
  %x = dhlo.mul %s, %c : tensor<?x?x?xf32, #dhlo.dims<H, S, S>>
  %f = dhlo.convert %a : (tensor<?x1x?xi64, #dhlo.dims<H, S>>) -> tensor<?x1x?xf32, #dhlo.dims<H, S>>
  %f1 = dhlo.broadcast %f axes = [0, 1, 2] : (tensor<?x1x?xf32, #dhlo.dims<H, S>>) -> tensor<?x?x?xf32, #dhlo.dims<H, S, S>>
  %x1 = dhlo.add %x, %f1 : tensor<?x?x?xf32, #dhlo.dims<H, S, S>>
  %x2 = dhlo.reshape %x1 : (tensor<?x?x?xf32, #dhlo.dims<H, S, S>>) -> tensor<?x2x?x?xf32, #dhlo.dims<B, S, S>>
  %g = dhlo.convert %m : (tensor<?x1x?x?xi64, #dhlo.dims<B, S, S>>) -> tensor<?x1x?x?xf32, #dhlo.dims<B, S, S>>
  %g1 = dhlo.broadcast %g axes = [0, 1, 2, 3] : (tensor<?x1x?x?xf32, #dhlo.dims<B, S, S>>) -> tensor<?x2x?x?xf32, #dhlo.dims<B, S, S>>
  %x3 = dhlo.add %x2, %g1 : tensor<?x2x?x?xf32, #dhlo.dims<B, S, S>>
  %p = dhlo.softmax %x3 axis = 3 : tensor<?x2x?x?xf32, #dhlo.dims<B, S, S>>
  %p1 = dhlo.reshape %p : (tensor<?x2x?x?xf32, #dhlo.dims<B, S, S>>) -> tensor<?x?x?xf32, #dhlo.dims<H, S, S>>
  %y = dhlo.dot_general %p1, %v batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<?x?x?xf32, #dhlo.dims<H, S, S>>, tensor<?x?x8xf32, #dhlo.dims<H, S>>) -> tensor<?x?x8xf32, #dhlo.dims<H, S>>
  return %y : tensor<?x?x8xf32, #dhlo.dims<H, S>>
}

// -----

// Attention that was imported as such shares heads, too, if both sides do.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @imported
// CHECK-SAME: %[[Q:[^:]*]]: {{[^%]*}}%[[K:[^:]*]]: {{[^%]*}}%[[V:[^:]*]]: tensor<?x2
// CHECK: %[[WIDE:.*]] = dhlo.reshape
// CHECK: %[[SHARED:.*]] = dhlo.attention %[[Q]], %[[K]], %[[V]] scale = 1.000000e+00
// CHECK: %[[ONE:.*]] = dhlo.attention %[[Q]], %[[WIDE]], %[[Q]]
// CHECK: return %[[SHARED]], %[[ONE]]
func.func @imported(%q: tensor<?x6x?x8xf32, #dhlo.dims<B, S>>, %k: tensor<?x2x?x8xf32, #dhlo.dims<B, S>>, %v: tensor<?x2x?x8xf32, #dhlo.dims<B, S>>)
    -> (tensor<?x6x?x8xf32, #dhlo.dims<B, S>>, tensor<?x6x?x8xf32, #dhlo.dims<B, S>>) {
  %k1 = dhlo.broadcast %k axes = [0, 1, 3, 4] : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x3x?x8xf32, #dhlo.dims<B, S>>
  %k2 = dhlo.reshape %k1 : (tensor<?x2x3x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x6x?x8xf32, #dhlo.dims<B, S>>
  %v1 = dhlo.broadcast %v axes = [0, 1, 3, 4] : (tensor<?x2x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x2x3x?x8xf32, #dhlo.dims<B, S>>
  %v2 = dhlo.reshape %v1 : (tensor<?x2x3x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x6x?x8xf32, #dhlo.dims<B, S>>
  %y = dhlo.attention %q, %k2, %v2 scale = 1.0 : (tensor<?x6x?x8xf32, #dhlo.dims<B, S>>, tensor<?x6x?x8xf32, #dhlo.dims<B, S>>, tensor<?x6x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x6x?x8xf32, #dhlo.dims<B, S>>
  %z = dhlo.attention %q, %k2, %q scale = 1.0 : (tensor<?x6x?x8xf32, #dhlo.dims<B, S>>, tensor<?x6x?x8xf32, #dhlo.dims<B, S>>, tensor<?x6x?x8xf32, #dhlo.dims<B, S>>) -> tensor<?x6x?x8xf32, #dhlo.dims<B, S>>
  return %y, %z : tensor<?x6x?x8xf32, #dhlo.dims<B, S>>, tensor<?x6x?x8xf32, #dhlo.dims<B, S>>
}

// -----

// A reshape that moves elements between rows and heads.
dhlo.dim @S
// CHECK-LABEL: func.func @unproven_rows
// CHECK-NOT: dhlo.attention
func.func @unproven_rows(%q: tensor<2x?x8xf32, #dhlo.dims<S>>, %k: tensor<2x8x6xf32>, %v: tensor<?x6x8xf32, #dhlo.dims<S>>)
    -> tensor<?x2x8xf32, #dhlo.dims<S>> {
  %s = dhlo.dot_general %q, %k batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<2x?x8xf32, #dhlo.dims<S>>, tensor<2x8x6xf32>) -> tensor<2x?x6xf32, #dhlo.dims<S>>
  %p = dhlo.softmax %s axis = 2 : tensor<2x?x6xf32, #dhlo.dims<S>>
  %p1 = dhlo.reshape %p : (tensor<2x?x6xf32, #dhlo.dims<S>>) -> tensor<?x2x6xf32, #dhlo.dims<S>>
  %y = dhlo.dot_general %p1, %v batch = 1 lhs_contract = [2] rhs_contract = [1] : (tensor<?x2x6xf32, #dhlo.dims<S>>, tensor<?x6x8xf32, #dhlo.dims<S>>) -> tensor<?x2x8xf32, #dhlo.dims<S>>
  return %y : tensor<?x2x8xf32, #dhlo.dims<S>>
}

// -----

// A scale that the model computes from constants: by no more than one function
// of one of them at a time.
dhlo.dim @B
dhlo.dim @S
// CHECK-LABEL: func.func @computed_scale
// CHECK: dhlo.attention %{{.*}} scale = 6.250000e-02
func.func @computed_scale(%q: tensor<?x2x?x64xf32, #dhlo.dims<B, S>>, %k: tensor<?x2x64x?xf32, #dhlo.dims<B, S>>,
                          %v: tensor<?x2x?x64xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x64xf32, #dhlo.dims<B, S>> {
  %depth = dhlo.constant dense<6.400000e+01> : tensor<f32>
  %exponent = dhlo.constant dense<-5.000000e-01> : tensor<f32>
  %quarter = dhlo.constant dense<2.500000e-01> : tensor<f32>
  %power = dhlo.pow %depth, %exponent : tensor<f32>
  %root = dhlo.sqrt %quarter : tensor<f32>
  %p0 = dhlo.broadcast %power axes = [] : (tensor<f32>) -> tensor<?x2x?x?xf32, #dhlo.dims<B, S, S>>
  %r0 = dhlo.broadcast %root axes = [] : (tensor<f32>) -> tensor<?x2x?x64xf32, #dhlo.dims<B, S>>
  %q1 = dhlo.mul %q, %r0 : tensor<?x2x?x64xf32, #dhlo.dims<B, S>>
  %s = dhlo.dot_general %q1, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x2x?x64xf32, #dhlo.dims<B, S>>, tensor<?x2x64x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x?xf32, #dhlo.dims<B, S, S>>
  %x = dhlo.mul %s, %p0 : tensor<?x2x?x?xf32, #dhlo.dims<B, S, S>>
  %p = dhlo.softmax %x axis = 3 : tensor<?x2x?x?xf32, #dhlo.dims<B, S, S>>
  %o = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<?x2x?x?xf32, #dhlo.dims<B, S, S>>, tensor<?x2x?x64xf32, #dhlo.dims<B, S>>) -> tensor<?x2x?x64xf32, #dhlo.dims<B, S>>
  return %o : tensor<?x2x?x64xf32, #dhlo.dims<B, S>>
}
