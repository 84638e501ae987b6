//===- Fiber.cpp - Function calls that can be suspended -------------------===//
//
// Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"

#include <new>

#include <sys/mman.h>

using namespace dyn::emu;

// Pushes the callee-saved registers, exchanges the stack pointers, and pops. A
// new fiber's entry and argument are among the values that are popped.
asm(R"(
  .text
  .p2align 4
  .type dyn_emu_switch, @function
dyn_emu_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
  .size dyn_emu_switch, .-dyn_emu_switch

  .p2align 4
  .type dyn_emu_start, @function
dyn_emu_start:
  mov %r12, %rdi
  call *%rbx
  ud2
  .size dyn_emu_start, .-dyn_emu_start
)");

extern "C" void dyn_emu_switch(void **from, void *to);
extern "C" void dyn_emu_start();

void Fiber::prepare(void *memory, size_t bytes, void (*entry)(void *),
                    void *argument) {
  stack = static_cast<uint64_t *>(memory);
  *stack = kCanary;
  auto *end = reinterpret_cast<void **>(static_cast<char *>(memory) + bytes);
  // dyn_emu_start is entered by a return and calls: the stack has to be aligned
  // to 16 there. Below lie the six registers that are popped.
  end -= 2;
  *--end = reinterpret_cast<void *>(dyn_emu_start);
  void *registers[] = {
      nullptr, nullptr, nullptr, argument, reinterpret_cast<void *>(entry),
      nullptr};
  for (int i = 5; i >= 0; --i)
    *--end = registers[i];
  top = end;
}

void Fiber::enter(Fiber &from) { dyn_emu_switch(&from.top, top); }

Stacks::Stacks(uint32_t count, size_t bytes)
    : bytes(bytes), stride(bytes + 320), total(count * stride) {
  void *mapped = mmap(nullptr, total, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    throw std::bad_alloc();
  memory = static_cast<char *>(mapped);
}

Stacks::~Stacks() { munmap(memory, total); }
