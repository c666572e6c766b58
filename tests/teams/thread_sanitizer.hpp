// SPDX-License-Identifier: Apache-2.0
// Whether ThreadSanitizer looks on. It finds a missing sync whether or not it shows in the bytes, but loses track of
// fibers.
#pragma once

// Tests with a namespace of their own are compiled for it, but run without it (access_hooks.cpp).
#if defined(PEGRASP_OWN_NAMESPACE)
#define PEGRASP_THREAD_SANITIZER 0
#elif defined(__SANITIZE_THREAD__)
#define PEGRASP_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PEGRASP_THREAD_SANITIZER 1
#endif
#endif
#if !defined(PEGRASP_THREAD_SANITIZER)
#define PEGRASP_THREAD_SANITIZER 0
#endif

#define PEGRASP_NEEDS_FIBERS() \
  if (PEGRASP_THREAD_SANITIZER) GTEST_SKIP() << "fibers and ThreadSanitizer do not go together"
#define PEGRASP_NEEDS_THREAD_SANITIZER() \
  if (!PEGRASP_THREAD_SANITIZER) GTEST_SKIP() << "without ThreadSanitizer a race may not show"
