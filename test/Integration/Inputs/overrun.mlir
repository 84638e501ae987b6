// A program over buffers that is wrong: its kernel works on one element more
// than its buffers have. FROM and TO stand for buffers of N elements.
dhlo.dim @N in [0, 4096]
dlhlo.constant @constant : tensor<5xf32> {
  %0 = dhlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  dlhlo.yield %0 : tensor<5xf32>
}
dlhlo.kernel @negate loop {
^bb0(%arg0: tensor<?xf32, #dhlo.dims<d0>>):
  dhlo.dim @d0 in [0, 4096]
  %0 = dhlo.neg %arg0 : tensor<?xf32, #dhlo.dims<d0>> loc("/layer/Neg")
  dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d0>>
} loc("/layer/Neg")
dlhlo.entry @main calls "dyn.entry.main"
    : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?xf32, #dhlo.dims<N>>
    inputs ["x"] outputs ["y"] dims [@N] arenas 1
func.func @dyn.entry.main(%input: !dlhlo.buffer, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %bytes = arith.constant 1024 : index
  %more = arith.addi %n, %one : index
  %arena = dlhlo.reserve %zero bytes %bytes
  %output = dlhlo.output 0 sizes(%n)
  %constant = dlhlo.constant_buffer @constant
  dlhlo.dispatch @negate dims(%more) buffers(FROM, TO) site_base = 0
  return
}
