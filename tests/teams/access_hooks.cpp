// SPDX-License-Identifier: Apache-2.0
// What code that is compiled for ThreadSanitizer calls, without its library: accesses go to the listener at hand, a
// watch of teams or of loops (access_watch.hpp, engine/loop_watch.hpp). Names and parameters are the compilers'.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/teams/access_listener.hpp"

namespace {

void touch(const void* address, std::size_t size, bool writes) {
  using pegrasp::test::AccessListener;
  AccessListener* const listener = AccessListener::current;
  if (listener == nullptr || size == 0) return;
  AccessListener::current = nullptr;  // it may call hooks itself
  listener->touch(address, size, writes);
  AccessListener::current = listener;
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

// Accesses of the standard library's shared pointers and barriers. No listener hears of them.
#define PEGRASP_ATOMICS(bits, T)                                                                                    \
  T __tsan_atomic##bits##_load(const volatile T* a, int) { return __atomic_load_n(a, __ATOMIC_SEQ_CST); }           \
  void __tsan_atomic##bits##_store(volatile T* a, T x, int) { __atomic_store_n(a, x, __ATOMIC_SEQ_CST); }           \
  T __tsan_atomic##bits##_exchange(volatile T* a, T x, int) { return __atomic_exchange_n(a, x, __ATOMIC_SEQ_CST); } \
  T __tsan_atomic##bits##_fetch_add(volatile T* a, T x, int) { return __atomic_fetch_add(a, x, __ATOMIC_SEQ_CST); } \
  T __tsan_atomic##bits##_fetch_sub(volatile T* a, T x, int) { return __atomic_fetch_sub(a, x, __ATOMIC_SEQ_CST); } \
  T __tsan_atomic##bits##_fetch_and(volatile T* a, T x, int) { return __atomic_fetch_and(a, x, __ATOMIC_SEQ_CST); } \
  T __tsan_atomic##bits##_fetch_or(volatile T* a, T x, int) { return __atomic_fetch_or(a, x, __ATOMIC_SEQ_CST); }   \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* a, T* c, T x, int, int) {                           \
    return __atomic_compare_exchange_n(a, c, x, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? 1 : 0;                 \
  }                                                                                                                 \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* a, T* c, T x, int, int) {                             \
    return __atomic_compare_exchange_n(a, c, x, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? 1 : 0;                  \
  }                                                                                                                 \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* a, T c, T x, int, int) {                                 \
    __atomic_compare_exchange_n(a, &c, x, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                               \
    return c;                                                                                                       \
  }

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
PEGRASP_ATOMICS(8, unsigned char)
PEGRASP_ATOMICS(16, std::int16_t)
PEGRASP_ATOMICS(32, std::int32_t)
PEGRASP_ATOMICS(64, std::int64_t)
void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
}
