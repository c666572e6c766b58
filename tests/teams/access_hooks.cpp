// SPDX-License-Identifier: Apache-2.0
// What code that is compiled for ThreadSanitizer calls, without its library: accesses go to the watch at hand (access_watch.hpp). Names and
// parameters are the compilers'.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "teams/access_watch.hpp"

namespace {

void touch(const void* address, std::size_t size, bool writes) {
  using pegrasp::test::AccessWatch;
  if (AccessWatch::current != nullptr && size > 0) AccessWatch::current->touch(address, size, writes);
}

}  // namespace

#define PEGRASP_HOOKS(size)                                            \
  void __tsan_read##size(void* a) { touch(a, size, false); }           \
  void __tsan_write##size(void* a) { touch(a, size, true); }           \
  void __tsan_unaligned_read##size(void* a) { touch(a, size, false); } \
  void __tsan_unaligned_write##size(void* a) { touch(a, size, true); } \
  void __tsan_volatile_read##size(void* a) { touch(a, size, false); }  \
  void __tsan_volatile_write##size(void* a) { touch(a, size, true); }  \
  void __tsan_read_write##size(void* a) { touch(a, size, true); }      \
  void __tsan_unaligned_read_write##size(void* a) { touch(a, size, true); }

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_read_range(void* a, std::size_t size) { touch(a, size, false); }
void __tsan_write_range(void* a, std::size_t size) { touch(a, size, true); }
PEGRASP_HOOKS(1)
PEGRASP_HOOKS(2)
PEGRASP_HOOKS(4)
PEGRASP_HOOKS(8)
PEGRASP_HOOKS(16)
void* __tsan_memcpy(void* to, const void* from, std::size_t size) {
  touch(from, size, false);
  touch(to, size, true);
  return std::memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  touch(from, size, false);
  touch(to, size, true);
  return std::memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, std::size_t size) {
  touch(to, size, true);
  return std::memset(to, value, size);
}
// Atomics of the standard library's shared pointers.
int __tsan_atomic32_fetch_add(volatile int* a, int x, int) { return __atomic_fetch_add(a, x, __ATOMIC_SEQ_CST); }
int __tsan_atomic32_fetch_sub(volatile int* a, int x, int) { return __atomic_fetch_sub(a, x, __ATOMIC_SEQ_CST); }
int __tsan_atomic32_load(const volatile int* a, int) { return __atomic_load_n(a, __ATOMIC_SEQ_CST); }
void __tsan_atomic32_store(volatile int* a, int x, int) { __atomic_store_n(a, x, __ATOMIC_SEQ_CST); }
unsigned char __tsan_atomic8_load(const volatile unsigned char* a, int) { return __atomic_load_n(a, __ATOMIC_SEQ_CST); }
void __tsan_atomic8_store(volatile unsigned char* a, unsigned char x, int) { __atomic_store_n(a, x, __ATOMIC_SEQ_CST); }
std::int64_t __tsan_atomic64_load(const volatile std::int64_t* a, int) { return __atomic_load_n(a, __ATOMIC_SEQ_CST); }
void __tsan_atomic64_store(volatile std::int64_t* a, std::int64_t x, int) { __atomic_store_n(a, x, __ATOMIC_SEQ_CST); }
}
