// RUN: dyn-opt %s -share-kernel-helpers | FileCheck %s

// Modules are compiled by themselves; a function of one name is compiled once,
// in a module before those of the kernels, and seen by them.

// CHECK:      module {
// CHECK-NEXT:   module {
// CHECK-NEXT:     func.func @mk_1x1(%{{.*}}: i64) attributes {passthrough = ["noinline"]} {
// CHECK:        module {
// CHECK-NEXT:     func.func @copy_row(%{{.*}}: i64) {
// CHECK:        module {
// CHECK-NEXT:     func.func @a.body
// CHECK-NEXT:       call @mk_1x1
// CHECK-NEXT:       call @own
// CHECK:          func.func private @mk_1x1(i64)
// CHECK-NEXT:     func.func private @own(%{{.*}}: i64)
// CHECK:        module {
// CHECK-NEXT:     func.func @b.body
// CHECK:          func.func private @mk_1x1(i64)
// CHECK-NEXT:     func.func private @copy_row(i64)
// CHECK-NOT:    func.func
module {
  module {
    func.func @a.body(%n: i64) {
      call @mk_1x1(%n) : (i64) -> ()
      call @own(%n) : (i64) -> ()
      return
    }
    func.func private @mk_1x1(%n: i64)
        attributes {dyn.helper, llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]} {
      return
    }
    func.func private @own(%n: i64) {
      return
    }
  }
  module {
    func.func @b.body(%n: i64) {
      call @mk_1x1(%n) : (i64) -> ()
      call @copy_row(%n) : (i64) -> ()
      return
    }
    func.func private @mk_1x1(%n: i64)
        attributes {dyn.helper, llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]} {
      return
    }
    func.func private @copy_row(%n: i64)
        attributes {dyn.helper, llvm.linkage = #llvm.linkage<internal>} {
      return
    }
  }
}
