// One kernel of each schedule, at dynamic sizes: what registers.py assembles.

dlhlo.kernel @gelu loop {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>, %y: tensor<?xf32, #dhlo.dims<d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.broadcast %y axes = [1] : (tensor<?xf32, #dhlo.dims<d1>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %1 = dhlo.add %x, %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  %2 = dhlo.gelu erf %1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %2 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

dlhlo.kernel @column column {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.reduce sum %x axes = [0] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?xf32, #dhlo.dims<d1>>
  dlhlo.yield %0 : tensor<?xf32, #dhlo.dims<d1>>
}

dlhlo.kernel @column_softmax column {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.softmax %x axis = 0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

dlhlo.kernel @transpose transpose {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.transpose %x permutation = [1, 0] : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> tensor<?x?xf32, #dhlo.dims<d1, d0>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d1, d0>>
}

dlhlo.kernel @softmax row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.softmax %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

dlhlo.kernel @layer_norm row {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>, %s: tensor<?xf32, #dhlo.dims<d1>>, %o: tensor<?xf32, #dhlo.dims<d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.layer_norm %x, %s, %o axis = 1 eps = 1.0e-5 : (tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?xf32, #dhlo.dims<d1>>, tensor<?xf32, #dhlo.dims<d1>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

dlhlo.kernel @dot_f32 contraction {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<M, K>>, %w: tensor<?x?xf32, #dhlo.dims<K, N>>, %c: tensor<?xf32, #dhlo.dims<N>>):
  dhlo.dim @M in [0, ?]
  dhlo.dim @K in [0, ?]
  dhlo.dim @N in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x?xf32, #dhlo.dims<M, K>>, tensor<?x?xf32, #dhlo.dims<K, N>>) -> tensor<?x?xf32, #dhlo.dims<M, N>>
  %1 = dhlo.broadcast %c axes = [1] : (tensor<?xf32, #dhlo.dims<N>>) -> tensor<?x?xf32, #dhlo.dims<M, N>>
  %2 = dhlo.add %0, %1 : tensor<?x?xf32, #dhlo.dims<M, N>>
  dlhlo.yield %2 : tensor<?x?xf32, #dhlo.dims<M, N>>
}

dlhlo.kernel @dot_f16 contraction {
^bb0(%x: tensor<?x?xf16, #dhlo.dims<M, K>>, %w: tensor<?x?xf16, #dhlo.dims<K, N>>):
  dhlo.dim @M in [0, ?]
  dhlo.dim @K in [0, ?]
  dhlo.dim @N in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x?xf16, #dhlo.dims<M, K>>, tensor<?x?xf16, #dhlo.dims<K, N>>) -> tensor<?x?xf16, #dhlo.dims<M, N>>
  dlhlo.yield %0 : tensor<?x?xf16, #dhlo.dims<M, N>>
}

dlhlo.kernel @dot_bf16 contraction {
^bb0(%x: tensor<?x?xbf16, #dhlo.dims<M, K>>, %w: tensor<?x?xbf16, #dhlo.dims<K, N>>):
  dhlo.dim @M in [0, ?]
  dhlo.dim @K in [0, ?]
  dhlo.dim @N in [0, ?]
  %0 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0] : (tensor<?x?xbf16, #dhlo.dims<M, K>>, tensor<?x?xbf16, #dhlo.dims<K, N>>) -> tensor<?x?xbf16, #dhlo.dims<M, N>>
  dlhlo.yield %0 : tensor<?x?xbf16, #dhlo.dims<M, N>>
}

dlhlo.kernel @grouped_dot contraction {
^bb0(%x: tensor<?x768xbf16, #dhlo.dims<R>>, %w: tensor<64x768x3072xbf16>, %o: tensor<65xi64>):
  dhlo.dim @R in [0, ?]
  %0 = dhlo.grouped_dot %x, %w, %o : (tensor<?x768xbf16, #dhlo.dims<R>>, tensor<64x768x3072xbf16>, tensor<65xi64>) -> tensor<?x3072xbf16, #dhlo.dims<R>>
  dlhlo.yield %0 : tensor<?x3072xbf16, #dhlo.dims<R>>
}

dlhlo.kernel @conv_f32 convolution {
^bb0(%x: tensor<?x?x?x64xf32, #dhlo.dims<N, H, W>>, %w: tensor<3x3x64x128xf32>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @H in [0, ?]
  dhlo.dim @W in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x?x?x64xf32, #dhlo.dims<N, H, W>>, tensor<3x3x64x128xf32>) -> tensor<?x?x?x128xf32, #dhlo.dims<N, H, W>>
  dlhlo.yield %0 : tensor<?x?x?x128xf32, #dhlo.dims<N, H, W>>
}

dlhlo.kernel @conv_f16 convolution {
^bb0(%x: tensor<?x?x?x64xf16, #dhlo.dims<N, H, W>>, %w: tensor<3x3x64x128xf16>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @H in [0, ?]
  dhlo.dim @W in [0, ?]
  %0 = dhlo.convolution %x, %w channels_last strides = [1, 1] low = [1, 1] high = [1, 1]
      input_dilation = [1, 1] filter_dilation = [1, 1] groups = 1
      : (tensor<?x?x?x64xf16, #dhlo.dims<N, H, W>>, tensor<3x3x64x128xf16>) -> tensor<?x?x?x128xf16, #dhlo.dims<N, H, W>>
  dlhlo.yield %0 : tensor<?x?x?x128xf16, #dhlo.dims<N, H, W>>
}

dlhlo.kernel @attention_f32 attention {
^bb0(%q: tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, %k: tensor<?x12x?x64xf32, #dhlo.dims<B, T>>, %m: tensor<?x1x1x?xf32, #dhlo.dims<B, T>>):
  dhlo.dim @B in [0, ?]
  dhlo.dim @S in [0, ?]
  dhlo.dim @T in [0, ?]
  %0 = dhlo.attention %q, %k, %k mask %m scale = 0.125
      : (tensor<?x12x?x64xf32, #dhlo.dims<B, S>>, tensor<?x12x?x64xf32, #dhlo.dims<B, T>>, tensor<?x12x?x64xf32, #dhlo.dims<B, T>>, tensor<?x1x1x?xf32, #dhlo.dims<B, T>>) -> tensor<?x12x?x64xf32, #dhlo.dims<B, S>>
  dlhlo.yield %0 : tensor<?x12x?x64xf32, #dhlo.dims<B, S>>
}

dlhlo.kernel @attention_f16 attention {
^bb0(%q: tensor<?x12x?x64xf16, #dhlo.dims<B, S>>, %k: tensor<?x12x?x64xf16, #dhlo.dims<B, T>>, %m: tensor<?x1x1x?xf16, #dhlo.dims<B, T>>):
  dhlo.dim @B in [0, ?]
  dhlo.dim @S in [0, ?]
  dhlo.dim @T in [0, ?]
  %0 = dhlo.attention %q, %k, %k mask %m scale = 0.125
      : (tensor<?x12x?x64xf16, #dhlo.dims<B, S>>, tensor<?x12x?x64xf16, #dhlo.dims<B, T>>, tensor<?x12x?x64xf16, #dhlo.dims<B, T>>, tensor<?x1x1x?xf16, #dhlo.dims<B, T>>) -> tensor<?x12x?x64xf16, #dhlo.dims<B, S>>
  dlhlo.yield %0 : tensor<?x12x?x64xf16, #dhlo.dims<B, S>>
}

dlhlo.kernel @attention_bf16 attention {
^bb0(%q: tensor<?x?x32x128xbf16, #dhlo.dims<B, S>>, %k: tensor<?x?x8x128xbf16, #dhlo.dims<B, T>>):
  dhlo.dim @B in [0, ?]
  dhlo.dim @S in [0, ?]
  dhlo.dim @T in [0, ?]
  %0 = dhlo.transpose %q permutation = [0, 2, 1, 3] : (tensor<?x?x32x128xbf16, #dhlo.dims<B, S>>) -> tensor<?x32x?x128xbf16, #dhlo.dims<B, S>>
  %1 = dhlo.transpose %k permutation = [0, 2, 1, 3] : (tensor<?x?x8x128xbf16, #dhlo.dims<B, T>>) -> tensor<?x8x?x128xbf16, #dhlo.dims<B, T>>
  %2 = dhlo.attention %0, %1, %1 scale = 0.125 causal
      : (tensor<?x32x?x128xbf16, #dhlo.dims<B, S>>, tensor<?x8x?x128xbf16, #dhlo.dims<B, T>>, tensor<?x8x?x128xbf16, #dhlo.dims<B, T>>) -> tensor<?x32x?x128xbf16, #dhlo.dims<B, S>>
  %3 = dhlo.transpose %2 permutation = [0, 2, 1, 3] : (tensor<?x32x?x128xbf16, #dhlo.dims<B, S>>) -> tensor<?x?x32x128xbf16, #dhlo.dims<B, S>>
  dlhlo.yield %3 : tensor<?x?x32x128xbf16, #dhlo.dims<B, S>>
}

dlhlo.kernel @sort single {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %v, %i = dhlo.sort %x axis = 1 : tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?x?xi64, #dhlo.dims<d0, d1>>
  dlhlo.yield %v, %i : tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?x?xi64, #dhlo.dims<d0, d1>>
}

dlhlo.kernel @cumulative single {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.cumulative sum %x axis = 0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

dlhlo.kernel @scatter_nd single {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d2>>, %i: tensor<?x1xi64, #dhlo.dims<d1>>, %u: tensor<?x?xf32, #dhlo.dims<d1, d2>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  %0 = dhlo.scatter_nd %x, %i, %u add : (tensor<?x?xf32, #dhlo.dims<d0, d2>>, tensor<?x1xi64, #dhlo.dims<d1>>, tensor<?x?xf32, #dhlo.dims<d1, d2>>) -> tensor<?x?xf32, #dhlo.dims<d0, d2>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d2>>
}

dlhlo.kernel @scatter_nd_static single {
^bb0(%x: tensor<7x64xf32>, %i: tensor<?x1xi64, #dhlo.dims<d1>>, %u: tensor<?x64xf32, #dhlo.dims<d1>>):
  dhlo.dim @d1 in [0, ?]
  %0 = dhlo.scatter_nd %x, %i, %u add : (tensor<7x64xf32>, tensor<?x1xi64, #dhlo.dims<d1>>, tensor<?x64xf32, #dhlo.dims<d1>>) -> tensor<7x64xf32>
  dlhlo.yield %0 : tensor<7x64xf32>
}

dlhlo.kernel @scatter_elements single {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>, %i: tensor<?x?xi64, #dhlo.dims<d2, d1>>, %u: tensor<?x?xf32, #dhlo.dims<d2, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @d2 in [0, ?]
  %0 = dhlo.scatter_elements %x, %i, %u replace axis = 0 : (tensor<?x?xf32, #dhlo.dims<d0, d1>>, tensor<?x?xi64, #dhlo.dims<d2, d1>>, tensor<?x?xf32, #dhlo.dims<d2, d1>>) -> tensor<?x?xf32, #dhlo.dims<d0, d1>>
  dlhlo.yield %0 : tensor<?x?xf32, #dhlo.dims<d0, d1>>
}

dlhlo.kernel @find_nonzero single {
^bb0(%x: tensor<?x?xf32, #dhlo.dims<d0, d1>>):
  dhlo.dim @d0 in [0, ?]
  dhlo.dim @d1 in [0, ?]
  dhlo.dim @n = @d0 * @d1
  %i, %n = dlhlo.find_nonzero %x : (tensor<?x?xf32, #dhlo.dims<d0, d1>>) -> (tensor<?x2xi64, #dhlo.dims<n>>, tensor<i64>)
  dlhlo.yield %i, %n : tensor<?x2xi64, #dhlo.dims<n>>, tensor<i64>
}

dlhlo.kernel @group single {
^bb0(%x: tensor<?x2xi64, #dhlo.dims<N>>):
  dhlo.dim @N in [0, ?]
  dhlo.dim @N2 = 2 * @N
  %o, %r, %p = dhlo.group %x : (tensor<?x2xi64, #dhlo.dims<N>>) -> (tensor<65xi64>, tensor<?xi64, #dhlo.dims<N2>>, tensor<?x2xi64, #dhlo.dims<N>>)
  dlhlo.yield %o, %r, %p : tensor<65xi64>, tensor<?xi64, #dhlo.dims<N2>>, tensor<?x2xi64, #dhlo.dims<N>>
}

dlhlo.kernel @lstm single {
^bb0(%g: tensor<?x?x2x1024xf32, #dhlo.dims<T, B>>, %r: tensor<2x256x1024xf32>):
  dhlo.dim @T in [0, ?]
  dhlo.dim @B in [0, ?]
  %0, %1, %2 = dhlo.lstm bidirectional %g, %r : (tensor<?x?x2x1024xf32, #dhlo.dims<T, B>>, tensor<2x256x1024xf32>) -> (tensor<?x2x?x256xf32, #dhlo.dims<T, B>>, tensor<2x?x256xf32, #dhlo.dims<B>>, tensor<2x?x256xf32, #dhlo.dims<B>>)
  dlhlo.yield %0 : tensor<?x2x?x256xf32, #dhlo.dims<T, B>>
}
