// RUN: dyn-opt %s -split-input-file -verify-diagnostics
// Each operation refuses element types, ranks and mixtures that it does not take.

func.func @exp(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.exp' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.exp %x : tensor<4xi32>
  return
}

// -----

func.func @expm1(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.expm1' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.expm1 %x : tensor<4xi32>
  return
}

// -----

func.func @log(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.log' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.log %x : tensor<4xi32>
  return
}

// -----

func.func @log1p(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.log1p' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.log1p %x : tensor<4xi32>
  return
}

// -----

func.func @sqrt(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.sqrt' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.sqrt %x : tensor<4xi32>
  return
}

// -----

func.func @rsqrt(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.rsqrt' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.rsqrt %x : tensor<4xi32>
  return
}

// -----

func.func @reciprocal(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.reciprocal' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.reciprocal %x : tensor<4xi32>
  return
}

// -----

func.func @tanh(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.tanh' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.tanh %x : tensor<4xi32>
  return
}

// -----

func.func @erf(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.erf' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.erf %x : tensor<4xi32>
  return
}

// -----

func.func @logistic(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.logistic' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.logistic %x : tensor<4xi32>
  return
}

// -----

func.func @sin(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.sin' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.sin %x : tensor<4xi32>
  return
}

// -----

func.func @cos(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.cos' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.cos %x : tensor<4xi32>
  return
}

// -----

func.func @tan(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.tan' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.tan %x : tensor<4xi32>
  return
}

// -----

func.func @asin(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.asin' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.asin %x : tensor<4xi32>
  return
}

// -----

func.func @acos(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.acos' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.acos %x : tensor<4xi32>
  return
}

// -----

func.func @atan(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.atan' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.atan %x : tensor<4xi32>
  return
}

// -----

func.func @sinh(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.sinh' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.sinh %x : tensor<4xi32>
  return
}

// -----

func.func @cosh(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.cosh' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.cosh %x : tensor<4xi32>
  return
}

// -----

func.func @asinh(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.asinh' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.asinh %x : tensor<4xi32>
  return
}

// -----

func.func @acosh(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.acosh' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.acosh %x : tensor<4xi32>
  return
}

// -----

func.func @atanh(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.atanh' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.atanh %x : tensor<4xi32>
  return
}

// -----

func.func @floor(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.floor' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.floor %x : tensor<4xi32>
  return
}

// -----

func.func @ceil(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.ceil' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.ceil %x : tensor<4xi32>
  return
}

// -----

func.func @round(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.round' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.round %x : tensor<4xi32>
  return
}

// -----

func.func @abs(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.abs' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.abs %x : tensor<4xi1>
  return
}

// -----

func.func @neg(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.neg' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.neg %x : tensor<4xi1>
  return
}

// -----

func.func @sign(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.sign' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.sign %x : tensor<4xi1>
  return
}

// -----

func.func @not(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.not' op operand #0 must be ranked tensor with named dynamic sizes of 1-bit signless integer or 8-bit signless integer or 16-bit signless integer or 32-bit signless integer or 64-bit signless integer or 8-bit unsigned integer or 16-bit unsigned integer or 32-bit unsigned integer or 64-bit unsigned integer values, but got 'tensor<4xf32>'}}
  %0 = dhlo.not %x : tensor<4xf32>
  return
}

// -----

func.func @is_nan(%x: tensor<4xi64>) {
  // expected-error @+1 {{'dhlo.is_nan' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi64>'}}
  %0 = dhlo.is_nan %x : (tensor<4xi64>) -> tensor<4xi1>
  return
}

// -----

func.func @is_inf(%x: tensor<4xi64>) {
  // expected-error @+1 {{'dhlo.is_inf' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi64>'}}
  %0 = dhlo.is_inf %x : (tensor<4xi64>) -> tensor<4xi1>
  return
}

// -----

func.func @is_nan_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.is_nan' op result #0 must be ranked tensor with named dynamic sizes of 1-bit signless integer values, but got 'tensor<4xi8>'}}
  %0 = dhlo.is_nan %x : (tensor<4xf32>) -> tensor<4xi8>
  return
}

// -----

func.func @is_inf_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.is_inf' op result #0 must be ranked tensor with named dynamic sizes of 1-bit signless integer values, but got 'tensor<4xi8>'}}
  %0 = dhlo.is_inf %x : (tensor<4xf32>) -> tensor<4xi8>
  return
}

// -----

func.func @add(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.add' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.add %x, %x : tensor<4xi1>
  return
}

// -----

func.func @sub(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.sub' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.sub %x, %x : tensor<4xi1>
  return
}

// -----

func.func @mul(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.mul' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.mul %x, %x : tensor<4xi1>
  return
}

// -----

func.func @div(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.div' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.div %x, %x : tensor<4xi1>
  return
}

// -----

func.func @rem(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.rem' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.rem %x, %x : tensor<4xi1>
  return
}

// -----

func.func @pow(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.pow' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.pow %x, %x : tensor<4xi1>
  return
}

// -----

func.func @maximum(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.maximum' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.maximum %x, %x : tensor<4xi1>
  return
}

// -----

func.func @minimum(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.minimum' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.minimum %x, %x : tensor<4xi1>
  return
}

// -----

func.func @atan2(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.atan2' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.atan2 %x, %x : tensor<4xi32>
  return
}

// -----

func.func @and(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.and' op operand #0 must be ranked tensor with named dynamic sizes of 1-bit signless integer or 8-bit signless integer or 16-bit signless integer or 32-bit signless integer or 64-bit signless integer or 8-bit unsigned integer or 16-bit unsigned integer or 32-bit unsigned integer or 64-bit unsigned integer values, but got 'tensor<4xf32>'}}
  %0 = dhlo.and %x, %x : tensor<4xf32>
  return
}

// -----

func.func @or(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.or' op operand #0 must be ranked tensor with named dynamic sizes of 1-bit signless integer or 8-bit signless integer or 16-bit signless integer or 32-bit signless integer or 64-bit signless integer or 8-bit unsigned integer or 16-bit unsigned integer or 32-bit unsigned integer or 64-bit unsigned integer values, but got 'tensor<4xf32>'}}
  %0 = dhlo.or %x, %x : tensor<4xf32>
  return
}

// -----

func.func @xor(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.xor' op operand #0 must be ranked tensor with named dynamic sizes of 1-bit signless integer or 8-bit signless integer or 16-bit signless integer or 32-bit signless integer or 64-bit signless integer or 8-bit unsigned integer or 16-bit unsigned integer or 32-bit unsigned integer or 64-bit unsigned integer values, but got 'tensor<4xf32>'}}
  %0 = dhlo.xor %x, %x : tensor<4xf32>
  return
}

// -----

func.func @shift_left(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.shift_left' op operand #0 must be ranked tensor with named dynamic sizes of integer values, but got 'tensor<4xi1>'}}
  %0 = dhlo.shift_left %x, %x : tensor<4xi1>
  return
}

// -----

func.func @shift_right(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.shift_right' op operand #0 must be ranked tensor with named dynamic sizes of integer values, but got 'tensor<4xi1>'}}
  %0 = dhlo.shift_right %x, %x : tensor<4xi1>
  return
}

// -----

func.func @compare_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.compare' op result #0 must be ranked tensor with named dynamic sizes of 1-bit signless integer values, but got 'tensor<4xi8>'}}
  %0 = dhlo.compare eq %x, %x : tensor<4xf32> -> tensor<4xi8>
  return
}

// -----

func.func @select_predicate(%p: tensor<4xi8>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.select' op operand #0 must be ranked tensor with named dynamic sizes of 1-bit signless integer values, but got 'tensor<4xi8>'}}
  %0 = dhlo.select %p, %x, %x : tensor<4xi8>, tensor<4xf32>
  return
}

// -----

func.func @convert_from(%x: tensor<4xf8E4M3FN>) {
  // expected-error @+1 {{'dhlo.convert' op operand #0 must be ranked tensor with named dynamic sizes of element values, but got 'tensor<4xf8E4M3FN>'}}
  %0 = dhlo.convert %x : (tensor<4xf8E4M3FN>) -> tensor<4xf32>
  return
}

// -----

func.func @convert_to(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.convert' op result #0 must be ranked tensor with named dynamic sizes of element values, but got 'tensor<4xi4>'}}
  %0 = dhlo.convert %x : (tensor<4xf32>) -> tensor<4xi4>
  return
}

// -----

func.func @binary_same_types(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{'dhlo.add' op requires the same type for all operands and results}}
  %0 = "dhlo.add"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @binary_same_sizes(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{'dhlo.mul' op requires the same type for all operands and results}}
  %0 = "dhlo.mul"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @binary_same_names(%x: tensor<?xf32, #dhlo.dims<N>>, %y: tensor<?xf32, #dhlo.dims<M>>) {
  // expected-error @+1 {{'dhlo.mul' op requires the same encoding for all operands and results}}
  %0 = "dhlo.mul"(%x, %y) : (tensor<?xf32, #dhlo.dims<N>>, tensor<?xf32, #dhlo.dims<M>>) -> tensor<?xf32, #dhlo.dims<N>>
  return
}

// -----

func.func @unary_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.exp' op requires the same type for all operands and results}}
  %0 = "dhlo.exp"(%x) : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @compare_operands(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{'dhlo.compare' op requires all operands to have the same type}}
  %0 = "dhlo.compare"(%x, %y) <{direction = #dhlo<direction eq>}> : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @select_operands(%p: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{'dhlo.select' op failed to verify that all of {onTrue, onFalse, result} have same type}}
  %0 = "dhlo.select"(%p, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{custom op 'dhlo.exp' invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %0 = dhlo.exp %x : tensor<*xf32>
  return
}

// -----

func.func @unnamed(%x: tensor<?xf32>) {
  // expected-error @+1 {{'dhlo.exp' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<?xf32>'}}
  %0 = dhlo.exp %x : tensor<?xf32>
  return
}

// -----

func.func @iota() {
  // expected-error @+1 {{'dhlo.iota' op result #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.iota axis = 0 start = [0] step = [1] : tensor<4xi1>
  return
}

// -----

func.func @rng() {
  // expected-error @+1 {{'dhlo.rng' op result #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.rng uniform low = 0.0 high = 1.0 stream = 0 : tensor<4xi32>
  return
}

// -----

func.func @gather_indices(%x: tensor<4xf32>, %i: tensor<2xi8>) {
  // expected-error @+1 {{'dhlo.gather' op operand #1 must be ranked tensor with named dynamic sizes of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<2xi8>'}}
  %0 = dhlo.gather %x, %i axis = 0 batch = 0 : (tensor<4xf32>, tensor<2xi8>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_elements_indices(%x: tensor<4xf32>, %i: tensor<2xf32>) {
  // expected-error @+1 {{'dhlo.gather_elements' op operand #1 must be ranked tensor with named dynamic sizes of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<2xf32>'}}
  %0 = dhlo.gather_elements %x, %i axis = 0 : (tensor<4xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_nd_indices(%x: tensor<4xf32>, %i: tensor<2x1xui64>) {
  // expected-error @+1 {{'dhlo.gather_nd' op operand #1 must be ranked tensor with named dynamic sizes of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<2x1xui64>'}}
  %0 = dhlo.gather_nd %x, %i batch = 0 : (tensor<4xf32>, tensor<2x1xui64>) -> tensor<2xf32>
  return
}

// -----

func.func @scatter_nd_indices(%x: tensor<4xf32>, %i: tensor<2x1xi16>, %u: tensor<2xf32>) {
  // expected-error @+1 {{'dhlo.scatter_nd' op operand #1 must be ranked tensor with named dynamic sizes of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<2x1xi16>'}}
  %0 = dhlo.scatter_nd %x, %i, %u replace : (tensor<4xf32>, tensor<2x1xi16>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_elements_indices(%x: tensor<4xf32>, %i: tensor<2xi1>, %u: tensor<2xf32>) {
  // expected-error @+1 {{'dhlo.scatter_elements' op operand #1 must be ranked tensor with named dynamic sizes of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<2xi1>'}}
  %0 = dhlo.scatter_elements %x, %i, %u replace axis = 0 : (tensor<4xf32>, tensor<2xi1>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @nonzero_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.nonzero' op result #0 must be ranked tensor with named dynamic sizes of 64-bit signless integer values, but got 'tensor<?x1xi32, #dhlo.dims<K>>'}}
  %0 = dhlo.nonzero %x binds @K : (tensor<4xf32>) -> tensor<?x1xi32, #dhlo.dims<K>>
  return
}

// -----

func.func @sort_indices(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.sort' op result #1 must be ranked tensor with named dynamic sizes of 64-bit signless integer values, but got 'tensor<4xi32>'}}
  %0, %1 = dhlo.sort %x axis = 0 : tensor<4xf32>, tensor<4xi32>
  return
}

// -----

func.func @sort_values(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.sort' op failed to verify that all of {operand, values} have same type}}
  %0, %1 = "dhlo.sort"(%x) <{axis = 0 : i64}> : (tensor<4xf32>) -> (tensor<4xf64>, tensor<4xi64>)
  return
}

// -----

func.func @top_k(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.top_k' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0, %1 = dhlo.top_k %x axis = 0 largest : (tensor<4xi1>) -> (tensor<2xi1>, tensor<2xi64>)
  return
}

// -----

func.func @top_k_indices(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.top_k' op result #1 must be ranked tensor with named dynamic sizes of 64-bit signless integer values, but got 'tensor<2xi32>'}}
  %0, %1 = dhlo.top_k %x axis = 0 largest : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func @pad_value(%x: tensor<4xf32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{'dhlo.pad' op operand #1 must be 0D tensor of any type values, but got 'tensor<1xf32>'}}
  %0 = dhlo.pad %x, %v constant low = [0] high = [0] : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @arg_reduce(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.arg_reduce' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.arg_reduce max %x axis = 0 : (tensor<4xi1>) -> tensor<i64>
  return
}

// -----

func.func @arg_reduce_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.arg_reduce' op result #0 must be ranked tensor with named dynamic sizes of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<i16>'}}
  %0 = dhlo.arg_reduce max %x axis = 0 : (tensor<4xf32>) -> tensor<i16>
  return
}

// -----

func.func @reduce_window(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.reduce_window' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.reduce_window max %x window = [1] strides = [1] dilations = [1] low = [0] high = [0] : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @cumulative(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.cumulative' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.cumulative sum %x axis = 0 : tensor<4xi1>
  return
}

// -----

func.func @segment_reduce_offsets(%x: tensor<4xf32>, %o: tensor<3xi8>) {
  // expected-error @+1 {{'dhlo.segment_reduce' op operand #1 must be ranked tensor with named dynamic sizes of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<3xi8>'}}
  %0 = dhlo.segment_reduce sum %x, %o : (tensor<4xf32>, tensor<3xi8>) -> tensor<2xf32>
  return
}

// -----

func.func @dot_general(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.dot_general' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.dot_general %x, %x batch = 0 lhs_contract = [0] rhs_contract = [0] : (tensor<4xi1>, tensor<4xi1>) -> tensor<i32>
  return
}

// -----

func.func @convolution(%x: tensor<1x1x4xi32>, %w: tensor<1x1x1xi32>) {
  // expected-error @+1 {{'dhlo.convolution' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<1x1x4xi32>'}}
  %0 = dhlo.convolution %x, %w channels_first strides = [1] low = [0] high = [0] input_dilation = [1] filter_dilation = [1] groups = 1 : (tensor<1x1x4xi32>, tensor<1x1x1xi32>) -> tensor<1x1x4xi32>
  return
}

// -----

func.func @softmax(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.softmax' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.softmax %x axis = 0 : tensor<4xi32>
  return
}

// -----

func.func @layer_norm(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.layer_norm' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.layer_norm %x, %x axis = 0 eps = 0.0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @layer_norm_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{'dhlo.layer_norm' op failed to verify that all of {operand, result} have same type}}
  %0 = dhlo.layer_norm %x, %x axis = 0 eps = 0.0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @rms_norm(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.rms_norm' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.rms_norm %x, %x axis = 0 eps = 0.0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @gelu(%x: tensor<4xi32>) {
  // expected-error @+1 {{'dhlo.gelu' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<4xi32>'}}
  %0 = dhlo.gelu erf %x : tensor<4xi32>
  return
}

// -----

func.func @attention(%x: tensor<1x1x2x4xi32>) {
  // expected-error @+1 {{'dhlo.attention' op operand #0 must be ranked tensor with named dynamic sizes of float values, but got 'tensor<1x1x2x4xi32>'}}
  %0 = dhlo.attention %x, %x, %x scale = 1.0 : (tensor<1x1x2x4xi32>, tensor<1x1x2x4xi32>, tensor<1x1x2x4xi32>) -> tensor<1x1x2x4xi32>
  return
}

// -----

func.func @lstm_lengths(%g: tensor<3x1x1x4xf32>, %r: tensor<1x1x4xf32>, %l: tensor<1xf32>) {
  // expected-error @+1 {{'dhlo.lstm' op operand #2 must be ranked tensor with named dynamic sizes of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<1xf32>'}}
  %0, %1, %2 = dhlo.lstm forward %g, %r lengths %l : (tensor<3x1x1x4xf32>, tensor<1x1x4xf32>, tensor<1xf32>) -> (tensor<3x1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>)
  return
}

// -----

func.func @resize(%x: tensor<4xi1>) {
  // expected-error @+1 {{'dhlo.resize' op operand #0 must be ranked tensor with named dynamic sizes of number values, but got 'tensor<4xi1>'}}
  %0 = dhlo.resize nearest asymmetric floor %x scales = [1.0] coefficient = 0.0 : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @bind_type(%x: tensor<i16>) {
  // expected-error @+1 {{'dhlo.bind' op operand #0 must be 0D tensor of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<i16>'}}
  dhlo.bind @N = %x : tensor<i16>
  return
}

// -----

func.func @bind_rank(%x: tensor<1xi64>) {
  // expected-error @+1 {{'dhlo.bind' op operand #0 must be 0D tensor of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<1xi64>'}}
  dhlo.bind @N = %x : tensor<1xi64>
  return
}

// -----

func.func @from_dims() {
  // expected-error @+1 {{'dhlo.from_dims' op result #0 must be ranked tensor of 32-bit signless integer or 64-bit signless integer or 32-bit float values, but got 'tensor<1xi8>'}}
  %0 = dhlo.from_dims [@N] : tensor<1xi8>
  return
}

// -----

func.func @if_condition(%p: tensor<i8>) {
  // expected-error @+1 {{'dhlo.if' op operand #0 must be scalar boolean, but got 'tensor<i8>'}}
  "dhlo.if"(%p) ({ dhlo.yield }, { dhlo.yield }) : (tensor<i8>) -> ()
  return
}

// -----

func.func @while_enter(%p: tensor<1xi1>) {
  // expected-error @+1 {{'dhlo.while' op operand #0 must be scalar boolean, but got 'tensor<1xi1>'}}
  "dhlo.while"(%p) ({ dhlo.yield }) : (tensor<1xi1>) -> ()
  return
}
