// A tensor whose elements no number of 64 bits counts.
func.func @main(%x: tensor<4x9223372036854775807xi32> {dhlo.name = "x"})
    -> (tensor<4x9223372036854775807xi32> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %0 = dhlo.add %x, %x : tensor<4x9223372036854775807xi32>
  return %0 : tensor<4x9223372036854775807xi32>
}
