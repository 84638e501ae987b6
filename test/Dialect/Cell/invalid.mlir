// RUN: dyn-opt %s -split-input-file -verify-diagnostics

func.func @split_c1(%x: tensor<6x4xf32>) {
  // expected-error @+1 {{'cell.split' op expected strictly ascending axes in [0, 2), found [1, 0]}}
  %0 = cell.split %x axes = [1, 0] block = [1, 1] : (tensor<6x4xf32>) -> tensor<24xf32>
  return
}

// -----

func.func @split_c1_none(%x: tensor<6x4xf32>) {
  // expected-error @+1 {{'cell.split' op expected at least one axis}}
  %0 = cell.split %x axes = [] block = [] : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @split_c2(%x: tensor<6x4xf32>) {
  // expected-error @+1 {{'cell.split' op expected 1 blocks, found 2}}
  %0 = cell.split %x axes = [0] block = [1, 1] : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @split_c2_least(%x: tensor<6x4xf32>) {
  // expected-error @+1 {{'cell.split' op expected blocks of at least 1, found [0]}}
  %0 = cell.split %x axes = [0] block = [0] : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @split_c3(%x: tensor<6x4xf32>) {
  // expected-error @+1 {{'cell.split' op expected a multiple of 4 at axis 0, found 6}}
  %0 = cell.split %x axes = [0] block = [4] : (tensor<6x4xf32>) -> tensor<1x4x4xf32>
  return
}

// -----

func.func @split_c4(%x: tensor<6x4xf32>) {
  // expected-error @+1 {{'cell.split' op expected size 3 at axis 0 of result, found 2}}
  %0 = cell.split %x axes = [0] block = [2] : (tensor<6x4xf32>) -> tensor<2x2x4xf32>
  return
}

// -----

func.func @split_c4_type(%x: tensor<6x4xf32>) {
  // expected-error @+1 {{'cell.split' op expected result with elements of type 'f32', found 'f64'}}
  %0 = cell.split %x axes = [0] block = [2] : (tensor<6x4xf32>) -> tensor<3x2x4xf64>
  return
}

// -----

func.func @join_c1(%x: tensor<6x4xf32>) {
  // expected-error @+1 {{'cell.join' op expected strictly ascending axes in [0, 2), found [2]}}
  %0 = cell.join %x axes = [2] block = [1] : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @join_c2(%x: tensor<6x4xf32>) {
  // expected-error @+1 {{'cell.join' op expected 1 blocks, found 0}}
  %0 = cell.join %x axes = [0] block = [] : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @join_c3(%x: tensor<6x4xf32>) {
  // expected-error @+1 {{'cell.join' op expected a multiple of 4 at axis 0, found 6}}
  %0 = cell.join %x axes = [0] block = [4] : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @join_c4(%x: tensor<6x4xf32>) {
  // expected-error @+1 {{'cell.join' op expected operand of rank 3, found rank 2}}
  %0 = cell.join %x axes = [0] block = [2] : (tensor<6x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

// expected-error @+1 {{expected at least one path, found 0}}
func.func @routes_c1(%r: !cell.routes<4, 0, 4>) {
  return
}

// -----

func.func @route_c1(%i: tensor<4x2xi64>) {
  // expected-error @+1 {{'cell.route' op expected region arguments with the operands' types}}
  %0 = cell.route(%i) : (tensor<4x2xi64>) -> !cell.routes<4, 8, 8> {
  ^bb0(%j: tensor<4x1xi64>):
    cell.choose %j : tensor<4x1xi64>
  }
  return
}

// -----

func.func @route_c2(%i: tensor<4x2xi64>) {
  // expected-error @+1 {{'cell.route' op expected a region that ends in 'cell.choose'}}
  %0 = cell.route(%i) : (tensor<4x2xi64>) -> !cell.routes<4, 8, 8> {
  ^bb0(%j: tensor<4x2xi64>):
    dhlo.yield %j : tensor<4x2xi64>
  }
  return
}

// -----

func.func @route_c3_cells(%i: tensor<4x2xi64>) {
  // expected-error @+1 {{'cell.route' op expected size 5 at axis 0 of choices, found 4}}
  %0 = cell.route(%i) : (tensor<4x2xi64>) -> !cell.routes<5, 8, 8> {
  ^bb0(%j: tensor<4x2xi64>):
    cell.choose %j : tensor<4x2xi64>
  }
  return
}

// -----

func.func @route_c3_mask(%i: tensor<4x2xi1>) {
  // expected-error @+1 {{'cell.route' op expected size 3 at axis 1 of choices, found 2}}
  %0 = cell.route(%i) : (tensor<4x2xi1>) -> !cell.routes<4, 3, 8> {
  ^bb0(%j: tensor<4x2xi1>):
    cell.choose %j : tensor<4x2xi1>
  }
  return
}

// -----

func.func @route_c3_rows(%i: tensor<4x2xi64>) {
  // expected-error @+1 {{'cell.route' op expected room for 8 rows, found 7}}
  %0 = cell.route(%i) : (tensor<4x2xi64>) -> !cell.routes<4, 8, 7> {
  ^bb0(%j: tensor<4x2xi64>):
    cell.choose %j : tensor<4x2xi64>
  }
  return
}

// -----

func.func @choose_c1(%i: tensor<4xi64>) {
  %0 = cell.route(%i) : (tensor<4xi64>) -> !cell.routes<4, 8, 4> {
  ^bb0(%j: tensor<4xi64>):
    // expected-error @+1 {{'cell.choose' op expected choices of rank 2, found rank 1}}
    cell.choose %j : tensor<4xi64>
  }
  return
}

// -----

func.func @choose_c1_weights(%i: tensor<4x2xi64>, %w: tensor<4x1xf32>) {
  %0 = cell.route(%i, %w) : (tensor<4x2xi64>, tensor<4x1xf32>) -> !cell.routes<4, 8, 8> {
  ^bb0(%j: tensor<4x2xi64>, %v: tensor<4x1xf32>):
    // expected-error @+1 {{'cell.choose' op expected size 2 at axis 1 of weights, found 1}}
    cell.choose %j weights(%v : tensor<4x1xf32>) : tensor<4x2xi64>
  }
  return
}

// -----

func.func @choose_c2(%i: tensor<4x2xi64>, %w: tensor<4x1xf32>) {
  %0 = cell.route(%i, %w) : (tensor<4x2xi64>, tensor<4x1xf32>) -> !cell.routes<4, 8, 8> {
  ^bb0(%j: tensor<4x2xi64>, %v: tensor<4x1xf32>):
    // expected-error @+1 {{'cell.choose' op expected priorities of rank 1, found rank 2}}
    cell.choose %j priorities(%v : tensor<4x1xf32>) : tensor<4x2xi64>
  }
  return
}

// -----

func.func @offsets_c1(%r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.offsets' op expected size 3 at axis 0 of result, found 2}}
  %0 = cell.offsets %r : !cell.routes<4, 2, 8> -> tensor<2xi64>
  return
}

// -----

func.func @paths_c1(%r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.paths' op expected size 8 at axis 0 of result, found 4}}
  %0 = cell.paths %r : !cell.routes<4, 2, 8> -> tensor<4xi64>
  return
}

// -----

func.func @dispatch_c1(%x: tensor<5x3xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.dispatch' op expected size 4 at axis 0 of operand, found 5}}
  %0 = cell.dispatch %x, %r : (tensor<5x3xf32>, !cell.routes<4, 2, 8>) -> tensor<8x3xf32>
  return
}

// -----

func.func @dispatch_c1_scalar(%x: tensor<f32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.dispatch' op expected operand of rank at least 1, found rank 0}}
  %0 = cell.dispatch %x, %r : (tensor<f32>, !cell.routes<4, 2, 8>) -> tensor<8xf32>
  return
}

// -----

func.func @dispatch_c2(%x: tensor<4x3xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.dispatch' op expected size 8 at axis 0 of result, found 4}}
  %0 = cell.dispatch %x, %r : (tensor<4x3xf32>, !cell.routes<4, 2, 8>) -> tensor<4x3xf32>
  return
}

// -----

func.func @dispatch_c3(%x: tensor<4x3xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.dispatch' op expected result with elements of type 'f32', found 'f64'}}
  %0 = cell.dispatch %x, %r : (tensor<4x3xf32>, !cell.routes<4, 2, 8>) -> tensor<8x3xf64>
  return
}

// -----

func.func @combine_c1(%x: tensor<4x3xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.combine' op expected size 8 at axis 0 of operand, found 4}}
  %0 = cell.combine %x, %r sum : (tensor<4x3xf32>, !cell.routes<4, 2, 8>) -> tensor<4x3xf32>
  return
}

// -----

func.func @combine_c2(%x: tensor<8x3xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.combine' op expected size 4 at axis 0 of result, found 8}}
  %0 = cell.combine %x, %r sum : (tensor<8x3xf32>, !cell.routes<4, 2, 8>) -> tensor<8x3xf32>
  return
}

// -----

func.func @combine_c3(%x: tensor<8x3xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.combine' op expected size 4 at axis 0 of otherwise, found 8}}
  %0 = cell.combine %x, %r, %x sum : (tensor<8x3xf32>, !cell.routes<4, 2, 8>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @combine_c4_sum(%x: tensor<8x3xi32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.combine' op expected a sum of floats, found 'i32'}}
  %0 = cell.combine %x, %r sum : (tensor<8x3xi32>, !cell.routes<4, 2, 8>) -> tensor<4x3xi32>
  return
}

// -----

func.func @combine_c4(%x: tensor<8x3xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.combine' op expected result with elements of type 'f32', found 'f64'}}
  %0 = cell.combine %x, %r last : (tensor<8x3xf32>, !cell.routes<4, 2, 8>) -> tensor<4x3xf64>
  return
}

// -----

func.func @combine_c4_otherwise(%x: tensor<8x3xf32>, %z: tensor<4x3xf64>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.combine' op expected otherwise with elements of type 'f32', found 'f64'}}
  %0 = cell.combine %x, %r, %z last : (tensor<8x3xf32>, !cell.routes<4, 2, 8>, tensor<4x3xf64>) -> tensor<4x3xf32>
  return
}

// -----

dhlo.dim @K0
dhlo.dim @K1
func.func @switch_c1_regions(%x: tensor<8xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.switch' op expected 2 regions, found 1}}
  %0 = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<4, 2, 8>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?xf32, #dhlo.dims<K0>>
  }
  return
}

// -----

dhlo.dim @K0
dhlo.dim @K1
func.func @switch_c1_counts(%x: tensor<8xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.switch' op expected 2 counts, found 1}}
  %0 = cell.switch %r counts [@K0] (%x) : (!cell.routes<4, 2, 8>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?xf32, #dhlo.dims<K1>>
  }
  return
}

// -----

dhlo.dim @K0
dhlo.dim @K1
func.func @switch_c2_operand(%x: tensor<4xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.switch' op expected size 8 at axis 0 of operand, found 4}}
  %0 = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<4, 2, 8>, tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?xf32, #dhlo.dims<K1>>
  }
  return
}

// -----

dhlo.dim @K0
dhlo.dim @K1
func.func @switch_c2_result(%x: tensor<8xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.switch' op expected size 8 at axis 0 of result, found 4}}
  %0 = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<4, 2, 8>, tensor<8xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?xf32, #dhlo.dims<K1>>
  }
  return
}

// -----

dhlo.dim @K0
dhlo.dim @K1
func.func @switch_c3(%x: tensor<8xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.switch' op expected path 0 to take ('tensor<?xf32, #dhlo.dims<K0>>'), found ('tensor<?xf32, #dhlo.dims<K1>>')}}
  %0 = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<4, 2, 8>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?xf32, #dhlo.dims<K1>>
  }, {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?xf32, #dhlo.dims<K1>>
  }
  return
}

// -----

dhlo.dim @K0
dhlo.dim @K1
func.func @switch_c4(%x: tensor<8xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.switch' op expected path 0 to yield ('tensor<?xf64, #dhlo.dims<K0>>'), found ('tensor<?xf32, #dhlo.dims<K0>>')}}
  %0 = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<4, 2, 8>, tensor<8xf32>) -> tensor<8xf64> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K0>>):
    dhlo.yield %a : tensor<?xf32, #dhlo.dims<K0>>
  }, {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?xf32, #dhlo.dims<K1>>
  }
  return
}

// -----

dhlo.dim @K0
dhlo.dim @K1
func.func @switch_c4_end(%x: tensor<8xf32>, %r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.switch' op expected path 0 to end in 'dhlo.yield'}}
  %0 = cell.switch %r counts [@K0, @K1] (%x) : (!cell.routes<4, 2, 8>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K0>>):
    llvm.unreachable
  }, {
  ^bb0(%a: tensor<?xf32, #dhlo.dims<K1>>):
    dhlo.yield %a : tensor<?xf32, #dhlo.dims<K1>>
  }
  return
}

// -----

func.func @probe_c1(%r: !cell.routes<4, 2, 8>) {
  // expected-error @+1 {{'cell.probe' op expected a key that is not empty}}
  cell.probe "" %r : !cell.routes<4, 2, 8>
  return
}

// -----

// expected-error @+1 {{expected a share from 0 to 1024, found 1025}}
func.func private @prediction_c1() attributes {test.p = #cell.prediction<majority, share = 1025, paths = [0]>}

// -----

// expected-error @+1 {{expected paths unless the prediction is early}}
func.func private @prediction_c2() attributes {test.p = #cell.prediction<majority, share = 1024>}

// -----

// expected-error @+1 {{expected paths unless the prediction is early}}
func.func private @prediction_c2_early() attributes {test.p = #cell.prediction<early, share = 1024, paths = [0]>}

// -----

// expected-error @+1 {{expected the key of a router if and only if the kind is after}}
func.func private @prediction_c2_after() attributes {test.p = #cell.prediction<after, share = 1024, paths = [0]>}

// -----

func.func @cell_c1(%x: tensor<4x2xi1>) {
  // expected-error @+1 {{'cell.route' op expected 'cell.speculate' to be a prediction, on a router}}
  %0 = cell.route(%x) : (tensor<4x2xi1>) -> !cell.routes<4, 2, 8> {
  ^bb0(%m: tensor<4x2xi1>):
    cell.choose %m : tensor<4x2xi1>
  } {cell.speculate = 3 : i64}
  return
}

// -----

// expected-error @+1 {{'func.func' op expected 'cell.preload' to be a prediction, on a router}}
func.func private @cell_c1_router() attributes {cell.preload = #cell.prediction<early, share = 1024>}

// -----

func.func @cell_c2(%x: tensor<4x2xi1>) {
  // expected-error @+1 {{'cell.route' op expected a prediction of one of 2 paths, found 2}}
  %0 = cell.route(%x) : (tensor<4x2xi1>) -> !cell.routes<4, 2, 8> {
  ^bb0(%m: tensor<4x2xi1>):
    cell.choose %m : tensor<4x2xi1>
  } {cell.speculate = #cell.prediction<majority, share = 512, paths = [2]>}
  return
}

// -----

func.func @cell_c3(%x: tensor<4x2xi1>) {
  // expected-error @+1 {{'cell.route' op expected 'cell.pays_from' to be from 0 to 1024, on a router}}
  %0 = cell.route(%x) : (tensor<4x2xi1>) -> !cell.routes<4, 2, 8> {
  ^bb0(%m: tensor<4x2xi1>):
    cell.choose %m : tensor<4x2xi1>
  } {cell.pays_from = 1025 : i64}
  return
}

// -----

// expected-error @+1 {{'func.func' op expected 'cell.pays_from' to be from 0 to 1024, on a router}}
func.func private @cell_c3_router() attributes {cell.pays_from = 3 : i64}

// -----

func.func @select_c1(%r: !cell.routes<4, 2, 4>) {
  // expected-error @+1 {{'cell.select' op expected at least one tensor of rows}}
  %0 = cell.select %r from() rows() : (!cell.routes<4, 2, 4>) -> tensor<4xf32>
  return
}

// -----

func.func @select_c1_count(%r: !cell.routes<4, 2, 4>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'cell.select' op expected 2 tensors of rows, found 1}}
  %0 = cell.select %r from(%r, %r) rows(%x) : (!cell.routes<4, 2, 4>, !cell.routes<4, 2, 4>, !cell.routes<4, 2, 4>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_c2(%r: !cell.routes<4, 2, 4>, %s: !cell.routes<4, 3, 4>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'cell.select' op expected routes of 2 paths, found 3}}
  %0 = cell.select %r from(%s) rows(%x) : (!cell.routes<4, 2, 4>, !cell.routes<4, 3, 4>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_c2_cells(%r: !cell.routes<4, 2, 4>, %s: !cell.routes<5, 2, 5>, %x: tensor<5xf32>) {
  // expected-error @+1 {{'cell.select' op expected routes of at most 4 cells, found 5}}
  %0 = cell.select %r from(%s) rows(%x) : (!cell.routes<4, 2, 4>, !cell.routes<5, 2, 5>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_c3(%r: !cell.routes<4, 2, 4>, %x: tensor<5xf32>) {
  // expected-error @+1 {{'cell.select' op expected size 4 at axis 0 of rows, found 5}}
  %0 = cell.select %r from(%r) rows(%x) : (!cell.routes<4, 2, 4>, !cell.routes<4, 2, 4>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_c4(%r: !cell.routes<4, 2, 4>, %x: tensor<4x2xf32>) {
  // expected-error @+1 {{'cell.select' op expected size 2 at axis 1 of result, found 3}}
  %0 = cell.select %r from(%r) rows(%x) : (!cell.routes<4, 2, 4>, !cell.routes<4, 2, 4>, tensor<4x2xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @select_c4_type(%r: !cell.routes<4, 2, 4>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'cell.select' op expected result with elements of type 'f32', found 'f64'}}
  %0 = cell.select %r from(%r) rows(%x) : (!cell.routes<4, 2, 4>, !cell.routes<4, 2, 4>, tensor<4xf32>) -> tensor<4xf64>
  return
}
