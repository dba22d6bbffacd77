// The version of this library, for code that must know at compile time.
#pragma once

#define HEADWATER_VERSION_MAJOR 0
#define HEADWATER_VERSION_MINOR 1
#define HEADWATER_VERSION_PATCH 0
#define HEADWATER_VERSION_STRING "0.1.0"
