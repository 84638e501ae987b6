// RUN: dyn-opt %s -dhlo-recognize-attention -cse | FileCheck %s

// What may stand between the contractions of attention, by one operation at a time. The first
// function has nothing between; each other one has one thing more or another thing.

// Scores, their softmax, and the sum of values.
// CHECK-LABEL: func.func @plain(
// CHECK: dhlo.attention {{.*}} scale = 1.000000e+00 :
func.func @plain(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// The logarithm of probabilities.
// CHECK-LABEL: func.func @log_softmax(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @log_softmax(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %p = dhlo.softmax %s axis = 3 log : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A scale may be negative, and may stand on several operands.
// CHECK-LABEL: func.func @negative_scale(
// CHECK: dhlo.attention {{.*}} scale = -1.000000e+00 :
func.func @negative_scale(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %c = dhlo.constant dense<-2.0> : tensor<1x2x4x4xf32>
  %h = dhlo.constant dense<0.5> : tensor<1x2x4x8xf32>
  %q1 = dhlo.mul %h, %q : tensor<1x2x4x8xf32>
  %s = dhlo.dot_general %q1, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.mul %s, %c : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Divided by zero: no scale.
// CHECK-LABEL: func.func @divided_by_zero(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @divided_by_zero(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %c = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.div %s, %c : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A number over the scores.
// CHECK-LABEL: func.func @divided_by_scores(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @divided_by_scores(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %c = dhlo.constant dense<2.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.div %c, %s : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A scale for each score.
// CHECK-LABEL: func.func @scale_of_each_score(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @scale_of_each_score(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.mul %s, %m : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Another function of the scores.
// CHECK-LABEL: func.func @exponential(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @exponential(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.exp %s : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A cap of a cap.
// CHECK-LABEL: func.func @two_caps(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @two_caps(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.tanh %s : tensor<1x2x4x4xf32>
  %z = dhlo.tanh %x : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %z axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A cap below zero: tanh turns the scores around.
// CHECK-LABEL: func.func @negative_cap(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @negative_cap(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %c = dhlo.constant dense<-2.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.tanh %s : tensor<1x2x4x4xf32>
  %z = dhlo.mul %x, %c : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %z axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A limit of scores before a cap.
// CHECK-LABEL: func.func @limit_below_cap(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @limit_below_cap(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %c = dhlo.constant dense<-3.0e38> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.maximum %s, %c : tensor<1x2x4x4xf32>
  %z = dhlo.tanh %x : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %z axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A limit that no score reaches.
// CHECK-LABEL: func.func @one_limit(
// CHECK: dhlo.attention {{.*}} scale = 1.000000e+00 :
func.func @one_limit(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %c = dhlo.constant dense<-3.0e38> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.maximum %s, %c : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Two limits.
// CHECK-LABEL: func.func @two_limits(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @two_limits(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %c = dhlo.constant dense<-3.0e38> : tensor<1x2x4x4xf32>
  %d = dhlo.constant dense<-2.0e38> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.maximum %s, %c : tensor<1x2x4x4xf32>
  %z = dhlo.maximum %x, %d : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %z axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A limit of minus infinity limits nothing, and is none that a mask has.
// CHECK-LABEL: func.func @infinite_limit(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @infinite_limit(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %c = dhlo.constant dense<0xFF800000> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.maximum %s, %c : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Scores that are added to themselves are two contractions.
// CHECK-LABEL: func.func @scores_twice(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @scores_twice(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.add %s, %s : tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Scores are a result.
// CHECK-LABEL: func.func @scores_read(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @scores_read(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> (tensor<1x2x4x8xf32>, tensor<1x2x4x4xf32>) {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y, %s : tensor<1x2x4x8xf32>, tensor<1x2x4x4xf32>
}

// Numbers that replace scores are several.
// CHECK-LABEL: func.func @choice_of_numbers(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @choice_of_numbers(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %m: tensor<1x2x4x4xi1>, %n: tensor<1x2x4x4xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %x = dhlo.select %m, %s, %n : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %p = dhlo.softmax %x axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A guard gives zeros where there is no number.
// CHECK-LABEL: func.func @guarded(
// CHECK: dhlo.attention {{.*}} scale = 1.000000e+00 :
func.func @guarded(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xf32>
  %n = dhlo.is_nan %p : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %n, %z, %p : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A guard that gives ones.
// CHECK-LABEL: func.func @guarded_by_ones(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @guarded_by_ones(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %z = dhlo.constant dense<1.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xf32>
  %n = dhlo.is_nan %p : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %n, %z, %p : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A guard that keeps what is no number.
// CHECK-LABEL: func.func @guarded_around(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @guarded_around(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xf32>
  %n = dhlo.is_nan %p : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %n, %p, %z : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A guard that asks the scores, not the probabilities.
// CHECK-LABEL: func.func @guarded_by_scores(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @guarded_by_scores(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %z = dhlo.constant dense<0.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xf32>
  %n = dhlo.is_nan %s : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xi1>
  %g = dhlo.select %n, %z, %p : tensor<1x2x4x4xi1>, tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Probabilities that are scaled.
// CHECK-LABEL: func.func @dropout(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @dropout(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %c = dhlo.constant dense<2.0> : tensor<1x2x4x4xf32>
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xf32>
  %g = dhlo.mul %p, %c : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// The sum runs over queries.
// CHECK-LABEL: func.func @queries_summed(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @queries_summed(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [2] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Values may lie across.
// CHECK-LABEL: func.func @values_across(
// CHECK: dhlo.attention %arg0, %{{.*}}, %{{.*}} scale = 1.000000e+00 :
func.func @values_across(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>, %w: tensor<1x2x8x4xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %w batch = 2 lhs_contract = [3] rhs_contract = [3] : (tensor<1x2x4x4xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// A reshape of probabilities that changes their rows.
// CHECK-LABEL: func.func @rows_merged(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @rows_merged(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x8x4xf32>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf32>, tensor<1x2x8x4xf32>) -> tensor<1x2x4x4xf32>
  %r = dhlo.reshape %s : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x8xf32>
  %p = dhlo.softmax %r axis = 3 : tensor<1x2x2x8xf32>
  %g = dhlo.reshape %p : (tensor<1x2x2x8xf32>) -> tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %g, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}

// Of halves, of bf16, and not of doubles, for which there is no kernel.
// CHECK-LABEL: func.func @of_f16(
// CHECK: dhlo.attention {{.*}} scale = 1.000000e+00 :
func.func @of_f16(%q: tensor<1x2x4x8xf16>, %k: tensor<1x2x8x4xf16>, %v: tensor<1x2x4x8xf16>) -> tensor<1x2x4x8xf16> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf16>, tensor<1x2x8x4xf16>) -> tensor<1x2x4x4xf16>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xf16>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf16>, tensor<1x2x4x8xf16>) -> tensor<1x2x4x8xf16>
  return %y : tensor<1x2x4x8xf16>
}

// The same of bf16.
// CHECK-LABEL: func.func @of_bf16(
// CHECK: dhlo.attention {{.*}} scale = 1.000000e+00 :
func.func @of_bf16(%q: tensor<1x2x4x8xbf16>, %k: tensor<1x2x8x4xbf16>, %v: tensor<1x2x4x8xbf16>) -> tensor<1x2x4x8xbf16> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xbf16>, tensor<1x2x8x4xbf16>) -> tensor<1x2x4x4xbf16>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xbf16>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xbf16>, tensor<1x2x4x8xbf16>) -> tensor<1x2x4x8xbf16>
  return %y : tensor<1x2x4x8xbf16>
}

// The same of f64.
// CHECK-LABEL: func.func @of_f64(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @of_f64(%q: tensor<1x2x4x8xf64>, %k: tensor<1x2x8x4xf64>, %v: tensor<1x2x4x8xf64>) -> tensor<1x2x4x8xf64> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf64>, tensor<1x2x8x4xf64>) -> tensor<1x2x4x4xf64>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xf64>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf64>, tensor<1x2x4x8xf64>) -> tensor<1x2x4x8xf64>
  return %y : tensor<1x2x4x8xf64>
}

// Scores in f32 of halves are more exact than attention's.
// CHECK-LABEL: func.func @wider_scores(
// CHECK-NOT: dhlo.attention
// CHECK: return
func.func @wider_scores(%q: tensor<1x2x4x8xf16>, %k: tensor<1x2x8x4xf16>, %v: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %s = dhlo.dot_general %q, %k batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x8xf16>, tensor<1x2x8x4xf16>) -> tensor<1x2x4x4xf32>
  %p = dhlo.softmax %s axis = 3 : tensor<1x2x4x4xf32>
  %y = dhlo.dot_general %p, %v batch = 2 lhs_contract = [3] rhs_contract = [2] : (tensor<1x2x4x4xf32>, tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32>
  return %y : tensor<1x2x4x8xf32>
}
