// RUN: dyn-opt %s -split-input-file -dhlo-simplify-sizes | FileCheck %s

// When a value becomes the definition of the size that it is bound to: each declared fact must be
// proven of it, and each function has a fact that is and one that is not.

dhlo.dim @S in [1, 512]
// CHECK-DAG: dhlo.dim @Max = 2 * @S in [0, 1024]
dhlo.dim @Max in [0, 1024]
// CHECK-DAG: dhlo.dim @MaxNot in [0, 1023]
dhlo.dim @MaxNot in [0, 1023]
// CHECK-LABEL: func.func @maximum
func.func @maximum(%x: tensor<?xf32, #dhlo.dims<S>>) -> (tensor<?xi64, #dhlo.dims<Max>>, tensor<?xi64, #dhlo.dims<MaxNot>>) {
  // CHECK-NOT: dhlo.bind @Max =
  // CHECK: dhlo.bind @MaxNot
  %k = dhlo.from_dims [2 * @S] : tensor<i64>
  dhlo.bind @Max = %k : tensor<i64>
  dhlo.bind @MaxNot = %k : tensor<i64>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<Max>>
  %1 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<MaxNot>>
  return %0, %1 : tensor<?xi64, #dhlo.dims<Max>>, tensor<?xi64, #dhlo.dims<MaxNot>>
}

// -----

dhlo.dim @S in [1, 512]
// CHECK-DAG: dhlo.dim @Min = 2 * @S in [2, ?]
dhlo.dim @Min in [2, ?]
// CHECK-DAG: dhlo.dim @MinNot in [3, ?]
dhlo.dim @MinNot in [3, ?]
// CHECK-LABEL: func.func @minimum
func.func @minimum(%x: tensor<?xf32, #dhlo.dims<S>>) -> (tensor<?xi64, #dhlo.dims<Min>>, tensor<?xi64, #dhlo.dims<MinNot>>) {
  // CHECK-NOT: dhlo.bind @Min =
  // CHECK: dhlo.bind @MinNot
  %k = dhlo.from_dims [2 * @S] : tensor<i64>
  dhlo.bind @Min = %k : tensor<i64>
  dhlo.bind @MinNot = %k : tensor<i64>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<Min>>
  %1 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<MinNot>>
  return %0, %1 : tensor<?xi64, #dhlo.dims<Min>>, tensor<?xi64, #dhlo.dims<MinNot>>
}

// -----

dhlo.dim @S in [1, 512]
// CHECK-DAG: dhlo.dim @Even = 2 * @S {{.*}}multiple_of 2
dhlo.dim @Even in [0, ?] multiple_of 2
// CHECK-DAG: dhlo.dim @EvenNot {{.*}}multiple_of 4
dhlo.dim @EvenNot in [0, ?] multiple_of 4
// CHECK-LABEL: func.func @multiple
func.func @multiple(%x: tensor<?xf32, #dhlo.dims<S>>) -> (tensor<?xi64, #dhlo.dims<Even>>, tensor<?xi64, #dhlo.dims<EvenNot>>) {
  // CHECK-NOT: dhlo.bind @Even =
  // CHECK: dhlo.bind @EvenNot
  %k = dhlo.from_dims [2 * @S] : tensor<i64>
  dhlo.bind @Even = %k : tensor<i64>
  dhlo.bind @EvenNot = %k : tensor<i64>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<Even>>
  %1 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<EvenNot>>
  return %0, %1 : tensor<?xi64, #dhlo.dims<Even>>, tensor<?xi64, #dhlo.dims<EvenNot>>
}

// -----

dhlo.dim @S in [1, 512]
dhlo.dim @T in [1, 512]
// CHECK-DAG: dhlo.dim @Bound = 2 * @S {{.*}}at_most 3 * @S
dhlo.dim @Bound in [0, ?] at_most 3 * @S
// CHECK-DAG: dhlo.dim @BoundNot {{.*}}at_most 3 * @T
dhlo.dim @BoundNot in [0, ?] at_most 3 * @T
// CHECK-LABEL: func.func @bound
func.func @bound(%x: tensor<?x?xf32, #dhlo.dims<S, T>>) -> (tensor<?xi64, #dhlo.dims<Bound>>, tensor<?xi64, #dhlo.dims<BoundNot>>) {
  // CHECK-NOT: dhlo.bind @Bound =
  // CHECK: dhlo.bind @BoundNot
  %k = dhlo.from_dims [2 * @S] : tensor<i64>
  dhlo.bind @Bound = %k : tensor<i64>
  dhlo.bind @BoundNot = %k : tensor<i64>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<Bound>>
  %1 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<BoundNot>>
  return %0, %1 : tensor<?xi64, #dhlo.dims<Bound>>, tensor<?xi64, #dhlo.dims<BoundNot>>
}

// -----

// One definition proves the next: K is at least 2 as soon as it is 2 S, and L = K - 2 may be one.
dhlo.dim @S in [1, 512]
// CHECK-DAG: dhlo.dim @K = 2 * @S
dhlo.dim @K in [0, ?]
// CHECK-DAG: dhlo.dim @L = 2 * @S - 2
dhlo.dim @L in [0, ?]
// CHECK-LABEL: func.func @chain
func.func @chain(%x: tensor<?xf32, #dhlo.dims<S>>) -> (tensor<?xi64, #dhlo.dims<K>>, tensor<?xi64, #dhlo.dims<L>>) {
  // CHECK-NOT: dhlo.bind
  %k = dhlo.from_dims [2 * @S] : tensor<i64>
  dhlo.bind @K = %k : tensor<i64>
  %l = dhlo.from_dims [@K - 2] : tensor<i64>
  dhlo.bind @L = %l : tensor<i64>
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<K>>
  %1 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<?xi64, #dhlo.dims<L>>
  return %0, %1 : tensor<?xi64, #dhlo.dims<K>>, tensor<?xi64, #dhlo.dims<L>>
}

// -----

// What counts elements that are not zero is at most their number, unless the model says less.
dhlo.dim @B in [1, 64]
dhlo.dim @S in [1, 512]
// CHECK-DAG: dhlo.dim @Count in [0, ?] at_most @B * @S
dhlo.dim @Count in [0, ?]
// CHECK-DAG: dhlo.dim @Said in [0, ?] at_most 3
dhlo.dim @Said in [0, ?] at_most 3
// CHECK-DAG: dhlo.dim @Four in [0, ?] at_most 4
dhlo.dim @Four in [0, ?]
// CHECK-DAG: dhlo.dim @Scalar in [0, ?] at_most 1
dhlo.dim @Scalar in [0, ?]
// CHECK-LABEL: func.func @counts
func.func @counts(%x: tensor<?x?xf32, #dhlo.dims<B, S>>, %y: tensor<4xi1>, %z: tensor<i32>)
    -> (tensor<?x2xi64, #dhlo.dims<Count>>, tensor<?x2xi64, #dhlo.dims<Said>>, tensor<?x1xi64, #dhlo.dims<Four>>, tensor<?x0xi64, #dhlo.dims<Scalar>>) {
  %0 = dhlo.nonzero %x binds @Count : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2xi64, #dhlo.dims<Count>>
  %1 = dhlo.nonzero %x binds @Said : (tensor<?x?xf32, #dhlo.dims<B, S>>) -> tensor<?x2xi64, #dhlo.dims<Said>>
  %2 = dhlo.nonzero %y binds @Four : (tensor<4xi1>) -> tensor<?x1xi64, #dhlo.dims<Four>>
  %3 = dhlo.nonzero %z binds @Scalar : (tensor<i32>) -> tensor<?x0xi64, #dhlo.dims<Scalar>>
  return %0, %1, %2, %3 : tensor<?x2xi64, #dhlo.dims<Count>>, tensor<?x2xi64, #dhlo.dims<Said>>, tensor<?x1xi64, #dhlo.dims<Four>>, tensor<?x0xi64, #dhlo.dims<Scalar>>
}
