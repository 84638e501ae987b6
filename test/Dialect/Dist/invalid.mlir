// RUN: dyn-opt %s -split-input-file -verify-diagnostics

dist.mesh @mesh ["m" = 2]
// expected-error @+1 {{'func.func' op expected 'dist.sharding' to be a sharding, on a tensor}}
func.func @dist_c1(%x: tensor<4xf32> {dist.sharding = "m"}) {
  return
}

// -----

dist.mesh @mesh ["m" = 2]
// expected-error @+1 {{'func.func' op expected 'dist.sharding' to be a sharding, on a tensor}}
func.func @dist_c1_type(%x: index {dist.sharding = #dist.sharding<@mesh, []>}) {
  return
}

// -----

dist.mesh @mesh ["m" = 2]
// expected-error @+1 {{'func.func' op expected a sharding of 1 axes, found #dist.sharding<@mesh, []>}}
func.func @dist_c1_axes(%x: tensor<4xf32>) -> (tensor<4xf32> {dist.sharding = #dist.sharding<@mesh, []>}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op expected a mesh, found @mesh}}
func.func @dist_c1_mesh(%x: tensor<4xf32> {dist.sharding = #dist.sharding<@mesh, [[]]>}) {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected 'dist.part' to be a part, on a function or an entry}}
func.func @dist_c2() attributes {dist.part = 1} {
  return
}

// -----

// expected-error @+1 {{'dhlo.dim' op expected 'dist.part' to be a part, on a function or an entry}}
dhlo.dim @N {dist.part = #dist.part<"main", rank = 0, ranks = 1>}

// -----

dist.mesh @mesh ["m" = 2]
// expected-error @+1 {{expected mesh axis "m" to divide one axis}}
func.func @sharding_c1(%x: tensor<4x4xf32> {dist.sharding = #dist.sharding<@mesh, [["m"], ["m"]]>}) {
  return
}

// -----

// expected-error @+1 {{expected one of 2 ranks, found 2}}
func.func @part_c1() attributes {dist.part = #dist.part<"main", rank = 2, ranks = 2>} {
  return
}

// -----

// expected-error @+1 {{expected the name of an entry}}
func.func @part_c2() attributes {dist.part = #dist.part<"", rank = 0, ranks = 2>} {
  return
}

// -----

// expected-error @+1 {{expected ascending ranks of a stage below 3, with 1 among them}}
func.func @part_c3() attributes {dist.part = #dist.part<"main", rank = 1, ranks = 3, stage = [2]>} {
  return
}

// -----

// expected-error @+1 {{expected ascending ranks of a stage below 3, with 1 among them}}
func.func @part_c3_order() attributes {dist.part = #dist.part<"main", rank = 1, ranks = 3, stage = [1, 0]>} {
  return
}

// -----

// expected-error @+1 {{'dist.mesh' op expected axes with different names, found "m"}}
dist.mesh @mesh_c1 ["m" = 2, "m" = 2]

// -----

// expected-error @+1 {{'dist.mesh' op expected a size for each axis}}
"dist.mesh"() <{sym_name = "mesh_c1_sizes", names = ["m"], sizes = array<i64: 2, 2>}> : () -> ()

// -----

// expected-error @+1 {{'dist.mesh' op expected 1 to 65536 ranks}}
dist.mesh @mesh_c2 ["m" = 0]

// -----

// expected-error @+1 {{'dist.mesh' op expected 1 to 65536 ranks}}
dist.mesh @mesh_c2_most ["m" = 65536, "n" = 2]

// -----

dist.mesh @mesh ["m" = 2]
func.func @reshard_c1(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{'dist.reshard' op expected a sharding of 2 axes, found #dist.sharding<@mesh, [["m"]]>}}
  %0 = dist.reshard %x : tensor<4x4xf32> to <@mesh, [["m"]]>
  return
}

// -----

func.func private @mesh()
func.func @reshard_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dist.reshard' op expected a mesh, found @mesh}}
  %0 = dist.reshard %x : tensor<4xf32> to <@mesh, [["m"]]>
  return
}

// -----

dist.mesh @mesh ["m" = 2]
func.func @reshard_c2_axis(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dist.reshard' op expected an axis of mesh @mesh, found "n"}}
  %0 = dist.reshard %x : tensor<4xf32> to <@mesh, [["n"]]>
  return
}

// -----

func.func @exchange_start_c1(%x: tensor<4xf32>, %r: tensor<4xi64>)
    attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  // expected-error @+1 {{'dist.exchange_start' op expected different ranks of the program, found 2}}
  %t = dist.exchange_start %x among [0, 2] sends %r receives %r : (tensor<4xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<4xf32>
  return
}

// -----

func.func @exchange_start_c1_twice(%x: tensor<4xf32>, %r: tensor<4xi64>) {
  // expected-error @+1 {{'dist.exchange_start' op expected different ranks of the program, found 1}}
  %t = dist.exchange_start %x among [1, 1] sends %r receives %r : (tensor<4xf32>, tensor<4xi64>, tensor<4xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<4xf32>
  return
}

// -----

func.func @exchange_start_c1_own(%x: tensor<4xf32>, %r: tensor<2xi64>)
    attributes {dist.part = #dist.part<"main", rank = 0, ranks = 2>} {
  // expected-error @+1 {{'dist.exchange_start' op expected the rank of the function among those of the exchange}}
  %t = dist.exchange_start %x among [1] sends %r receives %r : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<4xf32>
  return
}

// -----

func.func @exchange_start_c2(%x: tensor<4xf32>, %r: tensor<4xi64>, %s: tensor<2xi64>) {
  // expected-error @+1 {{'dist.exchange_start' op expected ranges of 4 numbers, found 'tensor<2xi64>'}}
  %t = dist.exchange_start %x among [0, 1] sends %r receives %s : (tensor<4xf32>, tensor<4xi64>, tensor<2xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<4xf32>
  return
}

// -----

func.func @exchange_start_c3(%x: tensor<f32>, %r: tensor<2xi64>) {
  // expected-error @+1 {{'dist.exchange_start' op expected rows with an axis}}
  %t = dist.exchange_start %x among [0] sends %r receives %r : (tensor<f32>, tensor<2xi64>, tensor<2xi64>) -> !dist.request
  %y = dist.exchange_wait %t : !dist.request -> tensor<f32>
  return
}

// -----

func.func @exchange_start_c4(%x: tensor<4xf32>, %r: tensor<2xi64>) {
  // expected-error @+1 {{'dist.exchange_start' op expected one 'dist.exchange_wait' in the same block}}
  %t = dist.exchange_start %x among [0] sends %r receives %r : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>) -> !dist.request
  return
}

// -----

func.func @exchange_wait_c1(%t: !dist.request) {
  // expected-error @+1 {{'dist.exchange_wait' op expected the result of a 'dist.exchange_start'}}
  %y = dist.exchange_wait %t : !dist.request -> tensor<4xf32>
  return
}

// -----

func.func @exchange_wait_c2(%x: tensor<4xf32>, %r: tensor<2xi64>) {
  %t = dist.exchange_start %x among [0] sends %r receives %r : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>) -> !dist.request
  // expected-error @+1 {{'dist.exchange_wait' op expected result with elements of type 'f32', found 'f16'}}
  %y = dist.exchange_wait %t : !dist.request -> tensor<4xf16>
  return
}

// -----

func.func @exchange_wait_c2_sizes(%x: tensor<4x8xf32>, %r: tensor<2xi64>) {
  %t = dist.exchange_start %x among [0] sends %r receives %r : (tensor<4x8xf32>, tensor<2xi64>, tensor<2xi64>) -> !dist.request
  // expected-error @+1 {{'dist.exchange_wait' op expected size 8 at axis 1 of result, found 4}}
  %y = dist.exchange_wait %t : !dist.request -> tensor<4x4xf32>
  return
}

// -----

dist.mesh @mesh ["m" = 2]
func.func @sums_c1(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{expected a power of two segments, found 3}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["m"], segments = 3>}
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

dist.mesh @mesh ["m" = 2]
func.func @sums_c1_least(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{expected a power of two segments, found 0}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["m"], segments = 0>}
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

dist.mesh @mesh ["m" = 2]
func.func @sums_c2(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{expected different names of axes, found "m"}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["m", "m"], segments = 4>}
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

dist.mesh @mesh ["m" = 2]
func.func @sums_c2_name(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{expected different names of axes, found 1}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] {dist.sums = #dist.sums<@mesh, pair = 0, axes = [1], segments = 4>}
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

dist.mesh @mesh ["m" = 2]
func.func @dist_c4(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected 'dist.sums' to be sums, on a contraction}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] {dist.sums = 1}
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

dist.mesh @mesh ["m" = 2]
func.func @dist_c4_pair(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected one of 1 pairs of contracted axes, found 1}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] {dist.sums = #dist.sums<@mesh, pair = 1, axes = ["m"], segments = 4>}
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

dist.mesh @mesh ["m" = 2]
func.func @dist_c4_size(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected a static size that is a multiple of 16 segments}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["m"], segments = 16>}
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

dist.mesh @mesh ["m" = 2]
func.func @dist_c4_axis(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected an axis of mesh @mesh, found "n"}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["n"], segments = 4>}
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func private @mesh()
func.func @dist_c4_mesh(%x: tensor<4x8xf32>, %w: tensor<8x4xf32>) {
  // expected-error @+1 {{'dhlo.dot_general' op expected a mesh, found @mesh}}
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["m"], segments = 4>}
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

dist.mesh @mesh ["m" = 2]
// expected-error @+1 {{'func.func' op expected 'dist.sums' to be sums, on a contraction}}
func.func @dist_c4_operation() attributes {dist.sums = #dist.sums<@mesh, pair = 0, axes = ["m"], segments = 4>} {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected 'dist.micro_batches' to be an i64 of at least 1, on a function}}
func.func @dist_c5_least() attributes {dist.micro_batches = 0 : i64} {
  return
}

// -----

// expected-error @+1 {{'func.func' op expected 'dist.micro_batches' to be an i64 of at least 1, on a function}}
func.func @dist_c5_type() attributes {dist.micro_batches = 2 : ui64} {
  return
}

// -----

func.func @dist_c6(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.tanh' op expected 'dist.block' to be an i64 of at least 0, on a 'dist.reshard'}}
  %0 = dhlo.tanh %x {dist.block = 1 : i64} : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{'dist.mesh' op expected a first rank of 0 to 65536, found -1}}
dist.mesh @mesh_c3 ["m" = 2] first = -1
