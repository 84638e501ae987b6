// RUN: dyn-opt %s -dhlo-recognize-attention -cse | FileCheck %s

// Guards against rows without keys that ask whether all scores of a row are -inf, and scores
// that are multiplied by a tensor.

// All are -inf.
// CHECK-LABEL: func.func @all_removed(
// CHECK: dhlo.attention {{.*}} mask %arg3 scale = 1.000000e+00 :
func.func @all_removed(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %inf = dhlo.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %m : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %c = dhlo.compare eq %x, %inf : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xi1>
  %a = dhlo.reduce and %c axes = [3] : (tensor<1x2x4x4xi1>) -> tensor<1x2x4xi1>
  %e = dhlo.broadcast %a axes = [0, 1, 2] : (tensor<1x2x4xi1>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %e, %z, %p : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// None is other than -inf.
// CHECK-LABEL: func.func @none_kept(
// CHECK: dhlo.attention {{.*}} mask %arg3 scale = 1.000000e+00 :
func.func @none_kept(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %inf = dhlo.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %m : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %c = dhlo.compare ne %x, %inf : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xi1>
  %a = dhlo.reduce or %c axes = [3] : (tensor<1x2x4x4xi1>) -> tensor<1x2x4xi1>
  %a1 = dhlo.not %a : tensor<1x2x4xi1>
  %e = dhlo.broadcast %a1 axes = [0, 1, 2] : (tensor<1x2x4xi1>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %e, %z, %p : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Some is other than -inf: the probabilities stay.
// CHECK-LABEL: func.func @some_kept(
// CHECK: dhlo.attention {{.*}} mask %arg3 scale = 1.000000e+00 :
func.func @some_kept(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %inf = dhlo.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %m : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %c = dhlo.compare ne %x, %inf : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xi1>
  %a = dhlo.reduce or %c axes = [3] : (tensor<1x2x4x4xi1>) -> tensor<1x2x4xi1>
  %e = dhlo.broadcast %a axes = [0, 1, 2] : (tensor<1x2x4xi1>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %e, %p, %z : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// As PyTorch decomposes it: not any of those that are not -inf, with each negation.
// CHECK-LABEL: func.func @negations(
// CHECK: dhlo.attention {{.*}} mask %arg3 scale = 1.000000e+00 :
func.func @negations(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %inf = dhlo.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %m : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %c = dhlo.compare eq %x, %inf : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xi1>
  %c1 = dhlo.not %c : tensor<1x2x4x4xi1>
  %a = dhlo.reduce or %c1 axes = [3] : (tensor<1x2x4x4xi1>) -> tensor<1x2x4xi1>
  %a1 = dhlo.not %a : tensor<1x2x4xi1>
  %e = dhlo.broadcast %a1 axes = [0, 1, 2] : (tensor<1x2x4xi1>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %e, %z, %p : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// The negation of what is broadcast.
// CHECK-LABEL: func.func @negated_after(
// CHECK: dhlo.attention {{.*}} mask %arg3 scale = 1.000000e+00 :
func.func @negated_after(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %inf = dhlo.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %m : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %c = dhlo.compare ne %x, %inf : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xi1>
  %a = dhlo.reduce or %c axes = [3] : (tensor<1x2x4x4xi1>) -> tensor<1x2x4xi1>
  %e = dhlo.broadcast %a axes = [0, 1, 2] : (tensor<1x2x4xi1>) -> tensor<1x2x4x4xi1>
  %e1 = dhlo.not %e : tensor<1x2x4x4xi1>
  %g = dhlo.select %e1, %z, %p : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Zero where any is -inf.
// CHECK-LABEL: func.func @any_removed(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @any_removed(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %inf = dhlo.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %m : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %c = dhlo.compare eq %x, %inf : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xi1>
  %a = dhlo.reduce or %c axes = [3] : (tensor<1x2x4x4xi1>) -> tensor<1x2x4xi1>
  %e = dhlo.broadcast %a axes = [0, 1, 2] : (tensor<1x2x4xi1>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %e, %z, %p : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Zero where all are other than -inf.
// CHECK-LABEL: func.func @all_kept(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @all_kept(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %inf = dhlo.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %m : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %c = dhlo.compare ne %x, %inf : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xi1>
  %a = dhlo.reduce and %c axes = [3] : (tensor<1x2x4x4xi1>) -> tensor<1x2x4xi1>
  %e = dhlo.broadcast %a axes = [0, 1, 2] : (tensor<1x2x4xi1>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %e, %z, %p : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Rows of zeros.
// CHECK-LABEL: func.func @other_number(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @other_number(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %inf = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %m : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %c = dhlo.compare eq %x, %inf : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xi1>
  %a = dhlo.reduce and %c axes = [3] : (tensor<1x2x4x4xi1>) -> tensor<1x2x4xi1>
  %e = dhlo.broadcast %a axes = [0, 1, 2] : (tensor<1x2x4xi1>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %e, %z, %p : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// All queries of a key.
// CHECK-LABEL: func.func @other_axis(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @other_axis(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %inf = dhlo.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %m : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %c = dhlo.compare eq %x, %inf : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xi1>
  %a = dhlo.reduce and %c axes = [2] : (tensor<1x2x4x4xi1>) -> tensor<1x2x4xi1>
  %e = dhlo.broadcast %a axes = [0, 1, 3] : (tensor<1x2x4xi1>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %e, %z, %p : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Scores before the mask, which are not those of the softmax.
// CHECK-LABEL: func.func @other_scores(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @other_scores(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %inf = dhlo.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %m : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %c = dhlo.compare eq %s, %inf : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xi1>
  %a = dhlo.reduce and %c axes = [3] : (tensor<1x2x4x4xi1>) -> tensor<1x2x4xi1>
  %e = dhlo.broadcast %a axes = [0, 1, 2] : (tensor<1x2x4xi1>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %e, %z, %p : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// The probabilities stay where all are -inf.
// CHECK-LABEL: func.func @keeps_removed(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @keeps_removed(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %inf = dhlo.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %m : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %c = dhlo.compare eq %x, %inf : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xi1>
  %a = dhlo.reduce and %c axes = [3] : (tensor<1x2x4x4xi1>) -> tensor<1x2x4xi1>
  %e = dhlo.broadcast %a axes = [0, 1, 2] : (tensor<1x2x4xi1>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %e, %p, %z : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A scale of each head, which becomes one of its queries.
// CHECK-LABEL: func.func @scale_of_each_head(
// CHECK: %[[W:.*]] = dhlo.broadcast %{{.*}} axes = [0, 1, 2, 3] : (tensor<1x2x1x1xf32>) -> tensor<1x2x4x8xf32>
// CHECK: %[[Q:.*]] = dhlo.mul %arg0, %[[W]]
// CHECK: dhlo.attention %[[Q]], %{{.*}}, %{{.*}} scale = 1.000000e+00 :
func.func @scale_of_each_head(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %f: tensor<2x1x1xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %w = dhlo.broadcast %f axes = [1, 2, 3] : (tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.mul %s, %w : tensor<1x2x4x4xf32>
  %g = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A divisor of each query.
// CHECK-LABEL: func.func @divisor_of_each_query(
// CHECK: %[[Q:.*]] = dhlo.div %arg0, %{{.*}}
// CHECK: dhlo.attention %[[Q]], %{{.*}}, %{{.*}} scale = 1.000000e+00 :
func.func @divisor_of_each_query(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %f: tensor<4xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %w = dhlo.broadcast %f axes = [2] : (tensor<4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.div %s, %w : tensor<1x2x4x4xf32>
  %g = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A number of each query over the scores.
// CHECK-LABEL: func.func @divided_by_scores(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @divided_by_scores(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %f: tensor<4xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %w = dhlo.broadcast %f axes = [2] : (tensor<4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.div %w, %s : tensor<1x2x4x4xf32>
  %g = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A scale of each key.
// CHECK-LABEL: func.func @scale_of_each_key(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @scale_of_each_key(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %f: tensor<4xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %w = dhlo.broadcast %f axes = [3] : (tensor<4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.mul %s, %w : tensor<1x2x4x4xf32>
  %g = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A mask on top of scaled scores.
// CHECK-LABEL: func.func @mask_on_scaled(
// CHECK: dhlo.attention {{.*}} mask %arg4 scale = 1.000000e+00 nan_if_empty :
func.func @mask_on_scaled(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %f: tensor<2x1x1xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %w = dhlo.broadcast %f axes = [1, 2, 3] : (tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.mul %s, %w : tensor<1x2x4x4xf32>
  %x1 = dhlo.add %x, %m : tensor<1x2x4x4xf32>
  %g = dhlo.softmax %x1 axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A mask that is scaled by a tensor.
// CHECK-LABEL: func.func @mask_below_scale(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @mask_below_scale(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %f: tensor<2x1x1xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %w = dhlo.broadcast %f axes = [1, 2, 3] : (tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s1 = dhlo.add %s, %m : tensor<1x2x4x4xf32>
  %x = dhlo.mul %s1, %w : tensor<1x2x4x4xf32>
  %g = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A cap of scaled scores.
// CHECK-LABEL: func.func @capped_scale(
// CHECK: dhlo.attention {{.*}} scale = 1.000000e+00 cap = 1.000000e+00 :
func.func @capped_scale(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %f: tensor<2x1x1xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %w = dhlo.broadcast %f axes = [1, 2, 3] : (tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.mul %s, %w : tensor<1x2x4x4xf32>
  %x1 = dhlo.tanh %x : tensor<1x2x4x4xf32>
  %g = dhlo.softmax %x1 axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A cap that is scaled by a tensor.
// CHECK-LABEL: func.func @scaled_cap(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @scaled_cap(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %f: tensor<2x1x1xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %w = dhlo.broadcast %f axes = [1, 2, 3] : (tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s1 = dhlo.tanh %s : tensor<1x2x4x4xf32>
  %x = dhlo.mul %s1, %w : tensor<1x2x4x4xf32>
  %g = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}
