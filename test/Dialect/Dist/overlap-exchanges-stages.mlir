// RUN: dyn-opt %s '--dist-overlap-exchanges=max-open=1' | FileCheck %s

// An exchange that the program lets run until its end, since another stage answers last, does not end before others
// begin that this stage may wait for.

// CHECK:      dist.exchange_start %arg0 among [0, 2]
// CHECK:      dist.exchange_start %arg1 among [0, 1]
// CHECK-NEXT: dist.exchange_wait
// CHECK:      dist.exchange_start %arg2 among [0, 1]
// CHECK-NEXT: dist.exchange_wait
// CHECK-NEXT: dist.exchange_wait
func.func @main_0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %r: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
    attributes {dist.part = #dist.part<"main", rank = 0, ranks = 3>} {
  %0 = dist.exchange_start %a among [0, 2] sends %r receives %r : (tensor<4xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %1 = dist.exchange_start %b among [0, 1] sends %r receives %r : (tensor<4xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %2 = dist.exchange_wait %1 : !dist.request -> tensor<4xf32>
  %3 = dist.exchange_start %c among [0, 1] sends %r receives %r : (tensor<4xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %4 = dist.exchange_wait %3 : !dist.request -> tensor<4xf32>
  %5 = dist.exchange_wait %0 : !dist.request -> tensor<4xf32>
  return %5, %2, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
