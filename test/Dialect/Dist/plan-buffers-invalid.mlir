// RUN: dyn-opt %s --dlhlo-fuse --dlhlo-outline-kernels --dlhlo-plan-buffers --verify-diagnostics

// Entries without ranks exchange nothing.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {dhlo.entry} {
  %s = dhlo.from_dims [0, 4] : tensor<2xi64>
  // expected-error @below {{'dist.exchange_start' op expected to be in a part of an entry}}
  %t = dist.exchange_start %x among [0] sends %s receives %s
      : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<4xf32>
  return %y : tensor<4xf32>
}
