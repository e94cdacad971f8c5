// Small functions of hot loops, which the compiler must inline.
#pragma once

#define BOUGH_INLINE inline __attribute__((always_inline))
