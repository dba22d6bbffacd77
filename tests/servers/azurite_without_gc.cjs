// Loaded before Azurite. Every ten minutes it collects its garbage, comparing every extent with every other, and answers
// nobody meanwhile: minutes, after a test has written ten thousand blobs. A throw-away server needs none of that.
require('azurite/dist/src/blob/utils/constants').DEFAULT_GC_INTERVAL_MS = 24 * 60 * 60 * 1000;
