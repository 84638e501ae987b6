// The object file of Builtins.c as data, for Linker.cpp.
    .section .rodata
    .globl dyn_builtins_begin, dyn_builtins_end
    .hidden dyn_builtins_begin, dyn_builtins_end
    .balign 16
dyn_builtins_begin:
    .incbin DYN_BUILTINS_OBJECT
dyn_builtins_end:
    .byte 0
    .section .note.GNU-stack,"",@progbits
