// The registers of v4-amx need the system's permission. Without it, which a process
// with a small signal stack does not get, the level below runs.

// REQUIRES: amx, venv
// RUN: rm -rf %t && mkdir %t && cp %s %t/m.mlir
// RUN: %python -c "open(r'%t/w.bin', 'wb').write(bytes(i * i % 251 for i in range(131 * 33)))"
// RUN: dyn-compile %t/m.mlir -o %t/m.so --isa=v4,v4-vnni,v4-amx
// RUN: dyn-run --reference %t/m.mlir --input=x=random:70x131 --seed=3 --output=%t/o.npz
// RUN: dyn-run %t/m.so --stats --input=x=random:70x131 --seed=3 --check=%t/o.npz --tolerance=0 | FileCheck %s --check-prefix=ISA
// RUN: dyn-run %t/m.so --isa=v4-amx --threads=2 --input=x=random:70x131 --seed=3 --check=%t/o.npz --tolerance=0
// RUN: dyn-run %t/m.so --isa=v4-vnni --input=x=random:70x131 --seed=3 --check=%t/o.npz --tolerance=0
// RUN: %python %S/Inputs/small_signal_stack.py %t/m.so | FileCheck %s --check-prefix=REFUSED

// ISA: isa: x86-64-v4-amx
// REFUSED: chosen: x86-64-v4-vnni
// REFUSED: forced: x86-64-v4-amx was asked for: the system refuses its registers to this process
dhlo.dim @N in [0, ?]
func.func @main(%x: tensor<?x131xui8, #dhlo.dims<N>> {dhlo.name = "x"}) -> (tensor<?x33xi32, #dhlo.dims<N>> {dhlo.name = "y"}) attributes {dhlo.entry} {
  %w = dhlo.weight <"w.bin", offset = 0, length = 4323, key = "w"> : tensor<131x33xi8>
  %2 = dhlo.dot_general %x, %w batch = 0 lhs_contract = [1] rhs_contract = [0]
      : (tensor<?x131xui8, #dhlo.dims<N>>, tensor<131x33xi8>) -> tensor<?x33xi32, #dhlo.dims<N>>
  return %2 : tensor<?x33xi32, #dhlo.dims<N>>
}
