#pragma once

// Which sanitizers the compiler puts in. GCC says so by a macro, and Clang by a feature.

#if defined(__SANITIZE_ADDRESS__)
#define COPSE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COPSE_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef COPSE_ADDRESS_SANITIZER
#define COPSE_ADDRESS_SANITIZER 0
#endif

#if defined(__SANITIZE_THREAD__)
#define COPSE_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define COPSE_THREAD_SANITIZER 1
#endif
#endif
#ifndef COPSE_THREAD_SANITIZER
#define COPSE_THREAD_SANITIZER 0
#endif
