// HEADWATER_EXPORT marks what a shared build shows; everything else stays hidden.
#pragma once

#if defined(__GNUC__)
#define HEADWATER_EXPORT __attribute__((visibility("default")))
#else
#define HEADWATER_EXPORT
#endif
